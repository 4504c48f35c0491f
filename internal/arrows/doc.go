// Package arrows holds the rule which package of this tree may import which, as a
// test. It has no code of its own.
package arrows
