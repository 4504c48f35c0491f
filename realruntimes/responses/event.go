package responses

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Event is one event of an answer: the JSON text of its data, with its type in it.
type Event struct {
	Type string
	Data jsontext.Value
}

// object is the members of a JSON object.
type object map[string]any

// event makes an event of the members. They hold strings, numbers and objects of such
// alone, so that they can be written; bytes of text that are no UTF-8 are replaced.
func event(kind string, members object) Event {
	members["type"] = kind
	data, err := json.Marshal(members, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		panic("responses: an event cannot be written: " + err.Error())
	}
	return Event{Type: kind, Data: data}
}

// Usage counts the tokens of one answer. Input includes Cached, and Output includes
// Reasoning.
type Usage struct {
	Input, Cached, Output, Reasoning int64
}

// Created begins an answer.
func Created(response string) Event {
	return event("response.created", object{"response": object{"id": response}})
}

// MessageBegun announces a message that comes in pieces.
func MessageBegun(id string) Event {
	return event("response.output_item.added", object{"output_index": 0, "item": message(id)})
}

// Delta is a piece of a message that was announced.
func Delta(id, text string) Event {
	return event("response.output_text.delta", object{"item_id": id, "output_index": 0, "content_index": 0, "delta": text})
}

// Message is a whole message of the assistant.
func Message(id, text string) Event {
	return done(message(id, object{"type": "output_text", "text": text, "annotations": []any{}}))
}

func message(id string, content ...any) object {
	if content == nil {
		content = []any{}
	}
	return object{"type": "message", "role": "assistant", "id": id, "content": content}
}

// Reasoning is a whole piece of reasoning, as its summary.
func Reasoning(id, text string) Event {
	return done(object{"type": "reasoning", "id": id, "summary": []any{object{"type": "summary_text", "text": text}}})
}

// Call asks the client to use a function. Arguments are the JSON text of an object.
func Call(id, name, arguments string) Event {
	return done(object{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": name, "arguments": arguments})
}

func done(item object) Event {
	return event("response.output_item.done", object{"output_index": 0, "item": item})
}

// Completed ends an answer.
func Completed(response string, u Usage) Event {
	return event("response.completed", object{"response": object{"id": response, "usage": object{
		"input_tokens":          u.Input,
		"input_tokens_details":  object{"cached_tokens": u.Cached},
		"output_tokens":         u.Output,
		"output_tokens_details": object{"reasoning_tokens": u.Reasoning},
		"total_tokens":          u.Input + u.Output,
	}}})
}

// Incomplete ends an answer that a limit cut, as max_output_tokens.
func Incomplete(response, reason string) Event {
	return event("response.incomplete", object{"response": object{"id": response, "incomplete_details": object{"reason": reason}}})
}

// Failed ends an answer in an error.
func Failed(response, code, message string) Event {
	return event("response.failed", object{"response": object{"id": response, "error": object{"code": code, "message": message}}})
}
