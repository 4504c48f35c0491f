package memory

import (
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// mapper turns the frames of one run into events. It is a pure state machine:
// what it returns depends on the frames alone.
type mapper struct {
	fallbackRun string // the run's id if the runtime never names one
	totals      totals // of the session, from before this run on

	run     string
	session *string
	model   *string
	held    []executor.Event // events from before the run id was known

	text    texts
	repeat  repeat
	calls   calls
	spend   spend
	aborted bool
	over    bool
}

// holdBack is how many events wait for the run's id before the adapter makes one.
const holdBack = 1000

// waiting reports whether events are held back because the run has no id yet.
func (m *mapper) waiting() bool { return m.run == "" && len(m.held) > 0 }

// release stops waiting for the runtime to name the run.
func (m *mapper) release() []executor.Event {
	if m.run == "" {
		m.run = m.fallbackRun
	}
	return m.bind(nil)
}

func newMapper(fallbackRun string, t totals) *mapper {
	return &mapper{fallbackRun: fallbackRun, totals: t, text: newTexts(), calls: newCalls()}
}

// frame maps one frame. After the run's done it maps nothing.
func (m *mapper) frame(f fakes.Frame) []executor.Event {
	if m.over {
		return nil
	}
	m.repeat.pass(f)
	v := &visit{m: m}
	// The visitor never fails: a frame it does not know maps to nothing.
	_ = f.Accept(v)
	return m.bind(v.out)
}

// lost maps the end of the wire without a terminal frame.
func (m *mapper) lost() []executor.Event {
	if m.over {
		return nil
	}
	if m.aborted {
		return m.bind(m.finish(executor.ReasonAborted, "", executor.Error{}))
	}
	code := executor.CodeStreamTruncated
	return m.bind(m.finish(executor.ReasonError, "", executor.Error{Code: &code, Message: "the stream ended without a terminal frame", Fatal: true}))
}

// mild maps something that went wrong and does not end the run.
func (m *mapper) mild(code, message string) []executor.Event {
	if m.over {
		return nil
	}
	return m.bind([]executor.Event{executor.Error{Code: &code, Message: message}})
}

// abort says that the host has asked for an end: whatever terminal comes now is
// an aborted one.
func (m *mapper) abort() { m.aborted = true }

// forced ends the run as aborted although the runtime says nothing.
func (m *mapper) forced() []executor.Event {
	if m.over {
		return nil
	}
	return m.bind(m.finish(executor.ReasonAborted, "", executor.Error{}))
}

// bind stamps run and session on events, and holds them back while the runtime
// has not named the run.
func (m *mapper) bind(events []executor.Event) []executor.Event {
	m.held = append(m.held, events...)
	if m.run == "" && (m.over || len(m.held) > holdBack) {
		m.run = m.fallbackRun
	}
	if m.run == "" {
		return nil
	}
	out := make([]executor.Event, len(m.held))
	for i, e := range m.held {
		out[i] = e.WithHead(executor.Envelope{RunID: m.run, SessionID: m.session})
	}
	m.held = nil
	return out
}

// finish closes what is open and ends the run. A failure that is not fatal is none.
func (m *mapper) finish(reason executor.Reason, summary string, failure executor.Error) []executor.Event {
	events := m.calls.close()
	if failure.Fatal {
		events = append(events, failure)
	}
	if summary == "" {
		summary = m.text.summary(reason)
	}
	done := executor.Done{Reason: reason, Summary: summary}
	if m.spend.any {
		usage := m.spend.usage
		done.Usage = &usage
		done.CostUSD = m.spend.money()
	}
	m.over = true
	return append(events, done)
}

// visit maps one frame; out collects its events.
type visit struct {
	m   *mapper
	out []executor.Event
}

var _ fakes.FrameVisitor = (*visit)(nil)

func (v *visit) add(e ...executor.Event) error { v.out = append(v.out, e...); return nil }

// foreign reports whether a frame is of a run that is not this one.
func (v *visit) foreign(run string) bool { return run != "" && v.m.run != "" && run != v.m.run }

// nested reports whether a frame is of an agent that a call of the run started: what it
// says is not the run's own.
func nested(parent string) bool { return parent != "" }

// Init learns the ids.
func (v *visit) Init(f fakes.Init) error {
	if v.m.run == "" {
		v.m.run = f.Run
	}
	if f.Session != "" {
		v.m.session = &f.Session
	}
	if f.Model != "" {
		v.m.model = &f.Model
	}
	return v.add(executor.Status{Phase: executor.PhaseInit, Model: f.Model})
}

// Delta is an increment.
func (v *visit) Delta(f fakes.Delta) error {
	if v.foreign(f.Run) || nested(f.Parent) {
		return nil
	}
	key := f.Part + "\x00" + f.Msg
	if f.At != nil {
		return v.add(v.m.text.at(key, *f.At, f.Text)...)
	}
	return v.add(v.m.text.add(key, f.Text)...)
}

// Think is reasoning.
func (v *visit) Think(f fakes.Think) error {
	if f.Text == "" || nested(f.Parent) {
		return nil
	}
	return v.add(executor.TextDelta{Text: f.Text, Channel: executor.Reasoning})
}

// Snapshot is cumulative text.
func (v *visit) Snapshot(f fakes.Snapshot) error {
	return v.add(v.m.text.whole(f.Part+"\x00", f.Text)...)
}

// Final is a whole message.
func (v *visit) Final(f fakes.Final) error {
	if f.Text == nil || nested(f.Parent) || v.m.repeat.is(*f.Text) {
		return nil
	}
	key := "\x00" + f.Msg
	events := v.m.text.whole(key, *f.Text)
	v.m.text.end(key)
	return v.add(events...)
}

// ToolCall is a whole call.
func (v *visit) ToolCall(f fakes.ToolCall) error {
	if nested(f.Parent) {
		return nil
	}
	return v.add(v.m.calls.call(f)...)
}

// CallPart is a piece of a call.
func (v *visit) CallPart(f fakes.CallPart) error { return v.add(v.m.calls.piece(f)...) }

// Result answers a call.
func (v *visit) Result(f fakes.Result) error {
	if v.foreign(f.Run) || nested(f.Parent) {
		return nil
	}
	return v.add(v.m.calls.result(f)...)
}

// Usage is spend.
func (v *visit) Usage(f fakes.Usage) error {
	cost, ok := v.m.totals.delta(f)
	if !ok {
		return nil
	}
	cost.Model = v.m.model
	if f.Model != "" {
		cost.Model = &f.Model
	}
	v.m.spend.add(cost)
	return v.add(cost)
}

// End is the terminal frame.
func (v *visit) End(f fakes.End) error {
	if v.foreign(f.Run) {
		return nil
	}
	m := v.m
	v.out = append(v.out, m.calls.settle()...)
	switch {
	case m.aborted, f.Reason == fakes.EndAborted && !f.Error:
		return v.add(m.finish(executor.ReasonAborted, f.Text, executor.Error{})...)
	case f.Error:
		return v.add(m.finish(executor.ReasonError, "", failure(executor.CodeRuntime, f.Text))...)
	case f.Reason == fakes.EndLength:
		return v.add(m.finish(executor.ReasonError, "", failure(executor.CodeTokenLimit, f.Text))...)
	case f.Reason == fakes.EndRefusal, f.Reason == fakes.EndBudget:
		return v.add(m.finish(executor.ReasonError, "", failure(executor.CodeRuntime, f.Text))...)
	case f.Reason == fakes.EndMaxTurns:
		return v.add(m.finish(executor.ReasonMaxTurns, f.Text, executor.Error{})...)
	default:
		return v.add(m.finish(executor.ReasonSuccess, f.Text, executor.Error{})...)
	}
}

// failure is a fatal error with a text of its own if the runtime gave none.
func failure(code, message string) executor.Error {
	if message == "" {
		message = "the runtime reported a failure"
	}
	return executor.Error{Code: &code, Message: message, Fatal: true}
}

// Failure is an error frame.
func (v *visit) Failure(f fakes.Failure) error {
	if v.foreign(f.Run) {
		return nil
	}
	e := executor.Error{Message: f.Message, Fatal: f.Fatal}
	if f.Code != "" {
		e.Code = &f.Code
	}
	if !f.Fatal {
		return v.add(e)
	}
	if v.m.aborted {
		return v.add(v.m.finish(executor.ReasonAborted, "", executor.Error{})...)
	}
	return v.add(v.m.finish(executor.ReasonError, "", e)...)
}

// Turn is progress.
func (v *visit) Turn(f fakes.Turn) error {
	if v.foreign(f.Run) {
		return nil
	}
	switch f.State {
	case "thinking":
		return v.add(executor.Status{Phase: executor.PhaseThinking})
	case "turn-complete":
		return v.add(executor.Status{Phase: executor.PhaseTurnComplete})
	case "retry":
		return v.add(executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailRetry})
	case "text-end":
		v.m.text.endAll()
		return nil
	default:
		return v.add(executor.Status{Phase: executor.PhaseRunning})
	}
}

