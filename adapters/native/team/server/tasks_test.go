package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

func TestTaskTools(t *testing.T) {
	s := openStore(t)
	peer := connect(t, NewTasks(s, Run{AgentID: "me", TeamID: "t1"}, Full))
	var first, sub, second store.Task
	peer.get(&first, "create_task", `{"title":"first","description":"d","priority":2,"status":"todo","assigneeRuntime":"r"}`)
	peer.get(&sub, "create_subtask", fmt.Sprintf(`{"parentTaskId":%q,"title":"sub"}`, first.ID))
	peer.get(&second, "create_task", fmt.Sprintf(`{"title":"second","parentTaskId":%q,"status":"backlog"}`, first.ID))
	if first.TeamID != "t1" || first.Priority != 2 || first.Status != store.Todo || sub.ParentTaskID != first.ID || sub.TeamID != "t1" || second.Status != store.Backlog {
		t.Errorf("made %+v, %+v and %+v", first, sub, second)
	}
	id := strings.NewReplacer("FIRST", first.ID, "SUB", sub.ID, "SECOND", second.ID)

	for _, c := range []struct {
		tool, input string
		want        string // of a task its status and assignee
		failed      bool
	}{
		{"create_task", `{"title":"x","parentTaskId":"none"}`, "parent not found: none", true},
		{"create_subtask", `{"title":"x","parentTaskId":""}`, "parent not found: ", true},
		{"create_task", `{"title":" "}`, "invalid: a task needs a title", true},
		{"get_task", `{"taskId":"none"}`, "not found: none", true},
		{"claim_task", `{"taskId":"none"}`, "claim failed: not_found", true},
		{"claim_task", `{"taskId":"SECOND"}`, "claim failed: conflict", true},
		{"claim_task", `{"taskId":"FIRST"}`, "in_progress me", false},
		{"claim_task", `{"taskId":"FIRST"}`, "claim failed: conflict", true},
		{"assign_task", `{"taskId":"FIRST","assigneeAgentId":"you"}`, "claim failed: conflict", true},
		{"assign_task", `{"taskId":"SUB","assigneeAgentId":"you","assigneeRuntime":"r"}`, "in_progress you", false},
		{"release_task", `{"taskId":"SUB"}`, "released: SUB", false},
		{"release_task", `{"taskId":"SUB"}`, "release failed: conflict", true},
		{"release_task", `{"taskId":"none"}`, "release failed: not_found", true},
		{"claim_task", `{"taskId":"SUB","assigneeAgentId":"you"}`, "in_progress you", false},
		{"block_task", `{"taskId":"SUB"}`, "blocked you", false},
		{"unblock_task", `{"taskId":"FIRST"}`, "unblock failed: illegal_transition", true},
		{"unblock_task", `{"taskId":"SUB"}`, "todo ", false},
		{"unblock_task", `{"taskId":"none"}`, "unblock failed: not_found", true},
		{"link_task", `{"taskId":"SUB","dependsOnTaskId":"FIRST"}`, "linked: SUB depends on FIRST", false},
		{"link_task", `{"taskId":"FIRST","dependsOnTaskId":"SUB"}`, "linking FIRST to SUB would create a dependency cycle", true},
		{"link_task", `{"taskId":"FIRST","dependsOnTaskId":"none"}`, "not found: none", true},
		{"update_task_status", `{"taskId":"FIRST","status":"in_review"}`, "in_review me", false},
		{"update_task_status", `{"taskId":"FIRST","status":"todo"}`, "status change failed: illegal_transition", true},
		{"update_task_status", `{"taskId":"none","status":"done"}`, "status change failed: not_found", true},
		{"add_comment", `{"taskId":"none","body":"x"}`, "not found: none", true},
		{"add_comment", `{"taskId":"FIRST","body":""}`, "invalid: a comment needs a text", true},
		{"update_task_status", `{"taskId":"FIRST","status":"done"}`, "done me", false},
		{"block_task", `{"taskId":"FIRST"}`, "block failed: illegal_transition", true},
	} {
		if c.failed || strings.HasPrefix(c.want, "linked") || strings.HasPrefix(c.want, "released") {
			got := peer.call(c.tool, id.Replace(c.input))
			if diff := cmp.Diff(answerOf{Text: id.Replace(c.want), IsError: c.failed}, got); diff != "" {
				t.Errorf("%s %s: (-want +got):\n%s", c.tool, c.input, diff)
			}
			continue
		}
		var task store.Task
		peer.get(&task, c.tool, id.Replace(c.input))
		if got := string(task.Status) + " " + task.AssigneeAgentID; got != c.want {
			t.Errorf("%s %s: %q; want %q", c.tool, c.input, got, c.want)
		}
	}

	// A comment is in the name of the run, whatever the call says.
	var comment store.Comment
	peer.get(&comment, "add_comment", id.Replace(`{"taskId":"SUB","body":"hello","authorAgentId":"you","authorType":"user"}`))
	if comment.AuthorAgentID != "me" || comment.AuthorType != store.ByAgent {
		t.Errorf("%+v", comment)
	}
	var whole struct {
		Task      store.Task
		Comments  []store.Comment
		Ancestors []store.Task
	}
	peer.get(&whole, "get_task", id.Replace(`{"taskId":"SUB"}`))
	if whole.Task.ID != sub.ID || len(whole.Comments) != 1 || whole.Comments[0].Body != "hello" || len(whole.Ancestors) != 1 || whole.Ancestors[0].ID != first.ID {
		t.Errorf("%+v", whole)
	}
	var ready []store.Task
	peer.get(&ready, "list_tasks", `{"ready":true}`)
	if len(ready) != 1 || ready[0].ID != sub.ID {
		t.Errorf("ready: %+v", ready)
	}
}

