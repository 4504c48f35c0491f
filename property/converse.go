package property

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// stage is a conversation while it goes on: a fresh subject, and its runs from both
// sides.
type stage struct {
	c       *check.C
	adapter executor.Adapter
	runtime fakes.Runtime
	runs    []*talk
	// cut: the connection was cut that all runs of the runtime share.
	cut bool
}

// talk is one run from both sides: what the runtime said in it, and who listens.
type talk struct {
	number  int
	session string
	handle  *executor.Run
	native  fakes.Run // nil while the run waits for another one of its session
	brief   bool      // its wire shows no text before the end
	asked   bool      // it speaks when it is asked, and calls a tool to be asked again
	refused bool      // the session was busy
	lost    bool      // its connection was cut: it may fail by that, at any time
	steered bool      // the runtime was given more to answer, which it may do after an end
	over    bool

	words []string // what was said, one unique word each
	calls int
	out   int64 // tokens
	// reasons that are right for its done; none means that any is.
	reasons []executor.Reason

	first *listener
	more  []*listener
}

// converse lets a fresh subject go through a conversation. What is still alive at the end
// of it ends well.
func converse(ctx context.Context, c *check.C, acts conversation) []*talk {
	inst := c.BuildExecutor(ctx)
	s := &stage{c: c, adapter: inst.Adapter, runtime: inst.Runtime}
	for _, a := range acts {
		s.act(ctx, a)
	}
	for i := 0; i < len(s.runs); i++ { // the end of one may be the beginning of another
		if r := s.runs[i]; r.native != nil && !r.over {
			s.end(ctx, r, fakes.End{Reason: fakes.EndOK})
		}
	}
	for _, r := range s.runs {
		for _, l := range r.more {
			s.listen(ctx, r, l, c.Budgets.Terminal)
		}
		if r.first != nil {
			s.rest(ctx, r.first)
		}
	}
	return s.runs
}

func (s *stage) act(ctx context.Context, a step) {
	if a.do == actStart {
		if len(s.runs) < mostRuns {
			s.start(ctx, a.session)
		}
		return
	}
	r := s.runs[(a.run-1)%len(s.runs)]
	if r.refused {
		return
	}
	live := r.native != nil && !r.over
	switch a.do {
	case actObserve:
		if live {
			r.more = append(r.more, &listener{stream: s.events(ctx, r), from: len(r.words)})
		}
	case actClose:
		if n := len(r.more); n > 0 && !r.more[n-1].closed {
			r.more[n-1].closed = true
			s.call(ctx, s.c.Budgets.Call, func(context.Context) error { return r.more[n-1].stream.Close() })
		}
	case actAbort:
		if r.over || live && s.waiting(r.session) == nil { // what it does to those that wait is the adapter's choice
			s.abort(ctx, r)
		}
	case actModel:
		s.call(ctx, s.c.Budgets.Call, func(ctx context.Context) error { return s.adapter.SetModel(ctx, r.handle, "model-2") })
	case actContext:
		err := s.call(ctx, s.c.Budgets.Call, func(ctx context.Context) error { return s.adapter.WriteContext(ctx, r.handle, "note.md", "note") })
		r.steered = r.steered || err == nil && live
	case actSay, actCall, actUsage:
		if live {
			s.speak(ctx, r, a)
		}
	case actEnd:
		if live {
			s.end(ctx, r, a.end)
		}
	}
}

// start begins a run, and waits for it on the other side if its session is free.
func (s *stage) start(ctx context.Context, session string) {
	r := &talk{number: len(s.runs) + 1, session: session, brief: !s.c.Subject.Offers.Has(fakes.LiveText), asked: s.c.Subject.Offers.Has(fakes.OwnTools)}
	s.runs = append(s.runs, r)
	busy := s.busy(session)
	handle, err := check.Await(ctx, s.c, s.c.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
		return s.adapter.Start(ctx, executor.TaskHandle{TaskID: "task"}, executor.StartOpts{AgentID: "agent", SessionKey: session, Message: "hello"})
	})
	switch {
	case errors.Is(err, check.ErrHung):
		s.c.Fail(s.c.Generic("hung"), "start did not return")
	case err != nil && (busy && s.c.Subject.Declares.SecondStart != check.Queues || s.cut):
		r.refused = true
		return
	case err != nil || handle == nil:
		s.c.Fail(s.c.Generic("threw"), "run %d was refused: %v", r.number, err)
	}
	r.handle = handle
	r.first = &listener{stream: s.events(ctx, r)}
	if !busy {
		s.arrive(ctx, r)
	}
}

// busy reports whether a run of the session is alive.
func (s *stage) busy(session string) bool {
	for _, r := range s.runs[:len(s.runs)-1] {
		if r.session == session && !r.refused && !r.over {
			return true
		}
	}
	return false
}

// waiting is the first run of the session that has not begun.
func (s *stage) waiting(session string) *talk {
	for _, r := range s.runs {
		if r.session == session && !r.refused && r.native == nil && !r.over {
			return r
		}
	}
	return nil
}

// arrive waits until the run has reached the runtime, which says hello.
func (s *stage) arrive(ctx context.Context, r *talk) {
	native, err := check.Await(ctx, s.c, s.c.Budgets.FirstEvent, s.runtime.Next)
	if err != nil {
		s.c.Fail(codeRunLost, "run %d never reached the runtime", r.number)
	}
	r.native = native
	if !s.c.Subject.Offers.Has(fakes.InitFrame) {
		return
	}
	f := fakes.Init{Session: sessionID}
	if r.session != "a" {
		f.Session = otherSessionID
	}
	if s.c.Subject.Offers.Has(fakes.NativeRunID) {
		f.Run = fmt.Sprintf("R-%d", r.number)
	}
	say(ctx, s.c, native, []fakes.Frame{f}, -1)
}

