package reference

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// CreateOptions describe a new session file.
type CreateOptions struct {
	// Path of the file. It must not exist; directories above it are made.
	Path string
	// RuntimeID of the session; blank is [DefaultRuntimeID].
	RuntimeID string
	// SessionID is needed.
	SessionID string
	// ProjectRoot is a directory that exists; the file holds its real path.
	ProjectRoot string
	// Messages the session begins with.
	Messages []history.Message
	// MaxHistoryBytes and MaxHistoryMessages bound the file; zero is the default of
	// the contract.
	MaxHistoryBytes    int64
	MaxHistoryMessages int
}

// Create writes a new session file, whole or not at all, readable and writable by
// its owner only. Directories that it makes are for the owner only too.
//
// It refuses a path that exists ([fs.ErrExist]), messages without the shape of one
// ([*history.ShapeError]), a history that breaks the contract ([*IssueError]), and
// what is over the bounds ([ErrBounds]).
func Create(opts CreateOptions) error {
	data, err := encodeSession(opts)
	if err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	if err := writeNew(opts.Path, data); err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	return nil
}

func encodeSession(opts CreateOptions) ([]byte, error) {
	limit, err := boundsOf(opts.MaxHistoryBytes, opts.MaxHistoryMessages)
	if err != nil {
		return nil, err
	}
	if err := limit.check(0, len(opts.Messages)); err != nil {
		return nil, err
	}
	h := header{
		Type:      history.SessionFormat,
		RuntimeID: boundary.Trim(opts.RuntimeID),
		SessionID: boundary.Trim(opts.SessionID),
	}
	if h.RuntimeID == "" {
		h.RuntimeID = DefaultRuntimeID
	}
	switch {
	case opts.Path == "":
		return nil, fmt.Errorf("%w: Path is empty", ErrOptions)
	case h.SessionID == "":
		return nil, fmt.Errorf("%w: SessionID is blank", ErrOptions)
	case opts.ProjectRoot == "":
		return nil, fmt.Errorf("%w: ProjectRoot is empty", ErrOptions)
	}
	if h.ProjectRoot, err = boundary.RealRoot(opts.ProjectRoot); err != nil {
		return nil, fmt.Errorf("project root: %w", err)
	}
	data, err := appendHeader(nil, h)
	if err != nil {
		return nil, err
	}
	for i, m := range opts.Messages {
		if data, err = appendRecord(data, m); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		if err := limit.check(int64(len(data)), 0); err != nil {
			return nil, err
		}
	}
	s := session{h, opts.Messages}
	return data, issueError(history.Validate(s.snapshot(h.ProjectRoot, history.PendingWrite)))
}

// writeNew makes a file with its content, or none. The content is written under
// another name first; the name is then given only if it is free.
func writeNew(path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	dir := filepath.Dir(path)
	if err := makeDirs(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".session-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = f.Chmod(0o600)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := claim(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// claim gives a finished file its name, unless that is taken.
func claim(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links: take the name with an empty file, which no reader
	// accepts, and put the finished one in its place.
	empty, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(empty.Close(), os.Rename(from, to)); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// makeDirs makes a directory and those above it for the owner only, whatever the
// umask. Directories that exist stay as they are.
func makeDirs(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: errors.New("not a directory")}
		}
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeDirs(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		// Someone else made it in between.
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	return os.Chmod(dir, 0o700)
}
