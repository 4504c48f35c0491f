package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

// Access says how far an agent may go with tasks.
type Access string

// The closed set of access. The zero value is none.
const (
	None     Access = ""
	ReadOnly Access = "read"
	Full     Access = "full"
)

// maxTasks is how many tasks are listed at most, and listed unless asked otherwise.
const maxTasks = 100

type (
	listTasks struct {
		TeamID string       `json:"teamId,omitempty" jsonschema:"Team whose tasks are wanted. Your own if absent."`
		Status store.Status `json:"status,omitempty" jsonschema:"Only tasks of this status."`
		Ready  bool         `json:"ready,omitempty" jsonschema:"Only tasks that can be claimed: to do, with all that they depend on done."`
		Limit  int          `json:"limit,omitempty" jsonschema:"How many at most."`
	}
	oneTask struct {
		TaskID string `json:"taskId"`
	}
	newTask struct {
		Title           string       `json:"title"`
		Description     string       `json:"description,omitempty"`
		Status          store.Status `json:"status,omitempty" jsonschema:"backlog to leave it for later."`
		Priority        int          `json:"priority,omitempty" jsonschema:"Higher comes first."`
		TeamID          string       `json:"teamId,omitempty"`
		ParentTaskID    string       `json:"parentTaskId,omitempty"`
		AssigneeRuntime string       `json:"assigneeRuntime,omitempty"`
	}
	newSubtask struct {
		ParentTaskID string `json:"parentTaskId"`
		Title        string `json:"title"`
		Description  string `json:"description,omitempty"`
	}
	claimTask struct {
		TaskID          string `json:"taskId"`
		AssigneeAgentID string `json:"assigneeAgentId,omitempty" jsonschema:"You if absent."`
		AssigneeRuntime string `json:"assigneeRuntime,omitempty"`
	}
	assignTask struct {
		TaskID          string `json:"taskId"`
		AssigneeAgentID string `json:"assigneeAgentId"`
		AssigneeRuntime string `json:"assigneeRuntime,omitempty"`
	}
	moveTask struct {
		TaskID string       `json:"taskId"`
		Status store.Status `json:"status"`
	}
	newComment struct {
		TaskID string `json:"taskId"`
		Body   string `json:"body"`
	}
	linkTask struct {
		TaskID          string `json:"taskId"`
		DependsOnTaskID string `json:"dependsOnTaskId"`
	}
)

// tasks is what the tools of the server work on.
type tasks struct {
	store *store.Store
	run   Run
}

// NewTasks is the server of tasks. With ReadOnly it has list_tasks and get_task only.
func NewTasks(s *store.Store, run Run, access Access) *mcp.Server {
	b, t := newBox("native-tasks"), tasks{s, run}
	add(b, "list_tasks", "List tasks of the team. Pass ready=true for those that can be claimed.", func(p map[string]*jsonschema.Schema) {
		oneOf(p["status"], store.Statuses()...)
		between(p["limit"], 1, maxTasks)
	}, t.list)
	add(b, "get_task", "Get a task with its comments and the tasks above it.", nil, t.get)
	if access != Full {
		return b.Server
	}
	add(b, "create_task", "Create a task, below another one if parentTaskId is set.", func(p map[string]*jsonschema.Schema) {
		oneOf(p["status"], store.Todo, store.Backlog)
	}, t.create)
	add(b, "create_subtask", "Create a task below another one, in its team.", nil, t.createSubtask)
	add(b, "claim_task", "Take a task that is to do. A conflict means that another agent has it: do not try again.", nil, t.claim)
	add(b, "assign_task", "Give a task that is to do to an agent. A conflict means that one has it: do not try again.", nil, t.assign)
	add(b, "release_task", "Give a task in progress back, for anybody to take.", nil, t.release)
	add(b, "update_task_status", "Move a task to another status.", func(p map[string]*jsonschema.Schema) {
		oneOf(p["status"], store.Statuses()...)
	}, t.move)
	add(b, "block_task", "Mark a task as blocked.", nil, t.block)
	add(b, "unblock_task", "Take a blocked task back to what is to do.", nil, t.unblock)
	add(b, "add_comment", "Add a comment to a task, in your name.", nil, t.comment)
	add(b, "link_task", "Make a task depend on another: it is not ready before that one is done.", nil, t.link)
	return b.Server
}

func (t tasks) list(ctx context.Context, in listTasks) (string, error) {
	team := cmp.Or(t.run.TeamID, in.TeamID)
	if in.TeamID != "" && in.TeamID != team {
		return shown([]store.Task{}, nil) // another team's, as if there were none
	}
	return shown(t.store.Tasks(ctx, store.Filter{TeamID: team, Status: in.Status, Ready: in.Ready, Limit: cmp.Or(in.Limit, maxTasks)}))
}

// visible finds a task unless it is another team's.
func (t tasks) visible(ctx context.Context, id string) (store.Task, error) {
	task, err := t.store.Task(ctx, id)
	if err == nil && t.run.TeamID != "" && task.TeamID != "" && task.TeamID != t.run.TeamID {
		return store.Task{}, store.ErrNotFound
	}
	return task, err
}

