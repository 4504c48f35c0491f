package codex

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// outcome is what the wire said of how the turn ended.
type outcome int

const (
	outcomeNone outcome = iota
	outcomeCompleted
	outcomeFailed
)

// mapper turns the lines of one process into events without envelopes. It does no
// input or output and knows no time.
type mapper struct {
	// clean makes text of the runtime fit for an error message: without secrets,
	// bounded. Nil leaves it.
	clean func(string) string
	// resumed is the thread this process was told to go on with, and before its
	// totals.
	resumed string
	before  totals

	thread   string // as told by the wire; empty until then
	spent    *executor.Usage
	outcome  outcome
	failure  string // text of turn.failed
	turnOpen bool

	// held is the text of a top-level error of which it is not known yet whether it
	// is the failure that follows.
	held *string

	said    strings.Builder // the assistant's text so far
	thought bool            // reasoning has been said
	last    string          // last whole message
	calls   oneshot.Calls
	repeat  repeat
	unread  oneshot.Unread
}

// repeat recognises an item that a reconnect made the runtime say twice.
type repeat struct {
	kind, text string // the last item, if nothing but reconnect notices followed
	retried    bool   // a notice followed
}

// line maps one line. The number is for error messages.
func (m *mapper) line(number int64, text []byte) []executor.Event {
	var f wireFrame
	if jsontext.Value(text).Kind() != '{' || decode(text, &f) != nil {
		return m.malformed(number)
	}
	return m.frame(number, f)
}

func (m *mapper) frame(number int64, f wireFrame) []executor.Event {
	kind, _ := text(f.Type)
	message := errorText(f.Error)
	if kind == "error" {
		message, _ = text(f.Message)
	}
	retry := kind == "error" && strings.HasPrefix(message, "Reconnecting...")
	var out []executor.Event
	if m.held != nil {
		if kind != "turn.failed" || message != *m.held {
			out = m.release()
		}
		m.held = nil
	}
	if !retry && kind != "item.completed" {
		m.repeat = repeat{}
	}
	switch kind {
	case "thread.started":
		return append(out, m.threadStarted(f.Thread)...)
	case "turn.started":
		m.turnOpen = true
		return append(out, executor.Status{Phase: executor.PhaseRunning})
	case "turn.completed":
		return append(out, m.turnCompleted(number, f.Usage)...)
	case "turn.failed":
		return append(out, m.turnFailed(message)...)
	case "item.started", "item.completed":
		return append(out, m.item(number, kind == "item.completed", f.Item)...)
	case "error":
		if retry {
			m.repeat.retried = true
			return append(out, executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailRetry})
		}
		m.held = &message
	}
	return out
}

// malformed reports a line that could not be read.
func (m *mapper) malformed(number int64) []executor.Event {
	out := m.release()
	m.repeat = repeat{}
	return append(out, m.unread.Malformed(number)...)
}

// release turns the held error into one that is not fatal.
func (m *mapper) release() []executor.Event {
	if m.held == nil {
		return nil
	}
	held := *m.held
	m.held = nil
	if held == "" {
		held = "the runtime reported an error, no text given"
	}
	return []executor.Event{oneshot.Failure(failureCode(held), m.tidy(held), false)}
}

func (m *mapper) threadStarted(id jsontext.Value) []executor.Event {
	thread, _ := text(id)
	if thread != "" && m.thread == "" {
		m.thread = thread
		if thread != m.resumed {
			// Codex began another thread than the one asked for: its count is new too.
			m.before = totals{}
		}
	}
	return []executor.Event{executor.Status{Phase: executor.PhaseInit}}
}

// turnCompleted is the terminal frame, and the only place where the wire counts
// tokens. Usage that cannot be read does not take the terminal with it.
func (m *mapper) turnCompleted(number int64, usage jsontext.Value) []executor.Event {
	m.turnOpen = false
	if m.outcome == outcomeNone {
		m.outcome = outcomeCompleted
	}
	if len(usage) == 0 || usage.Kind() == 'n' {
		return nil
	}
	var u wireUsage
	if decode(usage, &u) != nil {
		return m.malformed(number)
	}
	if u.Input == nil && u.Output == nil {
		return nil
	}
	now := totals{Input: value(u.Input), Cached: value(u.Cached), Output: value(u.Output)}
	if now.Input < 0 || now.Cached < 0 || now.Output < 0 {
		return m.malformed(number)
	}
	delta := now.since(m.before)
	m.before = now
	m.spent = oneshot.AddUsage(m.spent, delta)
	return []executor.Event{executor.Cost{Usage: delta}}
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// turnFailed is the other terminal frame. The first terminal decides the run; a
// failure after it is reported and no more.
func (m *mapper) turnFailed(message string) []executor.Event {
	m.turnOpen = false
	if message == "" {
		message = "the turn failed, no reason given"
	}
	if m.outcome != outcomeNone {
		return []executor.Event{oneshot.Failure(failureCode(message), m.tidy(message), false)}
	}
	m.outcome, m.failure = outcomeFailed, message
	return nil
}

// settled reports whether the runtime has said how the run ended and has nothing
// more announced.
func (m *mapper) settled() bool { return m.outcome != outcomeNone && !m.turnOpen }

// message maps a whole message or a whole piece of reasoning. Messages are parted
// by a blank line: the wire has none between them, and their words would run
// together.
func (m *mapper) message(kind string, body string) []executor.Event {
	if m.repeat.retried && m.repeat.kind == kind && m.repeat.text == body {
		m.repeat.retried = false
		return nil
	}
	m.repeat = repeat{kind: kind, text: body}
	if body == "" {
		return nil
	}
	delta := executor.TextDelta{Text: body, Channel: executor.Assistant}
	if kind == "reasoning" {
		delta.Channel = executor.Reasoning
		if m.thought {
			delta.Text = "\n\n" + body
		}
		m.thought = true
		return []executor.Event{delta}
	}
	if m.said.Len() > 0 {
		delta.Text = "\n\n" + body
	}
	m.said.WriteString(delta.Text)
	m.last = body
	return []executor.Event{delta}
}

func (m *mapper) tidy(s string) string {
	if m.clean == nil {
		return s
	}
	return m.clean(s)
}

// failureCode reads the code out of the prose, as the wire has none.
func failureCode(text string) string {
	text = strings.ToLower(text)
	for _, sign := range []string{"max_output_tokens", "context window", "context_length", "maximum context length"} {
		if strings.Contains(text, sign) {
			return executor.CodeTokenLimit
		}
	}
	return executor.CodeRuntime
}

// finish closes what is open and gives the run its done.
func (m *mapper) finish(e oneshot.Ending) []executor.Event {
	out := m.release()
	out = append(out, m.calls.Close()...)
	done := executor.Done{Usage: m.spent, CostUSD: executor.Null[float64](), Summary: m.last}
	switch {
	case e.Aborted:
		done.Reason, done.Summary = executor.ReasonAborted, m.said.String()
	case m.outcome == outcomeCompleted:
		done.Reason = executor.ReasonSuccess
	case m.outcome == outcomeFailed:
		done.Reason = executor.ReasonError
		out = append(out, oneshot.Failure(failureCode(m.failure), m.tidy(m.failure), true))
	default:
		done.Reason = executor.ReasonError
		out = append(out, oneshot.Unended(id, e))
	}
	return append(out, done)
}
