package hermes

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"slices"
)

// entry is where a session stands.
type entry struct {
	known   bool     // the books have the session
	lineage []string // the session, and those whose compression it goes on from
	spent   totals   // of all of them
	last    int64    // the last message of the books
}

// entry looks the session up; an empty id gives where a new one begins. Books that are
// not there know no session.
func (b books) entry(session string) (entry, error) {
	var e entry
	err := b.read(func(ctx context.Context, tx *sql.Tx) (err error) {
		e, err = lookUp(ctx, tx, session)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return entry{}, nil
	}
	return e, err
}

// compressed is why a session ended that goes on in another.
const compressed = "compression"

// maxSplits bounds how often one does.
const maxSplits = 1000

// lookUp finds the session as Hermes does to go on with it, and what is before it.
func lookUp(ctx context.Context, tx *sql.Tx, session string) (entry, error) {
	var e entry
	has, err := columnsOf(ctx, tx, "sessions")
	if err != nil || len(has) == 0 {
		return e, err
	}
	if session, err = tip(ctx, tx, has, session); err != nil {
		return e, err
	}
	if err := e.trace(ctx, tx, has, session); err != nil {
		return e, err
	}
	if has, err := columnsOf(ctx, tx, "messages"); err != nil || len(has) == 0 {
		return e, err
	}
	var last sql.NullInt64
	err = tx.QueryRowContext(ctx, "SELECT max(id) FROM messages").Scan(&last)
	e.last = last.Int64
	return e, err
}

// trace adds up the session and those whose compression it goes on from.
func (e *entry) trace(ctx context.Context, tx *sql.Tx, has columns, session string) error {
	query := "SELECT " + has.pick("parent_session_id", "end_reason", "model", "cost_status", "input_tokens", "cache_write_tokens",
		"cache_read_tokens", "output_tokens", "estimated_cost_usd", "actual_cost_usd") + " FROM sessions WHERE id = ?"
	for id := session; id != "" && !slices.Contains(e.lineage, id) && len(e.lineage) < maxSplits; {
		var parent, ended, model, status sql.NullString
		var input, written, cached, output sql.NullInt64
		var estimated, actual sql.NullFloat64
		err := tx.QueryRowContext(ctx, query, id).Scan(
			&parent, &ended, &model, &status, &input, &written, &cached, &output, &estimated, &actual)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return err
		}
		if e.known && has["end_reason"] && ended.String != compressed {
			break // a branch, whose parent has a life of its own
		}
		if !e.known {
			e.known, e.spent.model, e.spent.status = true, model.String, status.String
		}
		e.lineage = append(e.lineage, id)
		e.spent.add(input.Int64+written.Int64, cached.Int64, output.Int64, estimated.Float64, actual.Float64)
		id = parent.String
	}
	return nil
}

// tip follows a session through its compressions. What began before the session ended
// is a branch of it or a subagent's.
func tip(ctx context.Context, tx *sql.Tx, has columns, session string) (string, error) {
	if !has["parent_session_id"] || !has["end_reason"] || !has["ended_at"] {
		return session, nil
	}
	for range maxSplits {
		var heir string
		err := tx.QueryRowContext(ctx, `SELECT child.id FROM sessions AS child JOIN sessions AS parent ON child.parent_session_id = parent.id
			WHERE parent.id = ? AND parent.end_reason = ? AND child.started_at >= parent.ended_at
			ORDER BY child.started_at DESC LIMIT 1`, session, compressed).Scan(&heir)
		if errors.Is(err, sql.ErrNoRows) {
			return session, nil
		}
		if err != nil {
			return "", err
		}
		session = heir
	}
	return session, nil
}