// what says why something failed, after what did.
func what(failed string, err error) error {
	for _, known := range []struct {
		is  error
		why string
	}{
		{store.ErrNotFound, "not_found"}, {store.ErrConflict, "conflict"}, {store.ErrTransition, "illegal_transition"},
	} {
		if errors.Is(err, known.is) {
			return fmt.Errorf("%s failed: %s", failed, known.why)
		}
	}
	return fmt.Errorf("%s failed: %w", failed, err)
}

// missing says that something is not there, in the words for it.
func missing(words, id string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%s: %s", words, id)
	}
	return err
}

func (t tasks) get(ctx context.Context, in oneTask) (string, error) {
	task, err := t.visible(ctx, in.TaskID)
	if err != nil {
		return "", missing("not found", in.TaskID, err)
	}
	comments, err := t.store.Comments(ctx, in.TaskID)
	if err != nil {
		return "", err
	}
	above, err := t.store.Ancestors(ctx, in.TaskID)
	return shown(map[string]any{"task": task, "comments": comments, "ancestors": above}, err)
}

func (t tasks) create(ctx context.Context, in newTask) (string, error) {
	if in.ParentTaskID != "" {
		if _, err := t.visible(ctx, in.ParentTaskID); err != nil {
			return "", missing("parent not found", in.ParentTaskID, err)
		}
	}
	return shown(t.store.CreateTask(ctx, store.NewTask{
		Title: in.Title, Description: in.Description, Status: in.Status, Priority: in.Priority,
		TeamID: cmp.Or(t.run.TeamID, in.TeamID), ParentTaskID: in.ParentTaskID, AssigneeRuntime: in.AssigneeRuntime,
	}))
}

func (t tasks) createSubtask(ctx context.Context, in newSubtask) (string, error) {
	if in.ParentTaskID == "" {
		return "", missing("parent not found", "", store.ErrNotFound)
	}
	parent, err := t.visible(ctx, in.ParentTaskID)
	if err != nil {
		return "", missing("parent not found", in.ParentTaskID, err)
	}
	return shown(t.store.CreateTask(ctx, store.NewTask{
		Title: in.Title, Description: in.Description, TeamID: cmp.Or(parent.TeamID, t.run.TeamID), ParentTaskID: parent.ID,
	}))
}

func (t tasks) claim(ctx context.Context, in claimTask) (string, error) {
	return t.give(ctx, in.TaskID, cmp.Or(in.AssigneeAgentID, t.run.AgentID), in.AssigneeRuntime)
}

func (t tasks) assign(ctx context.Context, in assignTask) (string, error) {
	return t.give(ctx, in.TaskID, in.AssigneeAgentID, in.AssigneeRuntime)
}

func (t tasks) give(ctx context.Context, id, agent, runtime string) (string, error) {
	return t.change(ctx, "claim", id, func() (store.Task, error) { return t.store.Claim(ctx, id, agent, runtime) })
}

// change does something with a task that is visible, and shows what became of it.
func (t tasks) change(ctx context.Context, doing, id string, do func() (store.Task, error)) (string, error) {
	task, err := t.visible(ctx, id)
	if err == nil {
		task, err = do()
	}
	if err != nil {
		return "", what(doing, err)
	}
	return shown(task, nil)
}

func (t tasks) release(ctx context.Context, in oneTask) (string, error) {
	_, err := t.change(ctx, "release", in.TaskID, func() (store.Task, error) { return t.store.Release(ctx, in.TaskID) })
	return "released: " + in.TaskID, err
}

func (t tasks) move(ctx context.Context, in moveTask) (string, error) {
	return t.change(ctx, "status change", in.TaskID, func() (store.Task, error) { return t.store.SetStatus(ctx, in.TaskID, in.Status) })
}

func (t tasks) block(ctx context.Context, in oneTask) (string, error) {
	return t.change(ctx, "block", in.TaskID, func() (store.Task, error) { return t.store.SetStatus(ctx, in.TaskID, store.Blocked) })
}

func (t tasks) unblock(ctx context.Context, in oneTask) (string, error) {
	return t.change(ctx, "unblock", in.TaskID, func() (store.Task, error) { return t.store.Unblock(ctx, in.TaskID) })
}

func (t tasks) comment(ctx context.Context, in newComment) (string, error) {
	if _, err := t.visible(ctx, in.TaskID); err != nil {
		return "", missing("not found", in.TaskID, err)
	}
	return shown(t.store.AddComment(ctx, in.TaskID, in.Body, store.ByAgent, t.run.AgentID))
}

func (t tasks) link(ctx context.Context, in linkTask) (string, error) {
	for _, id := range []string{in.TaskID, in.DependsOnTaskID} {
		if _, err := t.visible(ctx, id); err != nil {
			return "", missing("not found", id, err)
		}
	}
	err := t.store.Link(ctx, in.TaskID, in.DependsOnTaskID)
	if errors.Is(err, store.ErrCycle) {
		return "", fmt.Errorf("linking %s to %s would create a dependency cycle", in.TaskID, in.DependsOnTaskID)
	}
	return fmt.Sprintf("linked: %s depends on %s", in.TaskID, in.DependsOnTaskID), err
}
