//go:build race

package executormutants_test

// slowness is how many times as long everything takes: the race detector is on.
const slowness = 4
