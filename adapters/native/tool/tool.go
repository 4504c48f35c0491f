// Package tool says what a tool of the native runtime is: a definition that the
// model reads, and a call that answers with text.
//
// File tools, the tools of the in-process MCP servers and an importer's own tools
// are all values of [Tool]; the loop knows nothing else of them.
package tool

import (
	"context"
	"encoding/json"
)

// Definition is what the model is told of a tool.
type Definition struct {
	// Name is unique within a run: letters, digits, "_" and "-".
	Name string
	// Description says when to use the tool. May be empty.
	Description string
	// Schema is a JSON Schema of an object. Empty means an object with no properties.
	Schema json.RawMessage
}

// Result is the answer to one call.
type Result struct {
	// Output is what the model reads. May be empty.
	Output string
	// IsError says that the call failed; Output then says why.
	IsError bool
	// Denied says that a policy refused the call before it did anything. IsError is
	// then true as well, and Output is the reason.
	Denied bool
}

// Tool is one callable tool. Call must obey ctx and must not panic on any input:
// the input is whatever JSON the model wrote, or not JSON at all.
type Tool interface {
	Definition() Definition
	Call(ctx context.Context, input json.RawMessage) Result
}

// Error is the result of a call that failed for the reason given.
func Error(reason string) Result { return Result{Output: reason, IsError: true} }