// Ask is an approval question.
func (v *visit) Ask(f fakes.Ask) error {
	return v.add(executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailApproval + ":" + f.ID})
}

// Native is a frame that no word covers: it never ends a run.
func (v *visit) Native(fakes.Native) error { return nil }

// Ack does not occur at this wire.
func (v *visit) Ack(fakes.Ack) error { return nil }

// Reject does not occur at this wire.
func (v *visit) Reject(fakes.Reject) error { return nil }

// Attempt does not occur at this wire.
func (v *visit) Attempt(fakes.Attempt) error { return nil }

// Log does not occur at this wire.
func (v *visit) Log(fakes.Log) error { return nil }

// Raw does not occur at this wire.
func (v *visit) Raw(fakes.Raw) error { return nil }

// Stderr does not occur at this wire.
func (v *visit) Stderr(fakes.Stderr) error { return nil }

// Exit does not occur at this wire.
func (v *visit) Exit(fakes.Exit) error { return nil }

// Cut reaches the adapter as the end of the wire.
func (v *visit) Cut(fakes.Cut) error { return nil }

// Silent reaches the adapter as nothing.
func (v *visit) Silent(fakes.Silent) error { return nil }

// Child does not occur at this wire.
func (v *visit) Child(fakes.Child) error { return nil }

// Ignore does not occur at this wire.
func (v *visit) Ignore(fakes.Ignore) error { return nil }
