package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// Outcome says how work on a task ended.
type Outcome string

// The outcomes. Of a task that an agent itself moved on, and of one that its run left
// as something else than done, it is the status.
const (
	Succeeded Outcome = "done"
	Withdrawn Outcome = "cancelled"
	Failed    Outcome = "error"
	Aborted   Outcome = "aborted"
	MaxTurns  Outcome = "max_turns"
)

// Report is what a run on a task came to.
type Report struct {
	Outcome Outcome
	// Summary becomes a comment by the agent; empty is none.
	Summary string
	// AgentID is the agent that ran.
	AgentID string
	// CostUSD is added to what the task cost; nil is unknown and adds nothing.
	CostUSD *float64
}

// Report writes a run's result back, in one transaction. After a success the task is
// done; after any other outcome one that is in progress is to do again, for anybody.
// Where the agent itself moved the task on to another status, that stands. Who
// delegated the task is told; see [Store.TakeUpdates].
func (s *Store) Report(ctx context.Context, taskID string, r Report) (Task, error) {
	if !slices.Contains([]Outcome{Succeeded, Failed, Aborted, MaxTurns}, r.Outcome) {
		return Task{}, fmt.Errorf("%w: unknown outcome %q of a run", ErrInvalid, r.Outcome)
	}
	return s.change(ctx, taskID, func(tx *sql.Tx, t *Task) error {
		over := t.Status.Terminal()
		if r.Outcome == Succeeded && !over && CanGo(t.Status, Done) {
			s.move(t, Done)
		}
		if r.Outcome != Succeeded && t.Status == InProgress {
			s.move(t, Todo)
		}
		if r.CostUSD != nil {
			sum := *r.CostUSD
			if t.CostUSD != nil {
				sum += *t.CostUSD
			}
			t.CostUSD = &sum
		}
		if r.Summary != "" {
			if _, err := s.comment(ctx, tx, taskID, r.Summary, ByAgent, r.AgentID); err != nil {
				return err
			}
		}
		if over {
			return s.amend(ctx, tx, taskID, r.Summary)
		}
		outcome := r.Outcome
		if outcome == Succeeded && t.Status != Done {
			outcome = Outcome(t.Status)
		}
		return s.tell(ctx, tx, *t, r.AgentID, outcome, r.Summary)
	})
}

// Update is how a delegated task ended, for the agent that delegated it.
type Update struct {
	TaskID, Title string
	// Worker is who had the task: the name that it was delegated to, else the agent.
	Worker  string
	Outcome Outcome
	// Summary is what the worker said last; may be empty.
	Summary string
}

// tell puts an update into the inbox of who delegated the task. One that was not
// fetched yet is replaced.
func (s *Store) tell(ctx context.Context, tx *sql.Tx, t Task, worker string, o Outcome, summary string) error {
	if t.DelegatedBy == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO inbox (agent_id, team_id, task_id, title, worker, outcome, summary, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (task_id) WHERE delivered_at = 0 DO UPDATE SET worker = excluded.worker, outcome = excluded.outcome,
			summary = excluded.summary, created_at = excluded.created_at`,
		t.DelegatedBy, t.TeamID, t.ID, t.Title, cmp.Or(t.DelegatedTo, worker), o, Clean(summary), s.stamp())
	return err
}

// amend gives an update that was not fetched yet a better summary.
func (s *Store) amend(ctx context.Context, tx *sql.Tx, taskID, summary string) error {
	if summary == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE inbox SET summary = ? WHERE task_id = ? AND delivered_at = 0", Clean(summary), taskID)
	return err
}

// TakeUpdates fetches how the tasks ended that an agent delegated in a team, in the
// order in which they did. Each is given out once, whichever process asks.
func (s *Store) TakeUpdates(ctx context.Context, agentID, teamID string) ([]Update, error) {
	type numbered struct {
		n int64
		Update
	}
	var taken []numbered
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		taken, err = collect(ctx, tx, func(row scanner) (numbered, error) {
			var u numbered
			err := row.Scan(&u.n, &u.TaskID, &u.Title, &u.Worker, &u.Outcome, &u.Summary)
			return u, err
		}, `UPDATE inbox SET delivered_at = ? WHERE agent_id = ? AND team_id = ? AND delivered_at = 0
			RETURNING n, task_id, title, worker, outcome, summary`, s.stamp(), agentID, teamID)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(taken, func(a, b numbered) int { return cmp.Compare(a.n, b.n) })
	all := make([]Update, len(taken))
	for i, u := range taken {
		all[i] = u.Update
	}
	return all, nil
}
