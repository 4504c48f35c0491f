package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite" // also the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What operations answer that a caller may want to tell apart. Errors wrap them.
var (
	// ErrNotFound: there is no such task.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the task is not free; another has it, or it is not to do. Whoever
	// gets it does not try again.
	ErrConflict = errors.New("conflict")
	// ErrTransition: a task of this status cannot go to that one.
	ErrTransition = errors.New("illegal transition")
	// ErrCycle: the task would depend on itself.
	ErrCycle = errors.New("dependency cycle")
	// ErrInvalid: an argument is empty or not one of those that are known.
	ErrInvalid = errors.New("invalid")
	// ErrVersion: the file was written by a version that this one does not know.
	ErrVersion = errors.New("unknown version of the store")
)

// busyWait bounds waiting for another process that writes.
const busyWait = 5 * time.Second

// Store is an open store. It may be used by several goroutines.
type Store struct {
	db  *sql.DB
	now func() time.Time
}

// Open opens the store at a path and makes it, readable for its owner only, where
// there is none; so are the directories above it. It fails with [ErrVersion] for a
// store of a later version.
func Open(path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("team store: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("team store: %w", err)
	}
	// SQLite gives its log the mode of the file, so the file is made first.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("team store: %w", err)
	}
	if err := file.Close(); err != nil {
		return nil, fmt.Errorf("team store: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, fmt.Errorf("team store: %w", err)
	}
	// One connection: goroutines wait for each other here, in turn, and SQLite's own
	// waiting, which is by polling, is left for other processes.
	db.SetMaxOpenConns(1)
	s := &Store{db: db, now: time.Now}
	if err := s.prepare(context.Background()); err != nil {
		db.Close()
		return nil, fmt.Errorf("team store %s: %w", filepath.Base(path), err)
	}
	return s, nil
}

// Close closes the store. Operations that are under way end first.
func (s *Store) Close() error { return s.db.Close() }

func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	query := fmt.Sprintf("_txlock=immediate&_pragma=busy_timeout(%d)&_pragma=foreign_keys(1)&_pragma=synchronous(normal)", busyWait.Milliseconds())
	name := url.URL{Scheme: "file", Path: path, RawQuery: query}
	return name.String()
}

// prepare makes the tables of a new store and checks the version of an old one.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.logAhead(ctx); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		var have int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
			return err
		}
		switch have {
		case version:
			return nil
		case 0:
			_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d", version))
			return err
		}
		return fmt.Errorf("%w: %d, expected %d", ErrVersion, have, version)
	})
}

// logAhead lets readers and a writer work at once. Two processes that turn it on at
// the same moment may find each other in the way, which SQLite reports without
// waiting; the one that finds it on is done.
func (s *Store) logAhead(ctx context.Context) error {
	end := time.Now().Add(busyWait)
	for {
		var mode string
		err := s.db.QueryRowContext(ctx, "PRAGMA journal_mode = wal").Scan(&mode)
		if err == nil && mode != "wal" {
			return fmt.Errorf("the journal is %s, expected wal", mode)
		}
		if err == nil || !busy(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// busy reports whether another process was in the way.
func busy(err error) bool {
	var failed *sqlite.Error
	return errors.As(err, &failed) && failed.Code()&0xff == sqlite3.SQLITE_BUSY
}

// write does something in one transaction that no other process writes in.
func (s *Store) write(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// querier is a transaction, or the store outside of one.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// collect reads all rows of a query.
func collect[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, rows.Err()
}

// scanner is a row.
type scanner interface{ Scan(...any) error }

// stamp is the time now, in milliseconds since the epoch.
func (s *Store) stamp() int64 { return s.now().UnixMilli() }

// newID is an identifier that is also a name for a branch or a file.
func newID() string { return strings.ToLower(rand.Text()) }
