package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestListed(t *testing.T) {
	s := openStore(t)
	run := Run{AgentID: "a", TeamID: "t1"}
	key := func(string) string { return "k" }
	for _, c := range []struct {
		name, server string
		srv          *mcp.Server
		want         []string
	}{
		{"tasks, read", "native-tasks", NewTasks(s, run, ReadOnly), []string{"get_task", "list_tasks"}},
		{"tasks", "native-tasks", NewTasks(s, run, Full), []string{"add_comment", "assign_task", "block_task", "claim_task", "create_subtask", "create_task",
			"get_task", "link_task", "list_tasks", "release_task", "unblock_task", "update_task_status"}},
		{"memory", "native-memory", NewMemory(s.Memory(nil), run), []string{"memory_browse", "memory_save", "memory_search"}},
		{"tools", "native-tools", NewTools(ToolsOptions{Store: s, Run: run}), []string{"delete_path", "echo", "note"}},
		{"tools with a key", "native-tools", NewTools(ToolsOptions{Store: s, Run: run, Env: key}), []string{"delete_path", "echo", "note", "web_search"}},
		{"team chat", "native-teamchat", NewTeamChat(s, run), []string{"team_chat_post", "team_chat_subscribe"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			peer := connect(t, c.srv)
			if diff := cmp.Diff(c.want, peer.names()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := peer.session.InitializeResult().ServerInfo; got.Name != c.server || got.Version != "0.1.0" {
				t.Errorf("it says that it is %s %s", got.Name, got.Version)
			}
			for tool, err := range peer.session.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				if schema, _ := tool.InputSchema.(map[string]any); schema["type"] != "object" || tool.Description == "" {
					t.Errorf("%s: schema %v, description %q", tool.Name, tool.InputSchema, tool.Description)
				}
			}
		})
	}
}

// What a model gets wrong is an answer, and no error of the protocol.
func TestMistakes(t *testing.T) {
	s := openStore(t)
	tasks := connect(t, NewTasks(s, Run{AgentID: "a"}, ReadOnly))
	tools := connect(t, NewTools(ToolsOptions{Store: s, Run: Run{AgentID: "a"}}))
	for _, c := range []struct {
		name        string
		peer        client
		tool, input string
		want        string // with "..." for what the schema library says
	}{
		{"unknown tool", tasks, "nothing", `{}`, "unknown tool: nothing"},
		{"empty name", tasks, "", `{}`, "unknown tool: "},
		{"not for readers", tasks, "create_task", `{"title":"x"}`, "unknown tool: create_task"},
		{"not available", tools, "web_search", `{"query":"x"}`, "unknown tool: web_search"},
		{"argument missing", tasks, "get_task", `{}`, "invalid args: ..."},
		{"no arguments", tasks, "get_task", ``, "invalid args: ..."},
		{"null", tasks, "get_task", `{"taskId":null}`, "invalid args: ..."},
		{"wrong type", tasks, "get_task", `{"taskId":7}`, "invalid args: ..."},
		{"not an object", tasks, "get_task", `["x"]`, "invalid args: ..."},
		{"no such word", tasks, "list_tasks", `{"status":"finished"}`, "invalid args: ..."},
		{"no whole number", tasks, "list_tasks", `{"limit":1.5}`, "invalid args: ..."},
		{"out of range", tasks, "list_tasks", `{"limit":101}`, "invalid args: ..."},
		{"a name twice", tasks, "get_task", `{"taskId":"a","taskId":"b"}`, "invalid args: not JSON, or with a name twice"},
		{"blank", tools, "note", `{"note":" "}`, "invalid args: ..."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.peer.call(c.tool, c.input)
			head, open := strings.CutSuffix(c.want, "...")
			if !got.IsError || got.Denied != "" || !strings.HasPrefix(got.Text, head) || !open && got.Text != head {
				t.Errorf("%+v; want %q", got, c.want)
			}
		})
	}
	if got := tasks.call("list_tasks", `{"ready":true,"why":"curious","limit":100}`); got.IsError {
		t.Errorf("a key that is not known: %+v", got)
	}
	if got := tasks.call("list_tasks", ``); got.Text != "[]" {
		t.Errorf("an empty list: %+v", got)
	}
}

// Arguments that are no JSON cannot be sent over MCP; the reader of them is on its own.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"title":"x","priority":1}`, `{`, `null`, `{"title":"\ud800"}`, `{"title":"x","priority":1e400}`, strings.Repeat("[", 20000)} {
		f.Add(seed)
	}
	_, resolved := schemaOf[newTask](nil)
	f.Fuzz(func(t *testing.T, raw string) {
		in, err := arguments[newTask]([]byte(raw), resolved)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "invalid args: ") {
				t.Errorf("%v", err)
			}
			return
		}
		var value map[string]any
		if err := json.Unmarshal([]byte(raw), &value); raw != "" && (err != nil || value["title"] != in.Title) {
			t.Errorf("%q was read as %+v", raw, in)
		}
	})
}
