package executor

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MarshalEvent writes the wire form: compact JSON, envelope first, then kind,
// then the kind's own fields in the order of the contract. A number that JSON
// cannot carry is an error.
func MarshalEvent(e Event) ([]byte, error) {
	w := &eventWriter{}
	w.buf.WriteByte('{')
	h := e.Head()
	w.str("runId", h.RunID)
	w.optional("sessionId", h.SessionID)
	w.integer("ts", h.TS)
	w.integer("seq", h.Seq)
	w.str("kind", string(e.Kind()))
	e.Accept(w)
	w.buf.WriteByte('}')
	if w.err != nil {
		return nil, fmt.Errorf("marshal %s event: %w", e.Kind(), w.err)
	}
	return w.buf.Bytes(), nil
}

// eventWriter is the visitor behind MarshalEvent.
type eventWriter struct {
	buf bytes.Buffer
	err error
}

func (w *eventWriter) key(name string) {
	if w.buf.Len() > 1 {
		w.buf.WriteByte(',')
	}
	w.buf.WriteByte('"')
	w.buf.WriteString(name)
	w.buf.WriteString(`":`)
}

func (w *eventWriter) quote(s string) {
	b, err := jsontext.AppendQuote(w.buf.AvailableBuffer(), s)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.buf.Write(b)
}

func (w *eventWriter) str(name, s string) { w.key(name); w.quote(s) }

func (w *eventWriter) optional(name string, s *string) {
	if s == nil {
		w.key(name)
		w.buf.WriteString("null")
		return
	}
	w.str(name, *s)
}

func (w *eventWriter) integer(name string, n int64) {
	w.key(name)
	w.buf.Write(strconv.AppendInt(w.buf.AvailableBuffer(), n, 10))
}

func (w *eventWriter) boolean(name string, b bool) {
	w.key(name)
	w.buf.Write(strconv.AppendBool(w.buf.AvailableBuffer(), b))
}

func (w *eventWriter) number(name string, f float64) {
	w.key(name)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if w.err == nil {
			w.err = fmt.Errorf("field %s is not a finite number", name)
		}
		return
	}
	b, err := json.Marshal(f)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.buf.Write(b)
}

func (w *eventWriter) money(name string, f *float64) {
	if f == nil {
		w.key(name)
		w.buf.WriteString("null")
		return
	}
	w.number(name, *f)
}

func (w *eventWriter) usage(u Usage) {
	w.key("usage")
	w.buf.WriteByte('{')
	inner := &eventWriter{}
	inner.buf.WriteByte('{')
	inner.integer("inputTokens", u.InputTokens)
	inner.integer("outputTokens", u.OutputTokens)
	if u.CachedInputTokens != nil {
		inner.integer("cachedInputTokens", *u.CachedInputTokens)
	}
	w.buf.Write(inner.buf.Bytes()[1:])
	w.buf.WriteByte('}')
}

// VisitTextDelta writes text and channel.
func (w *eventWriter) VisitTextDelta(e TextDelta) {
	w.str("text", e.Text)
	if e.Channel != "" {
		w.str("channel", string(e.Channel))
	}
}

// VisitToolCall writes toolCallId, name, input and partial.
func (w *eventWriter) VisitToolCall(e ToolCall) {
	w.str("toolCallId", e.ID)
	w.str("name", e.Name)
	w.key("input")
	input := jsontext.Value(e.Input)
	if len(input) == 0 {
		input = jsontext.Value("null")
	} else if err := input.Compact(); err != nil && w.err == nil {
		w.err = fmt.Errorf("field input: %w", err)
	}
	w.buf.Write(input)
	w.boolean("partial", e.Partial)
}

// VisitToolResult writes toolCallId, name, output and isError.
func (w *eventWriter) VisitToolResult(e ToolResult) {
	w.str("toolCallId", e.ID)
	w.str("name", e.Name)
	w.str("output", e.Output)
	w.boolean("isError", e.IsError)
}

// VisitStatus writes phase, model and detail.
func (w *eventWriter) VisitStatus(e Status) {
	w.str("phase", string(e.Phase))
	if e.Model != "" {
		w.str("model", e.Model)
	}
	if e.Detail != "" {
		w.str("detail", e.Detail)
	}
}

// VisitCost writes costUsd, usage, model and estimated.
func (w *eventWriter) VisitCost(e Cost) {
	w.money("costUsd", e.CostUSD)
	w.usage(e.Usage)
	w.optional("model", e.Model)
	if e.Estimated {
		w.boolean("estimated", true)
	}
}

// VisitDone writes reason, summary, usage and costUsd.
func (w *eventWriter) VisitDone(e Done) {
	w.str("reason", string(e.Reason))
	w.str("summary", e.Summary)
	if e.Usage != nil {
		w.usage(*e.Usage)
	}
	if usd, known := e.CostUSD.Get(); known {
		w.number("costUsd", usd)
	} else if e.CostUSD.Present() {
		w.key("costUsd")
		w.buf.WriteString("null")
	}
}

// VisitError writes code, message and fatal.
func (w *eventWriter) VisitError(e Error) {
	w.optional("code", e.Code)
	w.str("message", e.Message)
	w.boolean("fatal", e.Fatal)
}
