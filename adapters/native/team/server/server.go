package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Version is what the servers say of themselves.
const Version = "0.1.0"

// MetaDenied is the key in a result's _meta that holds why a policy refused a call.
const MetaDenied = "denied"

// Run is who acts through a server.
type Run struct {
	AgentID string
	TeamID  string // empty is none
}

// box is a server while tools are put into it.
type box struct {
	*mcp.Server
	names map[string]bool
}

func newBox(name string) box {
	b := box{mcp.NewServer(&mcp.Implementation{Name: name, Version: Version}, nil), map[string]bool{}}
	b.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			// A model that names a tool that there is not can mend that: it is told as of
			// any other mistake, and not by an error of the protocol.
			if call, ok := req.(*mcp.CallToolRequest); ok && call.Params != nil && !b.names[call.Params.Name] {
				return failure("unknown tool: " + call.Params.Name), nil
			}
			return next(ctx, method, req)
		}
	})
	return b
}

// denied is why a policy refused a call.
type denied string

func (d denied) Error() string { return "denied: " + string(d) }

// put puts a tool into a server. What do returns is the answer, and an error is told
// to the model.
func (b box) put(name, description string, schema *jsonschema.Schema, do func(ctx context.Context, raw []byte) (string, error)) {
	b.names[name] = true
	b.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: schema}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return answer(do(ctx, req.Params.Arguments)), nil
	})
}

// add puts a tool into a server whose schema is that of In, narrowed.
func add[In any](b box, name, description string, narrow func(map[string]*jsonschema.Schema), do func(context.Context, In) (string, error)) {
	schema, resolved := schemaOf[In](narrow)
	b.put(name, description, schema, func(ctx context.Context, raw []byte) (string, error) {
		in, err := arguments[In](raw, resolved)
		if err != nil {
			return "", err
		}
		return do(ctx, in)
	})
}

// schemaOf is the schema of a type of ours; that it has one is seen by every test.
func schemaOf[In any](narrow func(map[string]*jsonschema.Schema)) (*jsonschema.Schema, *jsonschema.Resolved) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err)
	}
	schema.AdditionalProperties = nil
	for _, p := range schema.Properties {
		if len(p.Types) > 0 { // a slice may be nil; not every provider takes a list of types
			p.Type, p.Types = p.Types[len(p.Types)-1], nil
		}
	}
	if narrow != nil {
		narrow(schema.Properties)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return schema, resolved
}

// arguments reads those of a call, if they are what the schema says.
func arguments[In any](raw []byte, schema *jsonschema.Resolved) (in In, err error) {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return in, errors.New("invalid args: not JSON, or with a name twice")
	}
	if err := schema.Validate(value); err != nil {
		return in, fmt.Errorf("invalid args: %w", err)
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, fmt.Errorf("invalid args: %w", err)
	}
	return in, nil
}

// answer is what a call came to.
func answer(output string, err error) *mcp.CallToolResult {
	if err == nil {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: output}}}
	}
	result := failure(err.Error())
	var why denied
	if errors.As(err, &why) {
		result.Meta = mcp.Meta{MetaDenied: string(why)}
	}
	return result
}

func failure(reason string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: reason}}, IsError: true}
}

// shown is a value as JSON for a model.
func shown(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(v, jsontext.WithIndent("  "))
	return string(text), err
}

// oneOf narrows a property to some words.
func oneOf[S ~string](property *jsonschema.Schema, words ...S) {
	for _, w := range words {
		property.Enum = append(property.Enum, string(w))
	}
}

// between narrows a property to a range.
func between(property *jsonschema.Schema, least, most float64) {
	property.Minimum, property.Maximum = &least, &most
}
