package executor

import (
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// wireEvent holds every field of every kind, unread. A nil field is absent.
type wireEvent struct {
	RunID      jsontext.Value `json:"runId"`
	SessionID  jsontext.Value `json:"sessionId"`
	TS         jsontext.Value `json:"ts"`
	Seq        jsontext.Value `json:"seq"`
	Kind       jsontext.Value `json:"kind"`
	Text       jsontext.Value `json:"text"`
	Channel    jsontext.Value `json:"channel"`
	ToolCallID jsontext.Value `json:"toolCallId"`
	Name       jsontext.Value `json:"name"`
	Input      jsontext.Value `json:"input"`
	Partial    jsontext.Value `json:"partial"`
	Output     jsontext.Value `json:"output"`
	IsError    jsontext.Value `json:"isError"`
	Phase      jsontext.Value `json:"phase"`
	Model      jsontext.Value `json:"model"`
	Detail     jsontext.Value `json:"detail"`
	CostUSD    jsontext.Value `json:"costUsd"`
	Usage      jsontext.Value `json:"usage"`
	Estimated  jsontext.Value `json:"estimated"`
	Reason     jsontext.Value `json:"reason"`
	Summary    jsontext.Value `json:"summary"`
	Code       jsontext.Value `json:"code"`
	Message    jsontext.Value `json:"message"`
	Fatal      jsontext.Value `json:"fatal"`
}

// UnmarshalEvent reads the wire form. Unknown kinds, missing fields, wrong types
// and duplicate names are an [*EventError]; unknown fields are ignored.
func UnmarshalEvent(data []byte) (Event, error) {
	var wire wireEvent
	if jsontext.Value(data).Kind() != '{' {
		return nil, &EventError{Problem: ProblemType, Want: "a JSON object"}
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, &EventError{Problem: ProblemSyntax, Want: "one JSON object without duplicate names"}
	}
	r := &eventReader{}
	kind := Kind(r.str("kind", wire.Kind))
	r.kind = kind
	head := Envelope{
		RunID:     r.str("runId", wire.RunID),
		SessionID: r.nullable("sessionId", wire.SessionID),
		TS:        r.integer("ts", wire.TS),
		Seq:       r.integer("seq", wire.Seq),
	}
	if r.err != nil {
		return nil, r.err
	}
	var event Event
	switch kind {
	case KindTextDelta:
		event = TextDelta{head, r.str("text", wire.Text), Channel(r.enum("channel", wire.Channel, true, string(Assistant), string(Reasoning)))}
	case KindToolCall:
		event = ToolCall{head, r.str("toolCallId", wire.ToolCallID), r.str("name", wire.Name), r.any("input", wire.Input), r.boolean("partial", wire.Partial, false)}
	case KindToolResult:
		event = ToolResult{head, r.str("toolCallId", wire.ToolCallID), r.str("name", wire.Name), r.str("output", wire.Output), r.boolean("isError", wire.IsError, false)}
	case KindStatus:
		phase := r.enum("phase", wire.Phase, false, string(PhaseInit), string(PhaseThinking), string(PhaseRunning), string(PhaseTurnComplete))
		event = Status{head, Phase(phase), r.optionalStr("model", wire.Model), r.optionalStr("detail", wire.Detail)}
	case KindCost:
		cost := Cost{Envelope: head}
		if usd := r.money("costUsd", wire.CostUSD, false); usd.Present() {
			if v, known := usd.Get(); known {
				cost.CostUSD = &v
			}
		}
		cost.Usage = r.usage(wire.Usage)
		cost.Model = r.nullable("model", wire.Model)
		cost.Estimated = r.boolean("estimated", wire.Estimated, true)
		event = cost
	case KindDone:
		done := Done{Envelope: head}
		done.Reason = Reason(r.enum("reason", wire.Reason, false, string(ReasonSuccess), string(ReasonMaxTurns), string(ReasonAborted), string(ReasonError)))
		done.Summary = r.str("summary", wire.Summary)
		if wire.Usage != nil {
			u := r.usage(wire.Usage)
			done.Usage = &u
		}
		done.CostUSD = r.money("costUsd", wire.CostUSD, true)
		event = done
	case KindError:
		event = Error{head, r.nullable("code", wire.Code), r.str("message", wire.Message), r.boolean("fatal", wire.Fatal, false)}
	default:
		return nil, &EventError{Field: "kind", Problem: ProblemKind, Want: "one of the seven kinds"}
	}
	if r.err != nil {
		return nil, r.err
	}
	return event, nil
}

// eventReader reads fields and keeps the first error.
type eventReader struct {
	kind Kind
	err  error
}

func (r *eventReader) fail(field string, p Problem, want string) {
	if r.err == nil {
		r.err = &EventError{Kind: r.kind, Field: field, Problem: p, Want: want}
	}
}

// present fails on a field that is absent though required.
func (r *eventReader) present(field string, v jsontext.Value, want string) bool {
	if v == nil {
		r.fail(field, ProblemMissing, want)
		return false
	}
	return true
}

func (r *eventReader) str(field string, v jsontext.Value) string {
	if !r.present(field, v, "a string") {
		return ""
	}
	if v.Kind() != '"' {
		r.fail(field, ProblemType, "a string")
		return ""
	}
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		r.fail(field, ProblemValue, "a string of valid Unicode")
	}
	return string(b)
}

