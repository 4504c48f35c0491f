package hermes

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

const (
	// booksWait bounds reading the books; busyWait what a writer may take of it.
	booksWait = 2 * time.Second
	busyWait  = 500 * time.Millisecond
	// booksTries is how often books are read that change meanwhile.
	booksTries = 3
)

// errUnsettled: the books changed each time they were read.
var errUnsettled = errors.New("the books of the runtime do not hold still")

// books are the state.db of a home: an SQLite database in which Hermes writes its
// sessions and their messages. They belong to Hermes, and are only read: nothing in
// their directory is written or left behind.
type books struct {
	path string // empty: not known where
}

// stamp is the database's file as far as a writer would change it.
type stamp struct {
	size, wal int64 // of the file and its log; -1 is none
	modified  time.Time
}

func (b books) stamp() (stamp, error) {
	file, err := os.Stat(b.path)
	if err != nil {
		return stamp{}, err
	}
	s := stamp{size: file.Size(), wal: -1, modified: file.ModTime()}
	for _, log := range []string{"-wal", "-journal"} {
		if file, err := os.Stat(b.path + log); err == nil {
			s.wal = max(s.wal, file.Size())
		}
	}
	return s, nil
}

// read calls do with the books as they stand, and again if they changed under it. Books
// that are not there are an error that wraps fs.ErrNotExist.
//
// A database without a log has no writer. It is then read as one that does not change:
// SQLite would make a log beside it even to read, and leave it there.
func (b books) read(do func(context.Context, *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), booksWait)
	defer cancel()
	for range booksTries {
		before, err := b.stamp()
		if err != nil {
			return err
		}
		mode := "immutable=1"
		if before.wal >= 0 {
			mode = "mode=ro"
		}
		err = b.once(ctx, mode, do)
		if before.wal >= 0 {
			return err
		}
		if after, statErr := b.stamp(); statErr == nil && after == before {
			return err
		}
	}
	return errUnsettled
}

func (b books) once(ctx context.Context, mode string, do func(context.Context, *sql.Tx) error) error {
	path, err := filepath.Abs(b.path)
	if err != nil {
		return err
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: fmt.Sprintf("%s&_pragma=busy_timeout(%d)&_pragma=query_only(1)", mode, busyWait.Milliseconds())}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // there is nothing to undo
	return do(ctx, tx)
}
