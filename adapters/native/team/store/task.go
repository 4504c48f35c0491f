package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Status is where a task stands.
type Status string

// The statuses of a task. Done and Cancelled are the end of it.
const (
	Backlog    Status = "backlog"
	Todo       Status = "todo"
	InProgress Status = "in_progress"
	InReview   Status = "in_review"
	Blocked    Status = "blocked"
	Done       Status = "done"
	Cancelled  Status = "cancelled"
)

// Statuses lists the statuses. The caller owns the slice.
func Statuses() []Status {
	return []Status{Backlog, Todo, InProgress, InReview, Blocked, Done, Cancelled}
}

// Terminal reports whether a task of this status is over.
func (s Status) Terminal() bool { return s == Done || s == Cancelled }

// next are the statuses that follow one.
var next = map[Status][]Status{
	Backlog:    {Todo, Blocked, Cancelled},
	Todo:       {InProgress, Blocked, Backlog, Cancelled},
	InProgress: {InReview, Done, Blocked, Todo, Cancelled},
	InReview:   {Done, InProgress, Blocked, Cancelled},
	Blocked:    {Todo, InProgress, Backlog, Cancelled},
}

// CanGo reports whether a task may go from one status to another. Staying is allowed.
func CanGo(from, to Status) bool { return from == to || slices.Contains(next[from], to) }

// Task is a piece of work. Empty strings are nothing, times are milliseconds since
// the epoch.
type Task struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Status      Status `json:"status"`
	// Priority orders ready tasks, the highest first.
	Priority int    `json:"priority"`
	TeamID   string `json:"teamId,omitempty"`
	// AssigneeAgentID is who has the task; empty while it is free.
	AssigneeAgentID string `json:"assigneeAgentId,omitempty"`
	AssigneeRuntime string `json:"assigneeRuntime,omitempty"`
	ParentTaskID    string `json:"parentTaskId,omitempty"`
	// DelegatedBy is the agent that is told how the task ended; DelegatedTo is the
	// name of the teammate that it was meant for.
	DelegatedBy string `json:"delegatedBy,omitempty"`
	DelegatedTo string `json:"delegatedTo,omitempty"`
	// WorktreeRef and BranchRef say where the work is.
	WorktreeRef string `json:"worktreeRef,omitempty"`
	BranchRef   string `json:"branchRef,omitempty"`
	// CostUSD is what its runs cost so far; nil is unknown.
	CostUSD     *float64 `json:"costUsd,omitempty"`
	CreatedAt   int64    `json:"createdAt"`
	UpdatedAt   int64    `json:"updatedAt"`
	CompletedAt int64    `json:"completedAt,omitempty"`
}

// NewTask is what a task is made of. Only the title is needed.
type NewTask struct {
	Title, Description string
	// Status is one of Backlog and Todo; empty is Todo.
	Status          Status
	Priority        int
	TeamID          string
	AssigneeRuntime string
	// ParentTaskID makes a subtask, which is of its parent's team unless it names one.
	ParentTaskID string
	// DelegatedBy and DelegatedTo make a delegation: see [Store.TakeUpdates].
	DelegatedBy, DelegatedTo string
}

const taskColumns = `id, title, description, status, priority, team_id, assignee_agent_id, assignee_runtime,
	parent_task_id, delegated_by, delegated_to, worktree_ref, branch_ref, cost_usd, created_at, updated_at, completed_at`

func scanTask(row scanner) (Task, error) {
	var t Task
	var cost sql.NullFloat64
	err := row.Scan(&t.ID, &t.Title, &t.Description, &t.Status, &t.Priority, &t.TeamID, &t.AssigneeAgentID, &t.AssigneeRuntime,
		&t.ParentTaskID, &t.DelegatedBy, &t.DelegatedTo, &t.WorktreeRef, &t.BranchRef, &cost, &t.CreatedAt, &t.UpdatedAt, &t.CompletedAt)
	if cost.Valid {
		t.CostUSD = &cost.Float64
	}
	return t, err
}

