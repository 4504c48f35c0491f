package pi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// messageStart begins an answer. One before it that was never finished, or failed and is
// asked for again, is taken back.
func (m *mapper) messageStart(f *frame) ([]executor.Event, bool) {
	var msg messageData
	if !read(f.Message, &msg) {
		return nil, false
	}
	if text(msg.Role) != "assistant" {
		return nil, true
	}
	if m.open || m.retried {
		m.said.again()
		m.meant.again()
	} else {
		m.said.settle()
		m.meant.settle()
	}
	m.open, m.retried, m.tools = true, false, nil
	return nil, true
}

// update maps what is new of an answer. The message so far, which older versions repeat
// with each piece, is not looked at.
func (m *mapper) update(f *frame) ([]executor.Event, bool) {
	var e answerEvent
	if !read(f.Event, &e) {
		return nil, false
	}
	m.open = true
	index := int(count(e.Index))
	switch text(e.Type) {
	case "text_delta":
		return m.said.delta(index, text(e.Delta)), true
	case "text_end":
		return m.said.whole(index, text(e.Content)), true
	case "thinking_delta":
		return append(m.enter(executor.PhaseThinking), m.meant.delta(index, text(e.Delta))...), true
	case "thinking_end":
		return m.meant.whole(index, text(e.Content)), true
	case "toolcall_end":
		var p part
		if !read(e.Call, &p) {
			return nil, false
		}
		if text(p.ID) == "" {
			return m.nameless(text(p.Name), p.Arguments)
		}
		return m.announce(text(p.ID), text(p.Name), p.Arguments)
	}
	return nil, true
}

// announce tells of a call, once. One that has its result and comes again as it was is
// told again; with another input it is another call.
func (m *mapper) announce(id, name string, input jsontext.Value) ([]executor.Event, bool) {
	if name == "" {
		return nil, false
	}
	what := inputOf(input)
	known, open := m.calls.Known(id)
	if open || known && m.answered[id] == what {
		return nil, true
	}
	m.tools = append(m.tools, id)
	if m.inputs == nil {
		m.inputs, m.answered = map[string]string{}, map[string]string{}
	}
	m.inputs[id] = what
	return []executor.Event{m.calls.Announce(id, name, executor.JSON(what))}, true
}

// nameless tells of a call that has no id. It gets one, and no result.
func (m *mapper) nameless(name string, input jsontext.Value) ([]executor.Event, bool) {
	m.unnamed++
	return m.announce(fmt.Sprintf("unnamed-%d", m.unnamed), name, input)
}

// messageEnd ends an answer: what it says in the end, what it has cost, and why the model
// stopped.
func (m *mapper) messageEnd(message jsontext.Value) ([]executor.Event, bool) {
	var msg messageData
	if !read(message, &msg) {
		return nil, false
	}
	at := string(msg.At)
	if text(msg.Role) != "assistant" || at != "" && at == m.told {
		return nil, true
	}
	m.told, m.open, m.saved = at, false, true
	m.stop, m.why = text(msg.Stop), text(msg.Failure)
	var out []executor.Event
	for i, v := range list(msg.Content) {
		var p part
		if !read(v, &p) {
			continue
		}
		switch text(p.Type) {
		case "text":
			out = append(out, m.said.whole(i, text(p.Text))...)
		case "thinking":
			out = append(out, m.meant.whole(i, text(p.Thinking))...)
		}
	}
	if m.stop == "error" || m.stop == "aborted" {
		// The tools that it calls will not be called.
		for _, id := range m.tools {
			out = append(out, m.calls.Answer(id, "the answer failed before the tool was called", true)...)
		}
	} else {
		m.said.settle()
		m.meant.settle()
	}
	m.tools = nil
	return append(out, m.spend(&msg)...), true
}

// turnEnd repeats the answer of the turn, which is how one is known whose own end could
// not be read.
func (m *mapper) turnEnd(f *frame) ([]executor.Event, bool) {
	if len(f.Message) == 0 {
		return nil, true
	}
	return m.messageEnd(f.Message)
}

// spend tells what an answer has cost. Pi computes the price from a list; where the list
// has none for the model, it says 0, which is no price.
func (m *mapper) spend(msg *messageData) []executor.Event {
	var u usageData
	var c costData
	if !read(msg.Usage, &u) {
		return nil
	}
	_ = read(u.Cost, &c)
	cached := count(u.CacheRead)
	usage := executor.Usage{InputTokens: count(u.In) + count(u.CacheWrite), OutputTokens: count(u.Out), CachedInputTokens: &cached}
	total := number(c.Total)
	if usage.InputTokens+usage.OutputTokens+cached == 0 && total == 0 {
		return nil
	}
	cost := executor.Cost{Usage: usage}
	if model := text(msg.Model); model != "" {
		cost.Model = &model
	}
	if total > 0 || isTrue(c.Provided) {
		cost.CostUSD = &total
		m.usd += total
	} else {
		m.unpriced = true
	}
	m.usage = oneshot.AddUsage(m.usage, usage)
	return []executor.Event{cost}
}

