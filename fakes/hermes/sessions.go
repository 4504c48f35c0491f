package hermes

import (
	"database/sql"
	"errors"
	"fmt"
)

// totals is what was spent. Input leaves out what came from the cache.
type totals struct {
	input, output, cacheRead, cacheWrite, reasoning int64
	cost                                            *float64 // nil is unknown
}

func (t totals) plus(o totals) totals {
	t.input += o.input
	t.output += o.output
	t.cacheRead += o.cacheRead
	t.cacheWrite += o.cacheWrite
	t.reasoning += o.reasoning
	if o.cost != nil {
		cost := *o.cost
		if t.cost != nil {
			cost += *t.cost
		}
		t.cost = &cost
	}
	return t
}

// session is a row of the table sessions, as far as the program reads it.
type session struct {
	id, model, title, endReason string
	spent                       totals
	users, messages             int // rows that it has
}

const sessionColumns = `SELECT id, COALESCE(model, ''), COALESCE(title, ''), COALESCE(end_reason, ''),
	input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, estimated_cost_usd,
	(SELECT COUNT(*) FROM messages WHERE session_id = sessions.id AND role = 'user'),
	(SELECT COUNT(*) FROM messages WHERE session_id = sessions.id)
	FROM sessions `

// query reads the first session that fits, and whether there is one.
func (s *state) query(where string, args ...any) (session, bool, error) {
	var x session
	if s == nil {
		return x, false, nil
	}
	err := s.db.QueryRow(sessionColumns+where, args...).Scan(&x.id, &x.model, &x.title, &x.endReason,
		&x.spent.input, &x.spent.output, &x.spent.cacheRead, &x.spent.cacheWrite, &x.spent.reasoning, &x.spent.cost, &x.users, &x.messages)
	if errors.Is(err, sql.ErrNoRows) {
		return session{}, false, nil
	}
	if err != nil {
		return session{}, false, fmt.Errorf("state.db: %w", err)
	}
	return x, true, nil
}

func (s *state) find(id string) (session, bool, error) { return s.query("WHERE id = ?", id) }

func (s *state) titled(title string) (session, bool, error) {
	return s.query("WHERE title = ? ORDER BY started_at DESC", title)
}

func (s *state) last() (session, bool, error) {
	return s.query("ORDER BY started_at DESC, rowid DESC")
}

// heir is the session in which one that was compressed goes on.
func (s *state) heir(id string) (session, bool, error) {
	return s.query("WHERE parent_session_id = ? ORDER BY started_at DESC", id)
}

// opening is what a session is opened with. Empty parent is none.
type opening struct{ source, model, dir, parent string }

// begin opens a session. One that is there is opened again, of another model maybe.
func (s *state) begin(id string, o opening) error {
	return s.within(func(tx *sql.Tx) error {
		return exec(tx, `INSERT INTO sessions (id, source, model, cwd, started_at, parent_session_id) VALUES (?, ?, ?, ?, ?, NULLIF(?, ''))
			ON CONFLICT (id) DO UPDATE SET ended_at = NULL, end_reason = NULL, model = excluded.model`, id, o.source, o.model, o.dir, now(), o.parent)
	})
}

// describe sets what a session is of.
func (s *state) describe(id, model, dir string) error {
	return s.within(func(tx *sql.Tx) error {
		return exec(tx, `UPDATE sessions SET model = ?, cwd = ? WHERE id = ?`, model, dir, id)
	})
}

// end closes a session.
func (s *state) end(id, reason string) error {
	return s.within(func(tx *sql.Tx) error {
		return exec(tx, `UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ?`, now(), reason, id)
	})
}

// move gives what one session has to another, which is there, and forgets the one.
func (s *state) move(from, to string) error {
	return s.within(func(tx *sql.Tx) error {
		return errors.Join(
			exec(tx, `UPDATE messages SET session_id = ? WHERE session_id = ?`, to, from),
			exec(tx, `UPDATE sessions SET message_count = message_count + (SELECT message_count FROM sessions WHERE id = ?) WHERE id = ?`, from, to),
			exec(tx, `DELETE FROM sessions WHERE id = ?`, from),
		)
	})
}

// spend adds to the totals of a session, overall and of a model.
func (s *state) spend(id, model string, t totals) error {
	status, source := "unknown", "none"
	if t.cost != nil {
		status, source = "estimated", "provider_models_api"
	}
	return s.within(func(tx *sql.Tx) error {
		return errors.Join(
			exec(tx, `UPDATE sessions SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
				cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?, reasoning_tokens = reasoning_tokens + ?,
				estimated_cost_usd = CASE WHEN ? IS NULL THEN estimated_cost_usd ELSE COALESCE(estimated_cost_usd, 0) + ? END,
				cost_status = ?, cost_source = ?, api_call_count = api_call_count + 1 WHERE id = ?`,
				t.input, t.output, t.cacheRead, t.cacheWrite, t.reasoning, t.cost, t.cost, status, source, id),
			exec(tx, `INSERT INTO session_model_usage (session_id, model, first_seen) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, id, model, now()),
			exec(tx, `UPDATE session_model_usage SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
				cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?, reasoning_tokens = reasoning_tokens + ?,
				estimated_cost_usd = estimated_cost_usd + COALESCE(?, 0), cost_status = ?, cost_source = ?,
				api_call_count = api_call_count + 1, last_seen = ? WHERE session_id = ? AND model = ?`,
				t.input, t.output, t.cacheRead, t.cacheWrite, t.reasoning, t.cost, status, source, now(), id, model),
		)
	})
}
