//go:build race

package remote_test

// raced reports whether the race detector watches.
const raced = true
