package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// Claim gives a task that is to do to an agent; it is then in progress. Of several that claim it at once, in one process or in several, exactly
// one gets it and the others get [ErrConflict]. It is [ErrInvalid] without an agent.
func (s *Store) Claim(ctx context.Context, id, agentID, runtime string) (Task, error) {
	if strings.TrimSpace(agentID) == "" {
		return Task{}, fmt.Errorf("%w: a task is claimed by an agent", ErrInvalid)
	}
	return s.change(ctx, id, func(_ *sql.Tx, t *Task) error {
		if t.Status != Todo {
			return fmt.Errorf("task %q: %w", id, ErrConflict)
		}
		t.Status, t.AssigneeAgentID, t.AssigneeRuntime = InProgress, agentID, runtime
		return nil
	})
}

// Release takes a task that is in progress back to what is to do, for anybody. It is
// [ErrConflict] for one that is not in progress.
func (s *Store) Release(ctx context.Context, id string) (Task, error) {
	return s.change(ctx, id, func(_ *sql.Tx, t *Task) error {
		if t.Status != InProgress {
			return fmt.Errorf("task %q: %w", id, ErrConflict)
		}
		s.move(t, Todo)
		return nil
	})
}

// SetStatus moves a task to a status, as [CanGo] allows; else it is [ErrTransition].
// A task that goes back to todo is free again. Who delegated a task that ends here
// is told; see [Store.TakeUpdates].
func (s *Store) SetStatus(ctx context.Context, id string, to Status) (Task, error) {
	if !slices.Contains(Statuses(), to) {
		return Task{}, fmt.Errorf("%w: unknown status %q", ErrInvalid, to)
	}
	return s.change(ctx, id, func(tx *sql.Tx, t *Task) error {
		if !CanGo(t.Status, to) {
			return fmt.Errorf("task %q: %w from %s to %s", id, ErrTransition, t.Status, to)
		}
		if t.Status == to {
			return nil
		}
		worker := t.AssigneeAgentID
		s.move(t, to)
		if !to.Terminal() {
			return nil
		}
		summary, err := lastComment(ctx, tx, id)
		if err != nil {
			return err
		}
		return s.tell(ctx, tx, *t, worker, Outcome(to), summary)
	})
}

// move sets a status and what goes with it.
func (s *Store) move(t *Task, to Status) {
	t.Status = to
	if to == Todo {
		t.AssigneeAgentID, t.AssigneeRuntime = "", ""
	}
	if to.Terminal() {
		t.CompletedAt = s.stamp()
	}
}

// Unblock takes a blocked task back to what is to do. It is [ErrTransition] for one
// that is not blocked.
func (s *Store) Unblock(ctx context.Context, id string) (Task, error) {
	return s.change(ctx, id, func(_ *sql.Tx, t *Task) error {
		if t.Status != Blocked {
			return fmt.Errorf("task %q: %w: it is %s, not blocked", id, ErrTransition, t.Status)
		}
		s.move(t, Todo)
		return nil
	})
}
