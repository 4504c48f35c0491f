package hermes

import (
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

//go:embed schema.sql
var schema string

// state is the state.db of a Hermes home. Each of its methods is one transaction, so that
// who reads beside the run sees whole rows. A nil state keeps nothing.
type state struct{ db *sql.DB }

// stateName is the database, madeName says beside it that this fake made it.
const (
	stateName = "state.db"
	madeName  = ".adaptercheck-fake"
)

// homeOf is where a process keeps its state.db; empty is nowhere.
func homeOf(p fakes.Play) string {
	if home := p.Getenv("HERMES_HOME"); home != "" {
		return home
	}
	return child.Home(p)
}

// openState opens the state.db in a directory, or makes both. One that this fake did not
// make is somebody's history: it is refused, and stays as it is.
func openState(dir string) (*state, error) {
	if dir == "" {
		return nil, nil
	}
	if err := claim(dir); err != nil {
		return nil, fmt.Errorf("fake hermes: %w", err)
	}
	file, err := filepath.Abs(filepath.Join(dir, stateName))
	if err != nil {
		return nil, fmt.Errorf("fake hermes: find the state.db: %w", err)
	}
	// A history that a power cut harms costs nobody anything here; to wait for the disk
	// costs each run more than all else.
	options := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(OFF)"}, "_txlock": {"immediate"}}
	at := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", at.String())
	if err != nil {
		return nil, fmt.Errorf("fake hermes: open the state.db: %w", err)
	}
	db.SetMaxOpenConns(1)
	s := &state{db}
	if err := s.within(func(tx *sql.Tx) error { return exec(tx, schema) }); err != nil {
		return nil, errors.Join(fmt.Errorf("fake hermes: %w", err), s.close())
	}
	return s, nil
}

// claim makes the directory one in which this fake may write. The mark comes before the
// database, so that of two processes that begin at once none takes the other's for foreign.
func claim(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the home: %w", err)
	}
	mark, file := filepath.Join(dir, madeName), filepath.Join(dir, stateName)
	if there(file) && !there(mark) { // in this order: another process may be making them
		return fmt.Errorf("HERMES_HOME has a %s that this fake did not make: name another directory", stateName)
	}
	for _, name := range []string{mark, file} { // what SQLite adds to a database gets its mode
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return fmt.Errorf("make %s: %w", filepath.Base(name), err)
		}
	}
	return nil
}

func there(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// close lets go of the database. The last one to do so leaves one file.
func (s *state) close() error {
	if s == nil {
		return nil
	}
	return s.db.Close()
}

// within carries out one transaction.
func (s *state) within(do func(*sql.Tx) error) error {
	if s == nil {
		return nil
	}
	tx, err := s.db.Begin()
	if err != nil {
		return fmt.Errorf("state.db: %w", err)
	}
	if err := do(tx); err != nil {
		return errors.Join(fmt.Errorf("state.db: %w", err), tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("state.db: %w", err)
	}
	return nil
}

func exec(tx *sql.Tx, query string, args ...any) error {
	_, err := tx.Exec(query, args...)
	return err
}

// now is the clock of the database: seconds since the epoch.
func now() float64 { return float64(time.Now().UnixMicro()) / 1e6 }
