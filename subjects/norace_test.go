//go:build !race

package subjects_test

import "github.com/adaptercheck/adaptercheck/conformance/check"

// budgets are those that everybody gets.
var budgets check.Budgets
