//go:build race

package subjects_test

import (
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// Under the race detector a process takes ten times as long to start, and a flood of
// frames through a pipe most of a minute. So the detector sees no floods of processes, one
// of their checks and one place of a fault in six, and five cases of a law; make test runs
// these tests without it as well, in full.
const (
	floods = false
	stride = 6
	cases  = 5
)

// budgets are for a slow machine.
var budgets = check.Budgets{Call: 10 * time.Second, FirstEvent: 30 * time.Second, Terminal: time.Minute, Abort: 20 * time.Second, Check: 3 * time.Minute}
