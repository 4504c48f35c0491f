package property

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// played is what an observer saw of a script.
type played struct {
	events    []executor.Event
	malformed int
	endless   bool
	over      bool // the stream has ended
}

// maxEvents bounds what is read of a run: a subject may never stop.
const maxEvents = 10_000

// play lets a fresh subject run through the script and reads its stream to the end.
func play(ctx context.Context, c *check.C, s monologue) played {
	inst := c.BuildExecutor(ctx)
	adapter, runtime := inst.Adapter, inst.Runtime
	handle := check.Call(ctx, c, "", c.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
		return adapter.Start(ctx, executor.TaskHandle{TaskID: "task"}, executor.StartOpts{AgentID: "agent", SessionKey: "session", Message: "hello"})
	})
	if handle == nil {
		c.Fail(c.Generic("threw"), "start returned no handle")
	}
	stream := check.Call(ctx, c, "", c.Budgets.Call, func(context.Context) (executor.Stream, error) { return adapter.Events(handle), nil })
	if stream == nil {
		c.Fail(c.Generic("threw"), "events returned no stream")
	}
	c.Cleanup(func(context.Context) error { return stream.Close() })
	run, err := check.Await(ctx, c, c.Budgets.FirstEvent, runtime.Next)
	if err != nil {
		c.Fail(c.Generic("assertion-failed"), "the start never reached the runtime: %v", err)
	}
	if c.Subject.Offers.Has(fakes.InitFrame) {
		say(ctx, c, run, []fakes.Frame{hello(c.Subject.Offers)}, -1)
	}
	frames, end := s.frames(), len(s.body)
	if s.together {
		say(ctx, c, run, frames, end)
	} else {
		for i := range frames {
			if !say(ctx, c, run, frames[i:i+1], end-i) {
				break
			}
		}
	}
	p := read(ctx, c, stream)
	if !adapter.Capabilities().OneShot() {
		// The stream of a connected runtime may show other runs of the session.
		p.events = slices.DeleteFunc(p.events, func(e executor.Event) bool { return e.Head().RunID == another })
	}
	return p
}

// say lets the runtime say the frames, and leaves out those that its wire has no
// form for; a plain success stands in for the end, whose place is given. It reports
// whether the run can say more.
func say(ctx context.Context, c *check.C, run fakes.Run, frames []fakes.Frame, end int) bool {
	_, err := check.Await(ctx, c, c.Budgets.FirstEvent, func(ctx context.Context) (fakes.Receipt, error) { return run.Emit(ctx, frames...) })
	switch {
	case err == nil:
		return true
	case errors.Is(err, fakes.ErrGone):
		return false
	case !errors.Is(err, fakes.ErrUnplayable):
		c.Cannot(fmt.Errorf("the fake runtime could not speak: %w", err))
	case len(frames) > 1:
		half := len(frames) / 2
		return say(ctx, c, run, frames[:half], end) && say(ctx, c, run, frames[half:], end-half)
	case end == 0 && frames[0] != fakes.Frame(fakes.End{Reason: fakes.EndOK}):
		return say(ctx, c, run, []fakes.Frame{fakes.End{Reason: fakes.EndOK}}, end)
	case end == 0:
		c.Cannot(fmt.Errorf("the fake runtime cannot end a run: %w", err))
	}
	return true
}

// read reads until the stream ends, or nothing has come for a while after the done.
func read(ctx context.Context, c *check.C, stream executor.Stream) played {
	l := listener{stream: stream}
	done := false
	deadline := time.Now().Add(c.Budgets.Terminal)
	for len(l.events)+l.malformed < maxEvents {
		left := time.Until(deadline)
		if done {
			left = c.Budgets.Quiet
		}
		if left <= 0 || !l.pull(ctx, c, left) {
			return l.played
		}
		if n := len(l.events); n > 0 {
			e := l.events[n-1]
			done = done || e.Kind() == executor.KindDone && e.Head().RunID != another
		}
	}
	l.endless = true
	return l.played
}
