package server

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

func openStore(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "team.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// client is a client of a server, over MCP.
type client struct {
	t       testing.TB
	session *mcp.ClientSession
}

func connect(t testing.TB, srv *mcp.Server) client {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	serving, err := srv.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		_ = serving.Wait()
	})
	return client{t, session}
}

// answerOf is what a client sees of an answer.
type answerOf struct {
	Text    string
	IsError bool
	Denied  string
}

func (c client) call(name, input string) answerOf {
	c.t.Helper()
	params := &mcp.CallToolParams{Name: name}
	if input != "" {
		params.Arguments = json.RawMessage(input)
	}
	res, err := c.session.CallTool(c.t.Context(), params)
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	if len(res.Content) != 1 {
		c.t.Fatalf("%s: %d contents", name, len(res.Content))
	}
	why, _ := res.Meta[MetaDenied].(string)
	return answerOf{res.Content[0].(*mcp.TextContent).Text, res.IsError, why}
}

// get calls a tool that answers with JSON, and reads it.
func (c client) get(into any, name, input string) {
	c.t.Helper()
	got := c.call(name, input)
	if got.IsError {
		c.t.Fatalf("%s: %s", name, got.Text)
	}
	if err := json.Unmarshal([]byte(got.Text), into); err != nil {
		c.t.Fatalf("%s: %v in %s", name, err, got.Text)
	}
}

func (c client) names() []string {
	c.t.Helper()
	var names []string
	for tool, err := range c.session.Tools(c.t.Context(), nil) {
		if err != nil {
			c.t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}
