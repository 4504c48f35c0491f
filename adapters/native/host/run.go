package host

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/adapters/native/host/worktree"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/rotation"
)

// runRequest is the body of run.
type runRequest struct {
	TaskID       string  `json:"taskId"`
	Assignee     *string `json:"assigneeAgentId"`
	RepoPath     string  `json:"repoPath"`
	Kind         string  `json:"kind"`
	Model        string  `json:"model"`
	MaxRotations *int    `json:"maxRotations"`
}

// maxAncestors is how deep a task may be below others to be run.
const maxAncestors = 2

// refusal is why a task was not run: a word, and the status that it has over HTTP.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

var (
	notFound      = &refusal{http.StatusNotFound, "not_found"}
	conflict      = &refusal{http.StatusConflict, "conflict"}
	tooDeep       = &refusal{http.StatusUnprocessableEntity, "too_deep"}
	noWorkspace   = &refusal{http.StatusUnprocessableEntity, "workspace_unavailable"}
	badAssignment = &refusal{http.StatusBadRequest, "invalid assigneeAgentId"}
)

// job is one task that is run.
type job struct {
	store  *store.Store
	task   store.Task
	agent  state.AgentConfig
	dir    string // where it works; empty is nowhere
	model  string
	rotate int // how often it may
}

// run runs a task and answers when it is over. A client that goes away ends it.
func (h *Host) run(w http.ResponseWriter, r *http.Request) {
	var q runRequest
	if !h.read(w, r, &q) {
		return
	}
	q.TaskID = strings.TrimSpace(q.TaskID)
	if q.TaskID == "" {
		refuse(w, http.StatusBadRequest, "taskId is required")
		return
	}
	done, open := h.enter()
	if !open {
		refuse(w, http.StatusServiceUnavailable, "the host is closing")
		return
	}
	defer done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()

	body, err := h.execute(ctx, q)
	var no *refusal
	switch {
	case errors.As(err, &no):
		refuse(w, no.status, no.reason)
	case err != nil:
		h.o.Log.Error("a task cannot be run", "error", err)
		refuse(w, http.StatusInternalServerError, failed)
	default:
		answer(w, http.StatusOK, body)
	}
}

// execute claims the task, runs it in its place, and writes back what came of it.
func (h *Host) execute(ctx context.Context, q runRequest) (object, error) {
	assignee := RuntimeID
	if q.Assignee != nil {
		assignee = *q.Assignee
	}
	if !isAgentID(assignee) {
		return nil, badAssignment
	}
	tasks, err := h.team()
	if err != nil {
		return nil, err
	}
	task, err := claimable(ctx, tasks, q.TaskID)
	if err != nil {
		return nil, err
	}
	agent, err := h.agents.config(ctx, assignee)
	if err != nil {
		return nil, err
	}
	// Runs of one agent share its files: one at a time.
	leave, err := h.places.enter(ctx, assignee)
	if err != nil {
		return nil, conflict
	}
	defer leave()
	if task, err = tasks.Claim(ctx, task.ID, assignee, RuntimeID); err != nil {
		return nil, storeError(err)
	}
	j := job{store: tasks, task: task, agent: agent, model: q.Model, rotate: rotation.Default().MaxRotations}
	if q.MaxRotations != nil {
		j.rotate = min(max(*q.MaxRotations, 0), j.rotate)
	}
	// What was claimed is reported or let go, also when the client is gone.
	after := context.WithoutCancel(ctx)
	if q.RepoPath != "" && !slices.Contains([]string{"research", "review"}, q.Kind) {
		tree, err := worktree.Open(ctx, q.RepoPath, h.path("worktrees"), task.ID)
		if err == nil {
			_, err = tasks.Locate(after, task.ID, tree.Dir, tree.Branch)
		}
		if err != nil {
			h.o.Log.Error("a task has no place to work", "task", task.ID, "error", err)
			_, err = tasks.Release(after, task.ID)
			return nil, errors.Join(noWorkspace, err)
		}
		j.dir = tree.Dir
	}
	end := h.drive(ctx, &j)
	task, err = tasks.Report(after, task.ID, store.Report{Outcome: end.outcome(), Summary: end.summary, AgentID: assignee, CostUSD: end.cost})
	if err != nil {
		return nil, err
	}
	h.o.Log.Info("run", "task", task.ID, "agent", assignee, "done", end.reason, "rotations", end.rotations, "budget", end.budget)
	return object{
		"ok": true, "runtimeId": RuntimeID, "execId": end.session, "doneReason": end.reason, "status": task.Status, "summary": end.summary,
		"costUsd": end.cost, "usedWorktree": j.dir != "", "budgetReached": end.budget, "rotations": end.rotations, "degradations": []string{},
	}, nil
}

// claimable is the task, if it may be run.
func claimable(ctx context.Context, tasks *store.Store, id string) (store.Task, error) {
	task, err := tasks.Task(ctx, id)
	if err != nil {
		return task, storeError(err)
	}
	above, err := tasks.Ancestors(ctx, id)
	if err == nil && len(above) > maxAncestors {
		err = tooDeep
	}
	return task, err
}

// storeError is a refusal where the store has one.
func storeError(err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return notFound
	case errors.Is(err, store.ErrConflict):
		return conflict
	}
	return err
}

// prompt is what a run is told of its task, beside the title.
func (j *job) prompt(note string) string {
	parts := []string{"# Task: " + j.task.Title}
	for _, p := range []string{j.task.Description, note} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "\n\n")
}

// opts are those of the n-th session of the job.
func (j *job) opts(key, note string) executor.StartOpts {
	return executor.StartOpts{
		AgentID: j.agentID(), SessionKey: key, Message: j.task.Title, Model: j.model, Context: j.prompt(note),
		ChildToolBlocklist: []string{"sessions_send"},
	}
}

// agentID is who has the task.
func (j *job) agentID() string { return cmp.Or(j.task.AssigneeAgentID, j.agent.ID) }

func (h *Host) path(name string) string { return filepath.Join(h.o.Home, name) }