func (r *eventReader) optionalStr(field string, v jsontext.Value) string {
	if v == nil {
		return ""
	}
	return r.str(field, v)
}

func (r *eventReader) enum(field string, v jsontext.Value, optional bool, allowed ...string) string {
	if v == nil && optional {
		return ""
	}
	s := r.str(field, v)
	for _, a := range allowed {
		if s == a {
			return s
		}
	}
	r.fail(field, ProblemValue, fmt.Sprintf("one of %v", allowed))
	return s
}

func (r *eventReader) nullable(field string, v jsontext.Value) *string {
	if !r.present(field, v, "a string or null") || v.Kind() == 'n' {
		return nil
	}
	if v.Kind() != '"' {
		r.fail(field, ProblemType, "a string or null")
		return nil
	}
	s := r.str(field, v)
	return &s
}

func (r *eventReader) boolean(field string, v jsontext.Value, optional bool) bool {
	if v == nil && optional {
		return false
	}
	if !r.present(field, v, "a boolean") {
		return false
	}
	if k := v.Kind(); k != 't' && k != 'f' {
		r.fail(field, ProblemType, "a boolean")
	}
	return v.Kind() == 't'
}

func (r *eventReader) number(field string, v jsontext.Value, want string) float64 {
	if v.Kind() != '0' {
		r.fail(field, ProblemType, want)
		return 0
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		r.fail(field, ProblemValue, want)
	}
	return f
}

// maxSafe is the largest whole number that every JSON reader keeps exactly.
const maxSafe = 1<<53 - 1

func (r *eventReader) integer(field string, v jsontext.Value) int64 {
	const want = "a whole number"
	if !r.present(field, v, want) {
		return 0
	}
	f := r.number(field, v, want)
	if f != math.Trunc(f) || math.Abs(f) > maxSafe {
		r.fail(field, ProblemValue, want)
		return 0
	}
	return int64(f)
}

func (r *eventReader) money(field string, v jsontext.Value, optional bool) Nullable[float64] {
	const want = "a number or null"
	if v == nil && optional {
		return Nullable[float64]{}
	}
	if !r.present(field, v, want) {
		return Nullable[float64]{}
	}
	if v.Kind() == 'n' {
		return Null[float64]()
	}
	return Value(r.number(field, v, want))
}

func (r *eventReader) usage(v jsontext.Value) Usage {
	const want = "an object with inputTokens and outputTokens"
	if !r.present("usage", v, want) {
		return Usage{}
	}
	if v.Kind() != '{' {
		r.fail("usage", ProblemType, want)
		return Usage{}
	}
	var wire struct {
		In     jsontext.Value `json:"inputTokens"`
		Out    jsontext.Value `json:"outputTokens"`
		Cached jsontext.Value `json:"cachedInputTokens"`
	}
	if err := json.Unmarshal(v, &wire); err != nil {
		r.fail("usage", ProblemSyntax, want)
		return Usage{}
	}
	u := Usage{
		InputTokens:  r.integer("usage.inputTokens", wire.In),
		OutputTokens: r.integer("usage.outputTokens", wire.Out),
	}
	if wire.Cached != nil {
		n := r.integer("usage.cachedInputTokens", wire.Cached)
		u.CachedInputTokens = &n
	}
	return u
}

func (r *eventReader) any(field string, v jsontext.Value) JSON {
	if !r.present(field, v, "any JSON value") {
		return ""
	}
	return JSON(v)
}
