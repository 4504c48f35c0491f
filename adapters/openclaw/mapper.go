package openclaw

import (
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// mapper turns the frames of one run into events without envelopes. It does no input
// or output and knows no time.
type mapper struct {
	// clean makes text of the gateway fit for a message: without secrets, bounded.
	clean func(string) string

	said  answer
	meant reasoning
	tools tools

	session string // the gateway's id for the session, as first told
	model   string // as last told
	phase   executor.Phase
	begun   bool // the gateway has said something of the run
	working bool // and that it is being worked on
	reply   string
	end     ending
}

func newMapper(clean func(string) string) *mapper { return &mapper{clean: clean} }

// begin says hello, once.
func (m *mapper) begin() []executor.Event {
	if m.begun {
		return nil
	}
	m.begun, m.phase = true, executor.PhaseInit
	return []executor.Event{executor.Status{Phase: executor.PhaseInit}}
}

// enter says that the run is in a phase, if that is new.
func (m *mapper) enter(p executor.Phase) []executor.Event {
	if m.phase == p {
		return nil
	}
	m.phase = p
	return []executor.Event{executor.Status{Phase: p}}
}

// chat maps a chat event. After the verdict it maps nothing.
func (m *mapper) chat(f *chatEvent) []executor.Event {
	if m.end.over() {
		return nil
	}
	out := m.begin()
	switch f.State {
	case "delta":
		m.working = true
		return append(out, m.said.event(f.Delta, f.Message, bool(f.Replace))...)
	case "final":
		return append(out, m.final(f)...)
	case "aborted":
		if s, is := said(f.Message); is {
			out = append(out, m.said.final(s)...)
		}
		m.end.aborted()
	case "error":
		m.end.failed(cause(f.Detail), m.clean(string(f.Failure)))
	}
	return out
}

// final maps the end of a run that was not stopped. One that ends without a message
// and was never worked on was swallowed: by an abort of its session, or by another run
// that took its message in.
func (m *mapper) final(f *chatEvent) []executor.Event {
	s, is := said(f.Message)
	var out []executor.Event
	if is && s != "" {
		m.working = true
		out = m.said.final(s)
		m.reply = s
	}
	m.end.finished(string(f.StopReason), is && s != "", m.working)
	return out
}

// agent maps an agent event. The text of its streams is that of the chat events, and
// is not told twice.
func (m *mapper) agent(f *agentEvent) []executor.Event {
	if m.end.over() {
		return nil
	}
	if m.session == "" {
		m.session = string(f.SessionID)
	}
	out := m.begin()
	switch f.Stream {
	case "lifecycle":
		var d lifecycle
		if read(f.Data, &d) {
			out = append(out, m.lifecycle(&d)...)
		}
	case "run_status":
		var d lifecycle
		if read(f.Data, &d) && d.Phase == "retrying" {
			out = append(out, m.retry())
		}
	case "assistant":
		m.working = true
	case "thinking", "reasoning":
		m.working = true
		var d thought
		if read(f.Data, &d) {
			out = append(out, m.meant.take(&d)...)
		}
	case "tool", "item", "command_output":
		var d toolData
		if read(f.Data, &d) {
			m.working = true
			out = append(out, m.tools.take(string(f.Stream), &d)...)
		}
	}
	return out
}

// retry tells that the model is asked again. It is progress: what is left out of the
// text by then is told with the next text.
func (m *mapper) retry() executor.Event {
	m.phase = executor.PhaseRunning
	return executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailRetry}
}

// lifecycle maps where a run stands. Its end and its errors are hints: the chat event
// that follows decides, where one does.
func (m *mapper) lifecycle(d *lifecycle) []executor.Event {
	switch d.Phase {
	case "start":
		m.working = true
		m.end.resumed()
		return m.enter(executor.PhaseRunning)
	case "model":
		return m.serves(d)
	case "fallback_step":
		m.end.exhausted = m.end.exhausted || d.Chain == "chain_exhausted"
	case "end":
		m.working = true
		var reply message
		if read(d.Reply, &reply) {
			m.reply = string(reply.Text)
		}
		switch {
		case bool(d.Aborted):
			m.end.hint(executor.ReasonAborted, "", "")
		case d.Failure != "":
			m.end.hint(executor.ReasonError, cause(d.Observed), m.clean(string(d.Failure)))
		default:
			m.end.hintEnd(string(d.StopReason))
		}
	case "error":
		reason := executor.ReasonError
		if d.Aborted {
			reason = executor.ReasonAborted
		}
		m.end.hint(reason, cause(d.Observed), m.clean(string(d.Failure)))
	}
	return nil
}

// serves tells the model that serves the run, where it is another one. None is told
// between two calls.
func (m *mapper) serves(d *lifecycle) []executor.Event {
	name := modelName(d.Provider, d.Model)
	if name == "" || name == m.model {
		return nil
	}
	m.model, m.phase = name, executor.PhaseRunning
	m.end.resumed()
	return []executor.Event{executor.Status{Phase: executor.PhaseRunning, Model: name}}
}

// modelName is a model as the gateway is asked for it.
func modelName(provider, model text) string {
	if provider == "" || model == "" {
		return string(model)
	}
	return string(provider + "/" + model)
}

// asks maps a question whether a tool may run.
func (m *mapper) asks(id string) []executor.Event {
	if m.end.over() {
		return nil
	}
	m.working = true
	return append(m.begin(), executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailApproval + ":" + id})
}

// mild maps something that went wrong and does not end the run.
func mild(code, message string) []executor.Event {
	return []executor.Event{oneshot.Failure(code, message, false)}
}

// finish ends the run as its verdict has it, or as aborted where the host asked for
// that. The rows are what the gateway wrote down of the run, nil where that is not
// known.
func (m *mapper) finish(rows []row, aborted bool) []executor.Event {
	out := m.tools.close()
	costs, spent := costs(rows)
	out = append(out, costs...)

	v := m.end.verdict
	if aborted {
		v = outcome{reason: executor.ReasonAborted}
	}
	done := executor.Done{Reason: v.reason, Summary: m.reply, Usage: spent.usage, CostUSD: spent.money()}
	if v.reason == executor.ReasonError {
		out = append(out, oneshot.Failure(v.code, v.message, true))
	}
	if done.Summary == "" || v.reason != executor.ReasonSuccess {
		done.Summary = m.said.told.String()
	}
	if done.Summary == "" {
		done.Summary = v.message
	}
	return append(out, done)
}