// otherSessionID is what the runtime calls the second session.
const otherSessionID = "1b2c3d4e-5f60-7172-8384-95a6b7c8d9e0"

// speak lets the runtime say one thing that nobody has said before.
func (s *stage) speak(ctx context.Context, r *talk, a step) {
	n := len(r.words) + r.calls + int(r.out)
	switch a.do {
	case actSay:
		word := fmt.Sprintf("r%dw%d.", r.number, len(r.words)+1)
		var f fakes.Frame = fakes.Final{Text: &word}
		if s.c.Subject.Offers.Has(fakes.Deltas) {
			f = fakes.Delta{Text: word + " "}
		}
		if say(ctx, s.c, r.native, []fakes.Frame{f}, -1) {
			r.words = append(r.words, word)
		}
	case actCall:
		id := fmt.Sprintf("t%d-%d", r.number, n)
		frames := []fakes.Frame{fakes.ToolCall{ID: id, Name: "shell", Input: `{"command":"list"}`}}
		if !a.open {
			frames = append(frames, fakes.Result{ID: id, Name: "shell", Out: "a.txt"})
		}
		if say(ctx, s.c, r.native, frames, -1) {
			r.calls++
		}
	case actUsage:
		if say(ctx, s.c, r.native, []fakes.Frame{fakes.Usage{Kind: fakes.UsageTurn, In: new(int64(10)), Out: new(int64(1))}}, -1) {
			r.out++
		}
	}
}

// end lets the runtime end the run, waits until the host has heard of it, and for the
// next run of the session.
func (s *stage) end(ctx context.Context, r *talk, f fakes.Frame) {
	f = s.last(ctx, r, f)
	r.reasons = reasonsOf(f)
	if _, cut := f.(fakes.Cut); cut && !s.c.Subject.Offers.Has(fakes.Process) {
		s.cut = true
		for _, other := range s.runs {
			other.lost = other.lost || !other.over
		}
	}
	if !s.c.Subject.Offers.Has(fakes.TerminalFrame) && len(r.words) == 0 {
		r.reasons = append(r.reasons, executor.ReasonError) // an exit with nothing said is no success
	}
	s.finished(ctx, r, s.c.Budgets.Terminal)
}

// last lets the runtime say the frame that ends its run, or a plain success where its wire
// has no form for it, and returns what it said.
func (s *stage) last(ctx context.Context, r *talk, f fakes.Frame) fakes.Frame {
	_, err := check.Await(ctx, s.c, s.c.Budgets.FirstEvent, func(ctx context.Context) (fakes.Receipt, error) { return r.native.Emit(ctx, f) })
	switch {
	case err == nil, errors.Is(err, fakes.ErrGone):
		return f
	case !errors.Is(err, fakes.ErrUnplayable):
		s.c.Cannot(fmt.Errorf("the fake runtime could not speak: %w", err))
	}
	plain := fakes.End{Reason: fakes.EndOK}
	say(ctx, s.c, r.native, []fakes.Frame{plain}, 0)
	return plain
}

// abort aborts a run. One that is over stays as it is.
func (s *stage) abort(ctx context.Context, r *talk) {
	if err := s.call(ctx, s.c.Budgets.Abort, func(ctx context.Context) error { return s.adapter.Abort(ctx, r.handle) }); err != nil && !r.over && !r.lost {
		s.c.Fail(s.c.Generic("threw"), "abort of run %d: %v", r.number, err)
	}
	if !r.over {
		r.reasons = []executor.Reason{executor.ReasonAborted}
		s.finished(ctx, r, s.c.Budgets.Abort)
	}
}

// finished waits for the done of a run, and for the run that waited for it.
func (s *stage) finished(ctx context.Context, r *talk, budget time.Duration) {
	r.over = true
	s.listen(ctx, r, r.first, budget)
	if next := s.waiting(r.session); next != nil {
		s.arrive(ctx, next)
	}
}

// reasonsOf are those with which an adapter may tell of an end.
func reasonsOf(f fakes.Frame) []executor.Reason {
	end, ok := f.(fakes.End)
	switch {
	case !ok, end.Error:
		return []executor.Reason{executor.ReasonError}
	case end.Reason == fakes.EndMaxTurns:
		return []executor.Reason{executor.ReasonMaxTurns}
	case end.Reason == fakes.EndOK:
		return []executor.Reason{executor.ReasonSuccess}
	}
	return nil // of a limit of tokens it is only known that it is no success
}

// call does what the host may do at any time. It may be refused, but not hang.
func (s *stage) call(ctx context.Context, budget time.Duration, f func(context.Context) error) error {
	_, err := check.Await(ctx, s.c, budget, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	if errors.Is(err, check.ErrHung) {
		s.c.Fail(s.c.Generic("hung"), "no answer within the budget")
	}
	return err
}

func (s *stage) events(ctx context.Context, r *talk) executor.Stream {
	stream := check.Call(ctx, s.c, "", s.c.Budgets.Call, func(context.Context) (executor.Stream, error) { return s.adapter.Events(r.handle), nil })
	if stream == nil {
		s.c.Fail(s.c.Generic("threw"), "events returned no stream")
	}
	s.c.Cleanup(func(context.Context) error { return stream.Close() })
	return stream
}
