package team

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/server"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

// delegate hands work to a teammate: it makes a task of the team, and how that ends
// reaches the agent through its inbox.
type delegate struct {
	store *store.Store
	run   server.Run
}

func (delegate) Definition() tool.Definition {
	return tool.Definition{
		Name:        "delegate",
		Description: "Hand a piece of work to a teammate by name, who does it and reports back to you. One call per task.",
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"assignee":{"type":"string","description":"The teammate's name."},` +
			`"task":{"type":"string","description":"What is to be done, with all that a teammate must know who has not seen this conversation."}` +
			`},"required":["assignee","task"]}`),
	}
}

func (d delegate) Call(ctx context.Context, input json.RawMessage) tool.Result {
	var args struct {
		Assignee jsontext.Value `json:"assignee"`
		Task     jsontext.Value `json:"task"`
	}
	if len(input) > 0 {
		if err := strict.Unmarshal(input, &args); err != nil {
			return tool.Error("invalid args: expected a JSON object")
		}
	}
	assignee, task := said(args.Assignee), said(args.Task)
	if assignee == "" || task == "" {
		return tool.Error("delegate requires both an assignee (teammate name) and a task")
	}
	_, err := d.store.CreateTask(ctx, store.NewTask{
		Title: titleOf(task), Description: task, TeamID: d.run.TeamID, DelegatedBy: d.run.AgentID, DelegatedTo: assignee,
	})
	if err != nil {
		return tool.Error(fmt.Sprintf("not delegated: %v", err))
	}
	return tool.Result{Output: fmt.Sprintf("Delegated to %s: %s. They'll pick it up and report back when done.", assignee, task)}
}

// said is the string that a JSON value is, trimmed; empty is none.
func said(value jsontext.Value) string {
	var s string
	if value.Kind() != '"' || strict.Unmarshal(value, &s) != nil {
		return ""
	}
	return strings.TrimSpace(s)
}

// maxTitle is how long a title is that is made of a task, in characters.
const maxTitle = 80

// titleOf is the beginning of a task's first line.
func titleOf(task string) string {
	line, _, _ := strings.Cut(task, "\n")
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > maxTitle {
		return string(runes[:maxTitle]) + "…"
	}
	return line
}