// execute notes that a tool works. Its call was told with the answer, unless that could
// not be read.
func (m *mapper) execute(f *frame) ([]executor.Event, bool) {
	if text(f.Call) == "" {
		return nil, true // it was told with the answer
	}
	return m.announce(text(f.Call), text(f.Tool), f.Args)
}

// executed gives the result of a tool.
func (m *mapper) executed(f *frame) ([]executor.Event, bool) {
	id := text(f.Call)
	if id == "" {
		return nil, true
	}
	if _, open := m.calls.Known(id); open {
		m.answered[id] = m.inputs[id]
	}
	var result struct {
		Content jsontext.Value `json:"content"`
	}
	_ = read(f.Result, &result) // one that cannot be read has no output
	m.tools = slices.DeleteFunc(m.tools, func(x string) bool { return x == id })
	return m.calls.Answer(id, output(result.Content), isTrue(f.IsError)), true
}

// output is the text of a tool's result, part by part. A part without a text is given as
// the JSON that it is.
func output(content jsontext.Value) string {
	var all []string
	for _, v := range list(content) {
		var p part
		if read(v, &p) && p.Text.Kind() == '"' {
			all = append(all, text(p.Text))
			continue
		}
		all = append(all, inputOf(v))
	}
	return strings.Join(all, "\n")
}

// trouble is an error of the runtime.
func (m *mapper) trouble(code, message string, fatal bool) executor.Error {
	if message == "" {
		message = "pi reported an error, no text given"
	}
	return oneshot.Failure(code, m.clean(message), fatal)
}

// fail notes why there is no run. The first reason is the run's.
func (m *mapper) fail(code, message string) {
	if m.failure == nil {
		e := m.trouble(code, message, true)
		m.failure = &e
	}
}

// finish closes what is open and gives the run its done.
func (m *mapper) finish(e oneshot.Ending) []executor.Event {
	v := m.verdict(e)
	var out []executor.Event
	if v.reason == executor.ReasonSuccess {
		out = append(m.said.conclude(), m.meant.conclude()...)
	}
	out = append(out, m.calls.Close()...)
	done := executor.Done{Reason: v.reason, Usage: m.usage, CostUSD: executor.Null[float64](), Summary: m.said.latest()}
	if m.usage != nil && !m.unpriced {
		done.CostUSD = executor.Value(m.usd)
	}
	if v.reason == executor.ReasonAborted {
		done.Summary = m.said.read()
	}
	if v.failure != nil {
		out = append(out, *v.failure)
		if done.Summary == "" {
			done.Summary = v.failure.Message
		}
	}
	return append(out, done)
}

// verdict is how a run ended.
type verdict struct {
	reason  executor.Reason
	failure *executor.Error
}

func (m *mapper) verdict(e oneshot.Ending) verdict {
	failed := func(err executor.Error) verdict { return verdict{executor.ReasonError, &err} }
	switch {
	case e.Aborted:
		return verdict{reason: executor.ReasonAborted}
	case m.failure != nil:
		return failed(*m.failure)
	case !m.ended || m.expects():
		return failed(oneshot.Unended("pi", e))
	}
	switch m.stop {
	case "":
		return failed(m.trouble(executor.CodeEmptyOutput, "pi ended the run without an answer of the model", true))
	case "aborted":
		return verdict{reason: executor.ReasonAborted}
	case "length":
		return failed(m.trouble(executor.CodeTokenLimit, "the answer was cut by a length limit", true))
	case "error":
		why := m.why
		if why == "" {
			why = "the model gave no answer, no reason given"
		}
		return failed(m.trouble(failureCode(why), why, true))
	}
	return verdict{reason: executor.ReasonSuccess}
}

// failureCode reads the code out of the prose, as the wire has none.
func failureCode(why string) string {
	why = strings.ToLower(why)
	for _, sign := range []string{"context window", "context_length", "maximum context length", "prompt is too long", "context overflow"} {
		if strings.Contains(why, sign) {
			return executor.CodeTokenLimit
		}
	}
	return executor.CodeRuntime
}
