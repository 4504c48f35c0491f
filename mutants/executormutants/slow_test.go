//go:build !race

package executormutants_test

// slowness is how many times as long everything takes.
const slowness = 1