// taskOf is [ErrNotFound] where there is no such task.
func taskOf(ctx context.Context, q querier, id string) (Task, error) {
	t, err := scanTask(q.QueryRowContext(ctx, "SELECT "+taskColumns+" FROM tasks WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return Task{}, fmt.Errorf("task %q: %w", id, ErrNotFound)
	}
	return t, err
}

// CreateTask makes a task. It is [ErrInvalid] for a blank title or a status other
// than backlog and todo, [ErrNotFound] for a parent that there is not.
func (s *Store) CreateTask(ctx context.Context, n NewTask) (Task, error) {
	if strings.TrimSpace(n.Title) == "" {
		return Task{}, fmt.Errorf("%w: a task needs a title", ErrInvalid)
	}
	if n.Status == "" {
		n.Status = Todo
	}
	if n.Status != Todo && n.Status != Backlog {
		return Task{}, fmt.Errorf("%w: a new task is %q or %q, not %q", ErrInvalid, Todo, Backlog, n.Status)
	}
	var made Task
	err := s.write(ctx, func(tx *sql.Tx) error {
		if n.ParentTaskID != "" {
			parent, err := taskOf(ctx, tx, n.ParentTaskID)
			if err != nil {
				return err
			}
			if n.TeamID == "" {
				n.TeamID = parent.TeamID
			}
		}
		now := s.stamp()
		var err error
		made, err = scanTask(tx.QueryRowContext(ctx, `INSERT INTO tasks
			(id, title, description, status, priority, team_id, assignee_runtime, parent_task_id, delegated_by, delegated_to, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING `+taskColumns,
			newID(), n.Title, n.Description, n.Status, n.Priority, n.TeamID, n.AssigneeRuntime, n.ParentTaskID, n.DelegatedBy, n.DelegatedTo, now, now))
		return err
	})
	return made, err
}

// Task is the task of an id, or [ErrNotFound].
func (s *Store) Task(ctx context.Context, id string) (Task, error) { return taskOf(ctx, s.db, id) }

// Filter narrows a list of tasks. The zero value is all of them.
type Filter struct {
	// TeamID is the team whose tasks are wanted.
	TeamID string
	Status Status
	// Ready keeps tasks that are to do and depend on nothing that is not done.
	Ready bool
	// Limit is how many are wanted; 0 is all.
	Limit int
}

// Tasks lists tasks: ready ones by priority, all others by the time of their last
// change, the latest first.
func (s *Store) Tasks(ctx context.Context, f Filter) ([]Task, error) {
	where, args := []string{"1"}, []any{}
	if f.TeamID != "" {
		where, args = append(where, "team_id = ?"), append(args, f.TeamID)
	}
	if f.Status != "" {
		where, args = append(where, "status = ?"), append(args, f.Status)
	}
	order := "updated_at DESC, rowid DESC"
	if f.Ready {
		where, args = append(where, `status = ? AND NOT EXISTS (SELECT 1 FROM task_deps d JOIN tasks o ON o.id = d.depends_on_task_id
			WHERE d.task_id = tasks.id AND o.status <> ?)`), append(args, Todo, Done)
		order = "priority DESC, " + order
	}
	limit := f.Limit
	if limit <= 0 {
		limit = -1 // SQLite's word for all
	}
	return collect(ctx, s.db, scanTask, "SELECT "+taskColumns+" FROM tasks WHERE "+strings.Join(where, " AND ")+" ORDER BY "+order+" LIMIT ?", append(args, limit)...)
}

// Ancestors are the task's parent, its parent's parent and so on, in this order.
func (s *Store) Ancestors(ctx context.Context, id string) ([]Task, error) {
	// A file that was tampered with may hold a circle: each task comes once.
	all, seen := []Task{}, map[string]bool{id: true}
	task, err := s.Task(ctx, id)
	for err == nil && task.ParentTaskID != "" && !seen[task.ParentTaskID] {
		seen[task.ParentTaskID] = true
		if task, err = s.Task(ctx, task.ParentTaskID); err == nil {
			all = append(all, task)
		}
	}
	return all, err
}

// Link makes a task depend on another: it is not ready before that is done. It is
// [ErrCycle] where the other depends on it already, [ErrNotFound] for either. A link
// that there is stays as it is.
func (s *Store) Link(ctx context.Context, id, dependsOn string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, each := range []string{id, dependsOn} {
			if _, err := taskOf(ctx, tx, each); err != nil {
				return err
			}
		}
		var circle bool
		err := tx.QueryRowContext(ctx, `WITH RECURSIVE below (id) AS (
				SELECT ? UNION SELECT d.depends_on_task_id FROM task_deps d JOIN below b ON d.task_id = b.id)
			SELECT EXISTS (SELECT 1 FROM below WHERE id = ?)`, dependsOn, id).Scan(&circle)
		if err != nil {
			return err
		}
		if circle {
			return fmt.Errorf("%w: task %q on %q", ErrCycle, id, dependsOn)
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO task_deps (task_id, depends_on_task_id) VALUES (?, ?) ON CONFLICT DO NOTHING", id, dependsOn)
		return err
	})
}

// Locate notes where the work on a task is: a worktree and a branch, either empty
// for none.
func (s *Store) Locate(ctx context.Context, id, worktree, branch string) (Task, error) {
	return s.change(ctx, id, func(tx *sql.Tx, t *Task) error {
		t.WorktreeRef, t.BranchRef = worktree, branch
		return nil
	})
}

// change alters a task in one transaction and stamps it.
func (s *Store) change(ctx context.Context, id string, alter func(*sql.Tx, *Task) error) (Task, error) {
	var t Task
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if t, err = taskOf(ctx, tx, id); err != nil {
			return err
		}
		if err := alter(tx, &t); err != nil {
			return err
		}
		t.UpdatedAt = s.stamp()
		_, err = tx.ExecContext(ctx, `UPDATE tasks SET status = ?, assignee_agent_id = ?, assignee_runtime = ?, worktree_ref = ?,
			branch_ref = ?, cost_usd = ?, updated_at = ?, completed_at = ? WHERE id = ?`,
			t.Status, t.AssigneeAgentID, t.AssigneeRuntime, t.WorktreeRef, t.BranchRef, t.CostUSD, t.UpdatedAt, t.CompletedAt, id)
		return err
	})
	if err != nil {
		return Task{}, err
	}
	return t, nil
}
