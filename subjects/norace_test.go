//go:build !race

package subjects_test

import "github.com/adaptercheck/adaptercheck/conformance/check"

// All floods, every place of a fault, and the usual cases of a law.
const (
	floods = true
	stride = 1
	cases  = 0
)

// budgets are those that everybody gets.
var budgets check.Budgets
