package property

import (
	"context"
	"runtime"
)

// runAlone gives what wants a test something to report to. What is reported goes nowhere:
// the caller looks at what was found.
func runAlone(ctx context.Context, law func(TB)) {
	over := make(chan struct{})
	go func() { // a test that fails ends its goroutine
		defer close(over)
		law(&nowhere{ctx: ctx})
	}()
	<-over
}

type nowhere struct {
	ctx    context.Context
	failed bool
}

var _ TB = (*nowhere)(nil)

func (n *nowhere) Context() context.Context { return n.ctx }
func (n *nowhere) Helper()                  {}
func (n *nowhere) Name() string             { return "law" }
func (n *nowhere) Log(...any)               {}
func (n *nowhere) Logf(string, ...any)      {}
func (n *nowhere) Skip(...any)              { runtime.Goexit() }
func (n *nowhere) Skipf(string, ...any)     { runtime.Goexit() }
func (n *nowhere) SkipNow()                 { runtime.Goexit() }
func (n *nowhere) Error(...any)             { n.failed = true }
func (n *nowhere) Errorf(string, ...any)    { n.failed = true }
func (n *nowhere) Fatal(...any)             { n.FailNow() }
func (n *nowhere) Fatalf(string, ...any)    { n.FailNow() }
func (n *nowhere) Fail()                    { n.failed = true }
func (n *nowhere) Failed() bool             { return n.failed }

func (n *nowhere) FailNow() {
	n.failed = true
	runtime.Goexit()
}
