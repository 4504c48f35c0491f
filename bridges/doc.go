// Package bridges holds the tests of the bridges for Node and Python: their own
// tests, the verdicts on their examples, and the pages of docs that walk an author
// through them. Its code embeds the programs of the bridges, for adaptercheck bridge.
//
// What needs a language that is not installed is skipped, and says so.
package bridges
