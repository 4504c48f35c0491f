package state

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// busyWait is how long a row waits for another process that writes.
const busyWait = 5 * time.Second

// Row is what is noted of a run when it is over.
type Row struct {
	SessionID  string
	AgentID    string
	SessionKey string // the host's
	RunID      string
	TaskID     string // empty is none
	TeamID     string // empty is none
	Model      string // that served last; empty if none did
	// Reason of the run's done. The session of one that succeeded is closed, any other is
	// active.
	Reason       string
	Turns        int
	InputTokens  int64 // cached input among them
	OutputTokens int64
	CostUSD      *float64 // nil is unknown
	StartedAt    time.Time
	EndedAt      time.Time
}

const schema = `CREATE TABLE IF NOT EXISTS sessions (
	id TEXT PRIMARY KEY,
	agent_id TEXT NOT NULL,
	session_key TEXT NOT NULL,
	run_id TEXT NOT NULL,
	task_id TEXT,
	team_id TEXT,
	status TEXT NOT NULL CHECK (status IN ('active', 'closed')),
	reason TEXT NOT NULL,
	model TEXT,
	turns INTEGER NOT NULL,
	input_tokens INTEGER NOT NULL,
	output_tokens INTEGER NOT NULL,
	cost_usd REAL,
	started_at INTEGER NOT NULL,
	ended_at INTEGER NOT NULL
) STRICT`

const upsert = `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET run_id = excluded.run_id, status = excluded.status, reason = excluded.reason, model = excluded.model,
	turns = excluded.turns, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd, ended_at = excluded.ended_at`

// Note writes the row of a session into the agent's database, which is made if there is
// none. Several processes may do so at once. A home that keeps nothing does nothing.
func (h Home) Note(ctx context.Context, r Row) error {
	if !h.Keeps() {
		return nil
	}
	if err := h.note(ctx, r); err != nil {
		return fmt.Errorf("note session: %w", err)
	}
	return nil
}

func (h Home) note(ctx context.Context, r Row) error {
	if err := os.MkdirAll(h.sessions(), 0o700); err != nil {
		return err
	}
	path := filepath.Join(h.Path(), "sessions.db")
	// Made here, so that nobody else may read it. The driver's journals have its mode.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	db, err := open(path)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return err
	}
	status := "active"
	if r.Reason == "success" {
		status = "closed"
	}
	_, err = db.ExecContext(ctx, upsert, r.SessionID, r.AgentID, r.SessionKey, r.RunID, null(r.TaskID), null(r.TeamID), status, r.Reason, null(r.Model),
		r.Turns, r.InputTokens, r.OutputTokens, r.CostUSD, r.StartedAt.UnixMilli(), r.EndedAt.UnixMilli())
	return err
}

// open opens a database by its path, in a form that the driver understands on every system.
func open(path string) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=synchronous(normal)&_txlock=immediate", busyWait.Milliseconds())}
	return sql.Open("sqlite", name.String())
}

// null is a string, or none.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}
