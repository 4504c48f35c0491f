package acp

import (
	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// outcome is what the wire said of how the turn ended.
type outcome int

const (
	outcomeNone outcome = iota
	outcomeCompleted
	outcomeMaxTurns
	outcomeFailed
	outcomeCancelled
)

// mapper turns what an agent says of its session into events without envelopes. It does
// no input or output and knows no time.
type mapper struct {
	// clean makes text of the agent fit for an error message: without secrets, bounded.
	clean func(string) string

	model    string // that the run asked for
	session  string // as told by the wire; empty until then
	resumed  string // that the run was to go on with
	lost     bool   // the agent does not have the session that it was to go on with
	live     bool   // the prompt was sent
	greeting []executor.Event

	bill    bill
	outcome outcome
	failure executor.Error // of a turn that failed

	said   speech
	meant  speech // reasoning
	tools  map[string]*tool
	held   []string // calls that are not told yet
	calls  oneshot.Calls
	unread oneshot.Unread
}

func newMapper(clean func(string) string, s state, model string) *mapper {
	return &mapper{
		clean: clean, resumed: s.Session, model: model, bill: bill{before: s.Cost}, tools: map[string]*tool{},
		said: speech{channel: executor.Assistant}, meant: speech{channel: executor.Reasoning},
	}
}

// adopt notes the session of the run. Where the agent cannot go on with the one it was
// to go on with, its count is new too.
func (m *mapper) adopt(session, model string, goesOn bool) {
	m.session = session
	if m.model != "" {
		model = m.model
	}
	m.greeting = []executor.Event{executor.Status{Phase: executor.PhaseInit, Model: model}}
	if m.resumed != "" && !goesOn {
		m.bill.before = nil
		m.greeting = append(m.greeting, m.trouble(executor.CodeRuntime, "the agent cannot go on with a session: this run begins a new one", false))
	}
}

// greet keeps what is told of the session until the turn tells something: a process that
// was only asked has not spoken.
func (m *mapper) greet(out []executor.Event) []executor.Event {
	if len(out) == 0 {
		return nil
	}
	greeting := m.greeting
	m.greeting = nil
	return append(greeting, out...)
}

// Session is the agent's.
func (m *mapper) Session() string { return m.session }

// ToolsOpen reports whether calls wait for their results.
func (m *mapper) ToolsOpen() bool { return m.calls.Open()+len(m.held) > 0 }

// Keep writes down what the wire told about the session. One that the agent does not have
// is forgotten, or the session could never start again: the failed run has told the host,
// and the next one begins a new session.
func (m *mapper) Keep(to *state) {
	switch {
	case m.lost:
		*to = state{}
	case m.session != "" && (m.live || m.session == m.resumed):
		*to = state{Session: m.session, Cost: m.bill.before}
	}
}

// updates has one reader per kind of update that is read. A reader reports whether the
// update could be read.
var updates = map[string]func(*mapper, jsontext.Value) ([]executor.Event, bool){
	"agent_message_chunk": func(m *mapper, u jsontext.Value) ([]executor.Event, bool) { return m.chunk(&m.said, u) },
	"agent_thought_chunk": func(m *mapper, u jsontext.Value) ([]executor.Event, bool) { return m.chunk(&m.meant, u) },
	"tool_call":           func(m *mapper, u jsontext.Value) ([]executor.Event, bool) { return m.tool(u, true) },
	"tool_call_update":    func(m *mapper, u jsontext.Value) ([]executor.Event, bool) { return m.tool(u, false) },
	"plan":                (*mapper).progressed,
	"current_mode_update": (*mapper).progressed,
}

// updated maps a session/update. What comes before the prompt is not of the run, and
// neither is what is of another session; what was spent before it is not spent by it.
func (m *mapper) updated(number int64, params jsontext.Value, live bool) []executor.Event {
	var n struct {
		Session string         `json:"sessionId"`
		Update  jsontext.Value `json:"update"`
	}
	var kind struct {
		Kind string `json:"sessionUpdate"`
	}
	if decode(params, &n) != nil || decode(n.Update, &kind) != nil {
		return m.unread.Malformed(number)
	}
	m.live = m.live || live
	look := updates[kind.Kind]
	switch {
	case m.session != "" && n.Session != "" && n.Session != m.session:
		return nil
	case kind.Kind == "usage_update":
		return m.spent(number, n.Update)
	case look == nil, !m.live, m.outcome == outcomeFailed, m.outcome == outcomeCancelled:
		return nil
	}
	out, ok := look(m, n.Update)
	if !ok {
		return append(out, m.unread.Malformed(number)...)
	}
	return out
}

// chunk maps a piece of a message. What is no text has no form in events.
func (m *mapper) chunk(s *speech, u jsontext.Value) ([]executor.Event, bool) {
	var c struct {
		Content jsontext.Value `json:"content"`
		Message jsontext.Value `json:"messageId"`
	}
	if decode(u, &c) != nil {
		return nil, false
	}
	kind, piece, ok := blockText(c.Content)
	if !ok || kind != "text" {
		return nil, ok
	}
	return append(m.release(), s.chunk(text(c.Message), piece)...), true
}

func (m *mapper) tool(u jsontext.Value, first bool) ([]executor.Event, bool) {
	var t toolUpdate
	if decode(u, &t) != nil || t.ID == "" {
		return nil, false
	}
	return m.tooled(&t, first), true
}

// progressed maps what shows that the turn goes on.
func (m *mapper) progressed(jsontext.Value) ([]executor.Event, bool) {
	return []executor.Event{executor.Status{Phase: executor.PhaseRunning}}, true
}

// trouble is an error of the agent.
func (m *mapper) trouble(code, message string, fatal bool) executor.Error {
	return oneshot.Failure(code, m.clean(message), fatal)
}

// fail notes how the turn failed. The first end decides the run.
func (m *mapper) fail(code, message string) []executor.Event {
	if message == "" {
		message = "the turn failed, no reason given"
	}
	if m.outcome != outcomeNone {
		return []executor.Event{m.trouble(code, message, false)}
	}
	m.outcome, m.failure = outcomeFailed, m.trouble(code, message, true)
	return nil
}

// stop maps the answer to the prompt.
func (m *mapper) stop(number int64, result jsontext.Value) []executor.Event {
	var r struct {
		Reason sdk.StopReason `json:"stopReason"`
		Usage  jsontext.Value `json:"usage"`
	}
	if decode(result, &r) != nil {
		return append(m.unread.Malformed(number), m.fail(executor.CodeRuntime, "the agent's answer to the prompt cannot be read")...)
	}
	var out []executor.Event
	switch r.Reason {
	case sdk.StopReasonEndTurn:
		out, m.outcome = m.release(), outcomeCompleted
	case sdk.StopReasonMaxTurnRequests:
		out, m.outcome = m.release(), outcomeMaxTurns
	case sdk.StopReasonCancelled:
		m.outcome = outcomeCancelled
	case sdk.StopReasonMaxTokens:
		out = append(m.release(), m.fail(executor.CodeTokenLimit, "the answer was cut at the limit of tokens")...)
	case sdk.StopReasonRefusal:
		out = m.fail(executor.CodeRuntime, "the agent refused to go on")
	default:
		out = m.fail(executor.CodeRuntime, "the agent ended the turn for a reason that this protocol does not have")
	}
	m.bill.count(r.Usage)
	return append(out, m.bill.present()...)
}

// finish closes what is open and gives the run its done.
func (m *mapper) finish(e oneshot.Ending, name string) []executor.Event {
	out := append(m.calls.Close(), m.bill.present()...)
	done := executor.Done{Usage: m.bill.spent, CostUSD: m.bill.cost(), Summary: m.said.latest()}
	switch {
	case e.Aborted, m.outcome == outcomeCancelled:
		done.Reason, done.Summary = executor.ReasonAborted, m.said.all.String()
	case m.outcome == outcomeCompleted:
		done.Reason = executor.ReasonSuccess
	case m.outcome == outcomeMaxTurns:
		done.Reason = executor.ReasonMaxTurns
	case m.outcome == outcomeFailed:
		done.Reason = executor.ReasonError
		out = append(out, m.failure)
	default:
		done.Reason = executor.ReasonError
		out = append(out, oneshot.Unended(name, e))
	}
	return append(out, done)
}
