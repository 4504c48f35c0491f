package reference

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"sync"

	"github.com/gofrs/flock"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// WriterOptions say what to append to.
type WriterOptions struct {
	// Path of a session file that exists.
	Path string
	// MaxHistoryBytes and MaxHistoryMessages bound the file; zero is the default of
	// the contract.
	MaxHistoryBytes    int64
	MaxHistoryMessages int
}

// Writer appends to a session. While it is open no other writer is: it holds an
// advisory lock, which ends with the process at the latest. Readers are not kept
// out. Its methods may be called from several goroutines.
type Writer struct {
	path  string
	limit bounds

	mu   sync.Mutex
	file *os.File // nil when closed
	lock *flock.Flock
	// What is known of the file as it was at state; nil is nothing.
	ledger *ledger
	state  fs.FileInfo
	sum    hash.Hash
}

// Append adds one message to a session, as [Writer.Append] does. It reads the whole
// session first; whoever appends often keeps a [Writer].
func Append(ctx context.Context, path string, m history.Message) error {
	w, err := OpenWriter(ctx, WriterOptions{Path: path})
	if err != nil {
		return err
	}
	return errors.Join(w.Append(ctx, m), w.Close())
}

// OpenWriter locks a session, reads it and checks it. It refuses, and leaves the
// file as it is, with [ErrLocked], [ErrTorn], [ErrFormat], [ErrBounds] or an
// [*IssueError]. A file that others could read becomes the owner's alone.
func OpenWriter(ctx context.Context, opts WriterOptions) (*Writer, error) {
	limit, err := boundsOf(opts.MaxHistoryBytes, opts.MaxHistoryMessages)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	w := &Writer{path: opts.Path, limit: limit}
	if err := w.open(ctx); err != nil {
		return nil, fmt.Errorf("open session: %w", errors.Join(err, w.Close()))
	}
	return w, nil
}

func (w *Writer) open(ctx context.Context) error {
	info, err := w.claim()
	if err != nil {
		return err
	}
	if err := w.read(ctx); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return w.file.Chmod(0o600)
	}
	return nil
}

// claim locks the session and opens it. What it opened is closed by [Writer.Close],
// also after an error.
func (w *Writer) claim() (fs.FileInfo, error) {
	// Before the lock, which would wait for the other end of a pipe.
	info, err := os.Stat(w.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", ErrFormat)
	}
	w.lock = flock.New(lockPath(w.path), flock.SetFlag(lockFlag), flock.SetPermissions(0o600))
	got, err := w.lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !got {
		return nil, ErrLocked
	}
	if w.file, err = os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return nil, err
	}
	if opened, err := w.file.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(err, ErrReplaced)
	}
	return info, nil
}

// read learns the file anew.
func (w *Writer) read(ctx context.Context) error {
	w.ledger = nil
	data, state, err := readSession(ctx, w.path, w.limit)
	if err != nil {
		return err
	}
	if state.Size() != int64(len(data)) {
		return fmt.Errorf("%w: it changes while it is read", ErrLocked)
	}
	s, err := parseSession(ctx, data, w.limit)
	if err != nil {
		return err
	}
	if err := s.validate(); err != nil {
		return err
	}
	w.sum = sha256.New()
	w.sum.Write(data)
	w.ledger, w.state = newLedger(s), state
	return nil
}

// Append adds one message as one line, in one write, and waits until it is on the
// disk. Before that it checks the message against the history; it looks at the file
// again only if someone else has written to it. On an error the file is as it was.
//
// Errors are those of [OpenWriter] and [ErrForeign], a [*history.ShapeError],
// [ErrReplaced] and [fs.ErrClosed].
func (w *Writer) Append(ctx context.Context, m history.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.append(ctx, m); err != nil {
		return fmt.Errorf("append to session: %w", err)
	}
	return nil
}

func (w *Writer) append(ctx context.Context, m history.Message) error {
	if w.file == nil {
		return fs.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.refresh(ctx); err != nil {
		return err
	}
	if !w.ledger.owns(&m) {
		return ErrForeign
	}
	line, err := appendRecord(nil, m)
	if err != nil {
		return err
	}
	if err := w.ledger.judge(&m); err != nil {
		return err
	}
	size := w.state.Size()
	if err := w.limit.check(size+int64(len(line)), len(w.ledger.messages)+1); err != nil {
		return err
	}
	_, err = w.file.Write(line)
	if err == nil {
		err = w.file.Sync()
	}
	var after fs.FileInfo
	if err == nil {
		after, err = w.file.Stat()
	}
	if err != nil {
		w.ledger = nil // nothing that was known is sure
		return errors.Join(err, w.takeBack(size, len(line)))
	}
	if after.Size() != size+int64(len(line)) {
		// Someone without the lock wrote too; the record stands, the rest is unknown.
		w.ledger = nil
		return nil
	}
	w.ledger.add(&m)
	w.sum.Write(line)
	w.state = after
	return nil
}

// takeBack removes what arrived of a record that failed. A file that is longer than
// that can be has lines of someone else, which are not ours to remove.
func (w *Writer) takeBack(size int64, record int) error {
	now, err := w.file.Stat()
	if err != nil || now.Size() > size+int64(record) {
		return err
	}
	return w.file.Truncate(size)
}

// refresh makes sure that the file is the one that was locked and that what is
// known of it holds.
func (w *Writer) refresh(ctx context.Context) error {
	now, err := os.Stat(w.path)
	if err != nil {
		return err
	}
	own, err := w.file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(now, own) {
		return ErrReplaced
	}
	if w.ledger != nil && sameState(w.state, now) {
		return nil
	}
	return w.read(ctx)
}

// Revision is the revision of the file as the writer left it, known without
// reading it; empty when closed, or after a failure until the next append.
func (w *Writer) Revision() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil || w.ledger == nil {
		return ""
	}
	return hex.EncodeToString(w.sum.Sum(nil))
}

// Close releases the session. It is idempotent.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var err error
	if w.file != nil {
		err = w.file.Close()
		w.file = nil
	}
	if w.lock != nil {
		err = errors.Join(err, w.lock.Close())
		w.lock = nil
	}
	w.ledger = nil
	return err
}
