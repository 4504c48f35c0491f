package golden

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// events describes the wire form of every kind of event.
func events() []Shape {
	var shapes []Shape
	for _, kind := range executor.Kinds() {
		for _, e := range samples() {
			if e.Kind() != kind {
				continue
			}
			shape := Shape{Kind: string(kind)}
			if wire, err := executor.MarshalEvent(e); err == nil {
				shape.Fields = form(wire, readEvent)
			}
			shapes = append(shapes, shape)
		}
	}
	return shapes
}

func readEvent(v jsontext.Value) (problem, want string) {
	_, err := executor.UnmarshalEvent(v)
	if e, ok := errors.AsType[*executor.EventError](err); ok {
		return string(e.Problem), e.Want
	}
	return "", ""
}

// samples has one event of each kind, with every field set.
func samples() []executor.Event {
	head := executor.Envelope{RunID: "r", SessionID: new("s"), TS: 1, Seq: 1}
	usage := executor.Usage{InputTokens: 1, OutputTokens: 1, CachedInputTokens: new(int64(1))}
	return []executor.Event{
		executor.TextDelta{Envelope: head, Text: "t", Channel: executor.Assistant},
		executor.ToolCall{Envelope: head, ID: "i", Name: "n", Input: "{}", Partial: true},
		executor.ToolResult{Envelope: head, ID: "i", Name: "n", Output: "o", IsError: true},
		executor.Status{Envelope: head, Phase: executor.PhaseInit, Model: "m", Detail: "d"},
		executor.Cost{Envelope: head, CostUSD: new(1.5), Usage: usage, Model: new("m"), Estimated: true},
		executor.Done{Envelope: head, Reason: executor.ReasonSuccess, Summary: "s", Usage: &usage, CostUSD: executor.Value(1.5)},
		executor.Error{Envelope: head, Code: new("c"), Message: "m", Fatal: true},
	}
}
