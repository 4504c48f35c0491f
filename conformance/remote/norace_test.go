//go:build !race

package remote_test

const raced = false
