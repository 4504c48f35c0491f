package executortest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// T is what a check body is given: a fresh adapter and the runtime behind it.
type T struct {
	*check.C
	Adapter executor.Adapter
	Runtime fakes.Runtime
	// Canary is a word that is in everything the check says and that must appear
	// in no report.
	Canary string

	codes int // words handed out by Word
}

// with turns a typed body into a check function: it makes the runtime and the
// adapter and has both released at the end.
func with(body func(ctx context.Context, t *T)) func(context.Context, *check.C) {
	return func(ctx context.Context, c *check.C) {
		t := build(ctx, c)
		body(ctx, t)
	}
}

// build makes one subject.
func build(ctx context.Context, c *check.C) *T { return of(c, c.BuildExecutor(ctx)) }

// another is a second instance of the subject over the same runtime, as a later
// process of the host would make it. A subject that brings its own runtime gets
// that anew.
func (t *T) another(ctx context.Context) *T {
	if t.Subject.Runtime == nil {
		return build(ctx, t.C)
	}
	return of(t.C, t.BuildExecutorOver(ctx, t.Runtime))
}

func of(c *check.C, inst *check.ExecutorInstance) *T {
	return &T{C: c, Adapter: inst.Adapter, Runtime: inst.Runtime, Canary: fmt.Sprintf("canary-%08x", c.Rand.Uint32())}
}

// Offers reports whether subject and fake both offer the feature.
func (t *T) Offers(f check.Feature) bool {
	return t.Subject.Offers.Has(f) && t.Runtime.Features().Has(f)
}

// Word returns a word that no one can know before: it holds the canary.
func (t *T) Word() string {
	t.codes++
	return fmt.Sprintf("%s-%02d", t.Canary, t.codes)
}

// Opts are start options for the session, with a message of their own.
func (t *T) Opts(session string) executor.StartOpts {
	return executor.StartOpts{AgentID: "agent-1", SessionKey: session, Message: "say " + t.Word()}
}

// Live is one run from both sides.
type Live struct {
	t      *T
	Handle *executor.Run
	Native fakes.Run
	// NativeID and NativeSession are what Hello tells the adapter, where the wire
	// has such ids; see live for the session where it does not.
	NativeID, NativeSession string

	said []string // content of the frames that the runtime was told to say
}

// Start begins a run and waits until it has reached the runtime.
func (t *T) Start(ctx context.Context, o executor.StartOpts) *Live {
	return t.Arrived(ctx, t.begin(ctx, o), t.notSeen())
}

// Arrived waits until the run of a handle has reached the runtime; one that does
// not ends the check with the code.
func (t *T) Arrived(ctx context.Context, handle *executor.Run, lost check.Code) *Live {
	native, err := check.Await(ctx, t.C, t.Budgets.FirstEvent, t.Runtime.Next)
	if err != nil {
		t.Fail(lost, "the start never reached the runtime: %v", err)
	}
	return t.live(handle, native)
}

// live is a run from both sides. Its session is what Hello will name; where the wire says
// no hello, it is what the runtime calls the session by itself.
func (t *T) live(handle *executor.Run, native fakes.Run) *Live {
	l := &Live{t: t, Handle: handle, Native: native, NativeID: "R-" + t.Word(), NativeSession: nativeSession(t)}
	if t.Offers(fakes.InitFrame) {
		return l
	}
	if own := native.Begun().Session; own != "" {
		l.NativeSession = own
	}
	return l
}

// begin is Start without the runtime's side.
func (t *T) begin(ctx context.Context, o executor.StartOpts) *executor.Run {
	handle := check.Call(ctx, t.C, "", t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
		return t.Adapter.Start(ctx, executor.TaskHandle{TaskID: "task-1"}, o)
	})
	if handle == nil {
		t.Fail(t.threw(), "start returned no handle")
	}
	return handle
}

// nativeSession is shaped like the ids that runtimes give: some adapters resume by
// such ids alone.
func nativeSession(t *T) string {
	return fmt.Sprintf("%08x-%04x-7%03x-8%03x-%012x", t.Rand.Uint32(), t.Rand.Uint32()&0xffff, t.Rand.Uint32()&0xfff, t.Rand.Uint32()&0xfff, t.Rand.Uint64()&0xffffffffffff)
}

// Say lets the runtime speak. The check as a whole bounds it: how long the fake
// takes is not the subject's affair.
func (l *Live) Say(ctx context.Context, frames ...fakes.Frame) fakes.Receipt {
	r, err := check.Await(ctx, l.t.C, l.t.Budgets.Check, func(ctx context.Context) (fakes.Receipt, error) {
		return l.Native.Emit(ctx, frames...)
	})
	if errors.Is(err, fakes.ErrUnplayable) {
		l.t.unplayable(frames...)
	}
	if err != nil {
		l.t.Cannot(fmt.Errorf("the fake runtime could not speak: %w", err))
	}
	l.left(frames, r)
	return r
}

