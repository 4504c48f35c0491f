package pi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// cached is the last snapshot that was made. It is never handed out nor changed.
type cached struct {
	hash     string // of the file's bytes
	cwd      string // as the file spells it
	snapshot history.Snapshot
}

// keep puts a snapshot into the cache, unless the adapter is closed.
func (a *Adapter) keep(c *cached) { a.boundary.Unless(func() { a.cache = c }) }

// SnapshotHistory reads the session file and gives the branch that ends with the
// leaf. It refuses with [ErrUntrusted], [ErrUnavailable], [ErrIdentity],
// [ErrInvalid] or [ErrClosed], and with the error of a context that is over.
//
// The revision is the SHA-256 of the canonical JSON of the leaf's id and the
// entries of the branch: other branches, and how a line is written, do not change
// it. The file's bytes are hashed on every call; only when they are new are they
// parsed.
func (a *Adapter) SnapshotHistory(ctx context.Context) (history.Snapshot, error) {
	if err := a.boundary.Usable(ctx); err != nil {
		return history.Snapshot{}, err
	}
	if !a.trusted {
		return history.Snapshot{}, a.refuse(ctx, ErrUntrusted)
	}
	var cache *cached
	a.boundary.Unless(func() { cache = a.cache })
	if cache != nil {
		hash, err := a.file.Hash(ctx)
		if err == nil && hash == cache.hash && a.rootStands(cache.cwd) {
			return a.deliver(cache)
		}
	}
	fresh, err := a.read(ctx)
	if err != nil {
		return history.Snapshot{}, a.refuse(ctx, err)
	}
	a.keep(fresh)
	return a.deliver(fresh)
}

// RebuildDerivedState drops the cached snapshot and reads the file again.
func (a *Adapter) RebuildDerivedState(ctx context.Context) (history.Snapshot, error) {
	if err := a.boundary.Usable(ctx); err != nil {
		return history.Snapshot{}, err
	}
	a.keep(nil)
	s, err := a.SnapshotHistory(ctx)
	if err == nil {
		a.boundary.Report(history.CodeDerivedStateRebuilt)
	}
	return s, err
}

// deliver copies a snapshot for the caller, unless the adapter was closed
// meanwhile.
func (a *Adapter) deliver(c *cached) (history.Snapshot, error) {
	if a.boundary.Closed() {
		return history.Snapshot{}, ErrClosed
	}
	return c.snapshot.Clone(), nil
}

// rootStands reports whether a working directory, as the file spells it, is the
// project root. A link in it may have been turned elsewhere since the last time.
// A relative one would depend on where this process stands.
func (a *Adapter) rootStands(cwd string) bool {
	root, err := boundary.RealRoot(cwd)
	return err == nil && root == a.root && filepath.IsAbs(cwd)
}

// read makes a snapshot of the file as it is now.
func (a *Adapter) read(ctx context.Context) (*cached, error) {
	data, err := a.file.Read(ctx)
	if err != nil {
		return nil, err
	}
	s, err := parse(ctx, data, a.entries)
	if err != nil {
		return nil, err
	}
	if a.sessionID != "" && s.id != a.sessionID || !a.rootStands(s.cwd) {
		return nil, ErrIdentity
	}
	branch, err := s.branch(a.leaf)
	if err != nil {
		return nil, err
	}
	revision, err := revisionOf(ctx, branch)
	if err != nil {
		return nil, err
	}
	messages, err := convert(ctx, s.id, branch)
	if err != nil {
		return nil, err
	}
	snapshot := history.Snapshot{
		SchemaVersion:    history.SchemaVersion,
		RuntimeID:        RuntimeID,
		SessionID:        s.id,
		Revision:         revision,
		ProjectRoot:      a.root,
		Messages:         messages,
		ToolAtomicGroups: history.AtomicGroups(messages),
	}
	if issues := history.Validate(snapshot); len(issues) > 0 {
		return nil, fmt.Errorf("%w: %s, %d in all", ErrInvalid, issues[0].Code, len(issues))
	}
	return &cached{history.RevisionOf(data), s.cwd, snapshot}, nil
}

// refuse writes an error down and takes the path out of it.
func (a *Adapter) refuse(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrIdentity):
		a.boundary.Report(history.CodeHistoryIdentityMismatch)
		return err
	case errors.Is(err, ErrInvalid):
		a.boundary.Report(history.CodeHistoryInvalid)
		return err
	}
	a.boundary.Report(history.CodeHistoryReadFailed)
	if errors.Is(err, ErrUntrusted) {
		return err
	}
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		err = system.Err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
