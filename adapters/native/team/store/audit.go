package store

import (
	"context"
	"database/sql"
	"fmt"
	"unicode/utf8"
)

// maxInput bounds what an audit row holds of a call's input, in bytes.
const maxInput = 4000

// The decisions on a call, and its outcomes.
const (
	Allowed = "allow"
	Denied  = "deny"

	OutcomeOK    = "ok"
	OutcomeError = "error"
)

// Call is the audit row of one tool call.
type Call struct {
	N       int64  `json:"n"`
	Tool    string `json:"tool"`
	AgentID string `json:"agentId,omitempty"`
	TeamID  string `json:"teamId,omitempty"`
	// Input is the call's, cleaned and cut to 4,000 bytes.
	Input    string `json:"input"`
	Decision string `json:"decision"`
	// Reason is why a call was denied, or what allowed one that needs it.
	Reason string `json:"reason,omitempty"`
	// Outcome is empty for a call that was denied, that runs, or whose process died.
	Outcome   string `json:"outcome,omitempty"`
	CreatedAt int64  `json:"createdAt"`
	EndedAt   int64  `json:"endedAt,omitempty"`
}

// Record writes the row of a call, before the call does anything, and gives its
// number. Fields that the store sets are ignored.
func (s *Store) Record(ctx context.Context, c Call) (n int64, err error) {
	if c.Decision != Allowed && c.Decision != Denied {
		return 0, fmt.Errorf("%w: unknown decision %q", ErrInvalid, c.Decision)
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "INSERT INTO audit (tool, agent_id, team_id, input, decision, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING n",
			c.Tool, c.AgentID, c.TeamID, cut(Clean(c.Input), maxInput), c.Decision, c.Reason, s.stamp()).Scan(&n)
	})
	return n, err
}

// Ended completes the row of a call that ran.
func (s *Store) Ended(ctx context.Context, n int64, failed bool) error {
	outcome := OutcomeOK
	if failed {
		outcome = OutcomeError
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE audit SET outcome = ?, ended_at = ? WHERE n = ? AND outcome = ''", outcome, s.stamp(), n)
		return err
	})
}

// Calls are the latest rows of the audit, the latest first, at most limit of them.
func (s *Store) Calls(ctx context.Context, limit int) ([]Call, error) {
	return collect(ctx, s.db, func(row scanner) (Call, error) {
		var c Call
		err := row.Scan(&c.N, &c.Tool, &c.AgentID, &c.TeamID, &c.Input, &c.Decision, &c.Reason, &c.Outcome, &c.CreatedAt, &c.EndedAt)
		return c, err
	}, "SELECT n, tool, agent_id, team_id, input, decision, reason, outcome, created_at, ended_at FROM audit ORDER BY n DESC LIMIT ?", limit)
}

// cut is the text, at most limit bytes of it, ended at a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
