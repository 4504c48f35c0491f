//go:build race

package historytest

// slowness is how many times smaller the largest histories are: under the race
// detector everything takes some ten times as long, and budgets are for plain code.
const slowness = 5
