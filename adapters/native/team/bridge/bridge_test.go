package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/server"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

// srv is a server of tools that answer with what a test says.
func srv(name string, tools map[string]mcp.ToolHandler) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "0"}, nil)
	for tool, do := range tools {
		s.AddTool(&mcp.Tool{Name: tool, Description: "of " + name, InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}, do)
	}
	return s
}

func says(result *mcp.CallToolResult) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, nil }
}

func text(parts ...string) []mcp.Content {
	var all []mcp.Content
	for _, part := range parts {
		all = append(all, &mcp.TextContent{Text: part})
	}
	return all
}

func connect(t *testing.T, s *mcp.Server) (*Session, []tool.Tool) {
	t.Helper()
	session, err := Connect(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	tools, err := session.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return session, tools
}

func TestResults(t *testing.T) {
	for _, c := range []struct {
		name   string
		result *mcp.CallToolResult
		want   tool.Result
	}{
		{"text", &mcp.CallToolResult{Content: text("a")}, tool.Result{Output: "a"}},
		{"texts", &mcp.CallToolResult{Content: text("a", "", "b")}, tool.Result{Output: "a\n\nb"}},
		{"nothing", &mcp.CallToolResult{}, tool.Result{}},
		{"an error", &mcp.CallToolResult{Content: text("bad"), IsError: true}, tool.Result{Output: "bad", IsError: true}},
		{"denied", &mcp.CallToolResult{Content: text("denied: x"), IsError: true, Meta: mcp.Meta{server.MetaDenied: "x"}}, tool.Result{Output: "denied: x", IsError: true, Denied: true}},
		{"denied and no error", &mcp.CallToolResult{Content: text("denied: x"), Meta: mcp.Meta{server.MetaDenied: "x"}}, tool.Result{Output: "denied: x", IsError: true, Denied: true}},
		{"other meta", &mcp.CallToolResult{Content: text("a"), Meta: mcp.Meta{"denied": false, "x": 1}}, tool.Result{Output: "a"}},
		{"an image", &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte("x")}}}, tool.Result{Output: `{"type":"image","mimeType":"image/png","data":"eA=="}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, tools := connect(t, srv("s", map[string]mcp.ToolHandler{"t": says(c.result)}))
			if diff := cmp.Diff(c.want, tools[0].Call(t.Context(), nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefinitionAndInput(t *testing.T) {
	var got string
	_, tools := connect(t, srv("s", map[string]mcp.ToolHandler{"t": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got = string(r.Params.Arguments)
		return &mcp.CallToolResult{}, nil
	}}))
	d := tools[0].Definition()
	if d.Name != "t" || d.Description != "of s" || !strings.Contains(string(d.Schema), `"n":{"type":"integer"}`) {
		t.Errorf("%+v %s", d, d.Schema)
	}
	for input, want := range map[string]string{``: `{}`, `{"n":12345678901234567890}`: `{"n":12345678901234567890}`, `[1]`: `[1]`, `null`: `null`} {
		got = "never called"
		if res := tools[0].Call(t.Context(), json.RawMessage(input)); res.IsError || got != want {
			t.Errorf("%q arrives as %q, %+v", input, got, res)
		}
	}
	got = "never called"
	if res := tools[0].Call(t.Context(), json.RawMessage(`{"n":`)); res != tool.Error("invalid args: not JSON") || got != "never called" {
		t.Errorf("%+v, called with %q", res, got)
	}
}

// An error of the protocol is an answer to the model.
func TestProtocolError(t *testing.T) {
	_, tools := connect(t, srv("s", map[string]mcp.ToolHandler{"t": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("out of order")
	}}))
	if res := tools[0].Call(t.Context(), nil); !res.IsError || !strings.Contains(res.Output, "out of order") {
		t.Errorf("%+v", res)
	}
}

// A call ends with its context, on both sides.
func TestCancel(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error, 1)
	_, tools := connect(t, srv("s", map[string]mcp.ToolHandler{"t": func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		ended <- ctx.Err()
		return &mcp.CallToolResult{}, nil
	}}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if res := tools[0].Call(ctx, nil); !res.IsError {
		t.Errorf("%+v", res)
	}
	if err := <-ended; err == nil {
		t.Error("the tool was not told")
	}
}

// The session outlives the context that it was made under, and after Close its tools
// answer with errors.
func TestSessionLives(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	session, err := Connect(ctx, srv("s", map[string]mcp.ToolHandler{"t": says(&mcp.CallToolResult{Content: text("a")})}))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.Tools(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if res := tools[0].Call(t.Context(), nil); res.Output != "a" || res.IsError {
		t.Errorf("%+v", res)
	}
	for range 2 {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	if res := tools[0].Call(t.Context(), nil); !res.IsError {
		t.Errorf("after Close: %+v", res)
	}
	if _, err := session.Tools(t.Context()); err == nil {
		t.Error("tools after Close")
	}
}

func TestMerge(t *testing.T) {
	answer := func(s string) mcp.ToolHandler { return says(&mcp.CallToolResult{Content: text(s)}) }
	_, first := connect(t, srv("first", map[string]mcp.ToolHandler{"a": answer("1a"), "b": answer("1b")}))
	_, second := connect(t, srv("second", map[string]mcp.ToolHandler{"b": answer("2b"), "c": answer("2c")}))
	var got []string
	for _, each := range Merge(first, nil, second, first) {
		got = append(got, each.Definition().Name+" "+each.Call(t.Context(), nil).Output)
	}
	if diff := cmp.Diff([]string{"a 1a", "b 1b", "c 2c"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
