//go:build !race

package mutants

const raced = false