// Tasks of another team are not there; those of none are.
func TestTasksOfOtherTeams(t *testing.T) {
	s := openStore(t)
	var of = map[string]string{}
	for _, team := range []string{"t1", "t2", ""} {
		task, err := s.CreateTask(t.Context(), store.NewTask{Title: "of " + team, TeamID: team})
		if err != nil {
			t.Fatal(err)
		}
		of[team] = task.ID
	}
	peer := connect(t, NewTasks(s, Run{AgentID: "me", TeamID: "t1"}, Full))
	for _, call := range []string{
		`get_task {"taskId":"ID"}`, `claim_task {"taskId":"ID"}`, `assign_task {"taskId":"ID","assigneeAgentId":"x"}`, `release_task {"taskId":"ID"}`,
		`update_task_status {"taskId":"ID","status":"cancelled"}`, `block_task {"taskId":"ID"}`, `unblock_task {"taskId":"ID"}`, `add_comment {"taskId":"ID","body":"x"}`,
		`create_subtask {"parentTaskId":"ID","title":"x"}`, `create_task {"parentTaskId":"ID","title":"x"}`, `link_task {"taskId":"ID","dependsOnTaskId":"OWN"}`,
		`link_task {"taskId":"OWN","dependsOnTaskId":"ID"}`,
	} {
		name, input, _ := strings.Cut(call, " ")
		input = strings.ReplaceAll(strings.ReplaceAll(input, "ID\"}", of["t2"]+"\"}"), "\"ID\"", "\""+of["t2"]+"\"")
		got := peer.call(name, strings.ReplaceAll(input, "OWN", of["t1"]))
		if !got.IsError || !strings.Contains(strings.ReplaceAll(got.Text, "_", " "), "not found") {
			t.Errorf("%s %s: %+v", name, input, got)
		}
	}
	if got := peer.call("get_task", fmt.Sprintf(`{"taskId":%q}`, of[""])); got.IsError {
		t.Errorf("a task of no team: %+v", got)
	}
	for input, want := range map[string]int{`{}`: 1, `{"teamId":"t1"}`: 1, `{"teamId":"t2"}`: 0} {
		var list []store.Task
		if peer.get(&list, "list_tasks", input); len(list) != want {
			t.Errorf("list_tasks %s: %+v", input, list)
		}
	}
	var made store.Task
	if peer.get(&made, "create_task", `{"title":"x","teamId":"t2"}`); made.TeamID != "t1" {
		t.Errorf("made for %s", made.TeamID)
	}

	// A run of no team sees all, and says whose a task is.
	host := connect(t, NewTasks(s, Run{AgentID: "me"}, Full))
	if host.get(&made, "create_task", `{"title":"x","teamId":"t2"}`); made.TeamID != "t2" {
		t.Errorf("made for %s", made.TeamID)
	}
	var list []store.Task
	if host.get(&list, "list_tasks", `{"teamId":"t2","limit":1}`); len(list) != 1 || list[0].TeamID != "t2" {
		t.Errorf("%+v", list)
	}
}
