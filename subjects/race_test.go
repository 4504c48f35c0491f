//go:build race

package subjects_test

import (
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// budgets under the race detector, with which a flood of frames through a pipe takes
// most of a minute.
var budgets = check.Budgets{Call: 10 * time.Second, FirstEvent: 30 * time.Second, Terminal: time.Minute, Abort: 20 * time.Second, Check: 3 * time.Minute}
