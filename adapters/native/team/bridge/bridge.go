package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/server"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

// Session is a client of one server.
type Session struct {
	client *mcp.ClientSession
	server *mcp.ServerSession
}

// Connect connects to a server. The context bounds the call, not the session.
func Connect(ctx context.Context, srv *mcp.Server) (*Session, error) {
	here, there := mcp.NewInMemoryTransports()
	serving, err := srv.Connect(context.WithoutCancel(ctx), there, nil)
	if err != nil {
		return nil, fmt.Errorf("mcp server: %w", err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "adaptercheck-native", Version: server.Version}, nil)
	using, err := client.Connect(ctx, here, nil)
	if err != nil {
		serving.Close()
		return nil, fmt.Errorf("mcp client: %w", err)
	}
	return &Session{client: using, server: serving}, nil
}

// Close ends the session. Calls that are under way end first.
func (s *Session) Close() error {
	err := s.client.Close()
	if waited := s.server.Wait(); err == nil && waited != nil && !errors.Is(waited, mcp.ErrConnectionClosed) {
		err = waited
	}
	return err
}

// Tools lists the server's tools, in the order in which it lists them.
func (s *Session) Tools(ctx context.Context) ([]tool.Tool, error) {
	var all []tool.Tool
	for listed, err := range s.client.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("mcp tools: %w", err)
		}
		schema, err := json.Marshal(listed.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("mcp tool %s: its schema: %w", listed.Name, err)
		}
		all = append(all, served{s.client, tool.Definition{Name: listed.Name, Description: listed.Description, Schema: schema}})
	}
	return all, nil
}

// Merge is one list of tools out of several. Of tools of one name the first is taken.
func Merge(lists ...[]tool.Tool) []tool.Tool {
	var all []tool.Tool
	taken := map[string]bool{}
	for _, list := range lists {
		for _, each := range list {
			if name := each.Definition().Name; !taken[name] {
				taken[name] = true
				all = append(all, each)
			}
		}
	}
	return all
}

// served is a tool of a server.
type served struct {
	client     *mcp.ClientSession
	definition tool.Definition
}

func (s served) Definition() tool.Definition { return s.definition }

func (s served) Call(ctx context.Context, input json.RawMessage) tool.Result {
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	if !json.Valid(input) {
		return tool.Error("invalid args: not JSON")
	}
	res, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: s.definition.Name, Arguments: input})
	if err != nil {
		return tool.Error(err.Error())
	}
	why, _ := res.Meta[server.MetaDenied].(string)
	return tool.Result{Output: textOf(res.Content), IsError: res.IsError || why != "", Denied: why != ""}
}

// textOf is the content of a result as text. What is no text is shown as JSON.
func textOf(content []mcp.Content) string {
	parts := make([]string, len(content))
	for i, part := range content {
		if text, is := part.(*mcp.TextContent); is {
			parts[i] = text.Text
			continue
		}
		data, err := part.MarshalJSON()
		if err != nil {
			data = []byte(`{"type":"unknown"}`)
		}
		parts[i] = string(data)
	}
	return strings.Join(parts, "\n")
}
