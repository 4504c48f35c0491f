//go:build race

package mutants

// The race detector makes everything some ten times as slow.
const raced = true