// left notes what has left the fake.
func (l *Live) left(frames []fakes.Frame, r fakes.Receipt) {
	for _, f := range frames {
		l.said = append(l.said, l.t.words(f)...)
	}
	if r.Session != "" {
		l.NativeSession = r.Session
	}
}

// Try is Say for frames that the wire may have no form for. It reports whether it
// has one; if not, nothing was said.
func (l *Live) Try(ctx context.Context, frames ...fakes.Frame) bool {
	r, err := check.Await(ctx, l.t.C, l.t.Budgets.Check, func(ctx context.Context) (fakes.Receipt, error) {
		return l.Native.Emit(ctx, frames...)
	})
	if errors.Is(err, fakes.ErrUnplayable) {
		return false
	}
	if err != nil {
		l.t.Cannot(fmt.Errorf("the fake runtime could not speak: %w", err))
	}
	l.left(frames, r)
	return true
}

// Late lets the runtime speak after its run may have ended, where it still can.
func (l *Live) Late(ctx context.Context, frames ...fakes.Frame) {
	_, _ = check.Await(ctx, l.t.C, l.t.Budgets.Check, func(ctx context.Context) (fakes.Receipt, error) {
		return l.Native.Emit(ctx, frames...)
	})
}

// Released waits until the adapter has let go of the run and so has read all of
// it, for the terminal budget at most: a connected adapter may keep its connection.
func (l *Live) Released(ctx context.Context) bool {
	_, err := check.Await(ctx, l.t.C, l.t.Budgets.Terminal, func(ctx context.Context) (any, error) { return nil, l.Native.Gone(ctx) })
	return err == nil
}

// Fault makes the run misbehave.
func (l *Live) Fault(ctx context.Context, kind fakes.FaultKind) {
	l.t.misbehaves(kind, l.Native.Fault(ctx, fakes.Fault{Kind: kind}))
}

// Fault makes the runtime as a whole misbehave.
func (t *T) Fault(ctx context.Context, kind fakes.FaultKind) {
	t.misbehaves(kind, t.Runtime.Fault(ctx, fakes.Fault{Kind: kind}))
}

// misbehaves ends the check if the fake could not play a fault.
func (t *T) misbehaves(kind fakes.FaultKind, err error) {
	switch {
	case errors.Is(err, fakes.ErrUnplayable):
		t.Unobserved(faults[kind])
	case err != nil:
		t.Cannot(fmt.Errorf("the fake runtime could not play %s: %w", kind, err))
	}
}

// Hello is the first life sign, where the wire has one.
func (l *Live) Hello() []fakes.Frame {
	if !l.t.Offers(fakes.InitFrame) {
		return nil
	}
	f := fakes.Init{Session: l.NativeSession}
	if l.t.Offers(fakes.NativeRunID) {
		f.Run = l.NativeID
	}
	return []fakes.Frame{f}
}

// Text is a piece of the answer in the form that the wire has: an increment, or a
// whole message.
func (l *Live) Text(s string) fakes.Frame {
	if l.t.Offers(fakes.Deltas) {
		return fakes.Delta{Text: s}
	}
	return fakes.Final{Text: &s}
}

// Ok is the terminal frame of a success.
func (l *Live) Ok() fakes.Frame { return fakes.End{Reason: fakes.EndOK} }

// Cancelled waits until a cancel has reached the runtime, for the abort budget at
// most.
func (l *Live) Cancelled(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, l.t.Budgets.Abort)
	defer cancel()
	return poll(ctx, func() bool { return count(l.Native.Calls(), fakes.MethodCancel) > 0 })
}

// count counts the calls of a method.
func count(calls []fakes.Call, m fakes.Method) int {
	n := 0
	for _, c := range calls {
		if c.Method == m {
			n++
		}
	}
	return n
}

// mentions reports whether a call's content holds the word.
func mentions(c fakes.Call, word string) bool {
	return strings.Contains(c.Message, word) || strings.Contains(c.Value, word) || strings.Contains(c.Model, word) ||
		strings.Contains(strings.Join(c.Args, "\x00"), word)
}

// The generic codes, for findings that no code of a check's own names.
func (t *T) threw() check.Code   { return t.Generic("threw") }
func (t *T) notSeen() check.Code { return t.Generic("assertion-failed") }
