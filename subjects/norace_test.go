//go:build !race

package subjects_test

import "github.com/adaptercheck/adaptercheck/conformance/check"

// All floods, and every place of a fault.
const (
	floods = true
	stride = 1
)

// budgets are those that everybody gets.
var budgets check.Budgets
