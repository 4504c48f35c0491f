package reference

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// Recovery says what [Recover] did. If neither Moved nor Completed says anything,
// the session was whole and was not touched.
type Recovery struct {
	// Messages that the session holds now.
	Messages int
	// Moved counts the bytes that were moved out of the session, 0 if none were.
	Moved int64
	// Side is the path of the file that holds them now; empty if none were moved. It is
	// the owner's alone, and nobody reads it but the user.
	Side string
	// Completed: the last record lacked only the end of its line, which was added.
	Completed bool
}

// Recover makes a session whole whose end is torn, as a crash or a full disk leaves
// it, so that it can be read and appended to again. Nothing is lost: the torn bytes
// are first on the disk in a file of their own, beside the session, and only then
// cut off. Nobody calls it but who knows of the damage, since an [Append] that
// repaired in passing would hide it.
//
// The torn end is everything behind the last whole record: a part of a record, NULs,
// blank lines. A last record that lacks only its line end is kept. Damage with a
// whole record behind it is none of a crash in the middle of an append; it is
// refused with [ErrFormat] and the number of the line, like a damaged header. A
// session that breaks the contract is an [*IssueError], a session with a writer is
// [ErrLocked]. Whatever is refused stays as it is.
//
// A crash in the middle of a recovery leaves the session as torn as it was; the next
// recovery uses the side file that is already there.
func Recover(ctx context.Context, path string) (Recovery, error) {
	limit, err := boundsOf(0, 0)
	if err != nil {
		return Recovery{}, err
	}
	w := &Writer{path: path, limit: limit}
	r, err := w.recover(ctx)
	if err = errors.Join(err, w.Close()); err != nil {
		return Recovery{}, fmt.Errorf("recover session: %w", err)
	}
	return r, nil
}

func (w *Writer) recover(ctx context.Context) (Recovery, error) {
	if _, err := w.claim(); err != nil {
		return Recovery{}, err
	}
	data, state, err := readSession(ctx, w.path, w.limit)
	if err != nil {
		return Recovery{}, err
	}
	if state.Size() != int64(len(data)) {
		return Recovery{}, fmt.Errorf("%w: it changes while it is read", ErrLocked)
	}
	t, err := findTear(ctx, data, w.limit)
	if err != nil {
		return Recovery{}, err
	}
	r := Recovery{Messages: t.messages, Completed: t.complete}
	switch {
	case t.complete:
		return r, w.endLine()
	case t.keep < len(data):
		r.Moved = int64(len(data) - t.keep)
		if r.Side, err = setAside(w.path, data[t.keep:]); err != nil {
			return Recovery{}, fmt.Errorf("set aside the torn end: %w", err)
		}
		return r, w.cut(state, int64(t.keep))
	}
	return r, nil
}

// tear says where a session is torn.
type tear struct {
	// keep bytes are whole records.
	keep     int
	messages int
	// complete: what is behind them is a record without its line end.
	complete bool
}

func findTear(ctx context.Context, data []byte, limit bounds) (tear, error) {
	var t tear
	s, bad := &session{}, error(nil)
	line, at := 0, 0
	for at < len(data) {
		if line++; line%1024 == 0 && ctx.Err() != nil {
			return tear{}, ctx.Err()
		}
		end, whole := bytes.IndexByte(data[at:], '\n'), true
		if end < 0 {
			end, whole = len(data)-at, false
		}
		text := data[at : at+end]
		at = min(at+end+1, len(data))
		if line == 1 {
			if err := parseHeader(text, &s.header); err != nil {
				return tear{}, fmt.Errorf("line 1: %w", err)
			}
		} else if m, err := parseRecord(text); err != nil {
			if bad == nil {
				bad = fmt.Errorf("line %d: %w", line, err)
			}
			continue
		} else if bad != nil {
			return tear{}, bad // a whole record behind the damage
		} else {
			s.messages = append(s.messages, m)
		}
		if t.complete = !whole; whole {
			t.keep = at
		}
	}
	if line == 0 {
		return tear{}, fmt.Errorf("%w: it is empty", ErrFormat)
	}
	if err := limit.check(0, len(s.messages)); err != nil {
		return tear{}, err
	}
	err := s.validate()
	if n := len(s.messages); err != nil && t.complete && n > 0 {
		// A record that does not belong there is not completed but moved.
		t.complete, s.messages = false, s.messages[:n-1]
		err = s.validate()
	}
	t.messages = len(s.messages)
	return t, err
}

func (s *session) validate() error {
	root, err := boundary.RealRoot(s.header.ProjectRoot)
	if err != nil {
		return fmt.Errorf("project root: %w", err)
	}
	return issueError(history.Validate(s.snapshot(root, history.PendingWrite)))
}

// endLine adds the end of the last line.
func (w *Writer) endLine() error {
	if _, err := w.file.Write([]byte{'\n'}); err != nil {
		return err
	}
	return w.file.Sync()
}

// setAside puts bytes into a file beside the session. Its name comes from the
// bytes, so that the same bytes are never kept twice.
func setAside(session string, torn []byte) (string, error) {
	sum := sha256.Sum256(torn)
	name := session + ".torn-" + hex.EncodeToString(sum[:8])
	for n := 1; ; n++ {
		path := name
		if n > 1 {
			path = fmt.Sprintf("%s-%d", name, n)
		}
		err := writeNew(path, torn)
		if !errors.Is(err, fs.ErrExist) {
			return path, err
		}
		// Only an earlier recovery, or someone who changed its file, can have been here.
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, torn) {
			return path, nil
		}
	}
}

// cut shortens the session, if it is still what was read. It opens it once more,
// since not every system cuts a file that is open for appending.
func (w *Writer) cut(read fs.FileInfo, size int64) (err error) {
	f, err := os.OpenFile(w.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	now, err := f.Stat()
	if err != nil {
		return err
	}
	own, err := w.file.Stat()
	switch {
	case err != nil:
		return err
	case !os.SameFile(own, now):
		return ErrReplaced
	case !sameState(read, now):
		return fmt.Errorf("%w: it changes while it is recovered", ErrLocked)
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	return f.Sync()
}
