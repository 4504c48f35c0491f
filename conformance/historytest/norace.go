//go:build !race

package historytest

// slowness is how many times smaller the largest histories are.
const slowness = 1
