package reference

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// cached is the last snapshot that was made.
type cached struct {
	frozen
	root string // as the file spells it
}

// SnapshotHistory reads the session file. It refuses with [ErrUnavailable],
// [ErrIdentity], [ErrInvalid] or [ErrClosed], and with the error of a context that
// is over.
//
// The file's bytes are hashed on every call; only when the hash is new are they
// parsed. Size and times alone are not trusted to say that a file is unchanged: a
// rewrite of equal length within the clock's resolution, a restored time, or a
// write through a memory map shows in none of them.
func (a *Adapter) SnapshotHistory(ctx context.Context) (history.Snapshot, error) {
	if err := a.usable(ctx); err != nil {
		return history.Snapshot{}, err
	}
	a.mu.Lock()
	cache := a.cache
	a.mu.Unlock()
	if cache != nil {
		// The file is nearly always the same, so its copy is made beside the hash.
		ready := make(chan history.Snapshot)
		go func() { ready <- cache.copy() }()
		revision, err := hashSession(ctx, a.path, a.limit)
		s := <-ready
		if err == nil && revision == s.Revision && a.rootStands(cache.root) {
			return a.deliver(s)
		}
	}
	fresh, err := a.read(ctx)
	if err != nil {
		return history.Snapshot{}, a.refuse(ctx, err)
	}
	a.mu.Lock()
	if !a.closed {
		a.cache = fresh
	}
	a.mu.Unlock()
	return a.deliver(fresh.copy())
}

// RebuildDerivedState drops the cached snapshot and reads the file again.
func (a *Adapter) RebuildDerivedState(ctx context.Context) (history.Snapshot, error) {
	if err := a.usable(ctx); err != nil {
		return history.Snapshot{}, err
	}
	a.mu.Lock()
	a.cache = nil
	a.mu.Unlock()
	s, err := a.SnapshotHistory(ctx)
	if err == nil {
		a.report(history.CodeDerivedStateRebuilt)
	}
	return s, err
}

// deliver hands a snapshot out, unless the adapter was closed meanwhile.
func (a *Adapter) deliver(s history.Snapshot) (history.Snapshot, error) {
	if a.isClosed() {
		return history.Snapshot{}, errClosed
	}
	return s, nil
}

// rootStands reports whether the project root still leads where it did; a link in
// the file's own spelling of it may have been turned elsewhere.
func (a *Adapter) rootStands(spelling string) bool {
	root, err := realRoot(spelling)
	return err == nil && root == a.root
}

// read makes a snapshot of the file as it is now.
func (a *Adapter) read(ctx context.Context) (*cached, error) {
	data, _, err := readSession(ctx, a.path, a.limit)
	if err != nil {
		return nil, err
	}
	s, err := parseSession(ctx, data, a.limit)
	if err != nil {
		return nil, err
	}
	root, err := realRoot(s.header.ProjectRoot)
	if err != nil {
		return nil, err
	}
	if !a.owns(s, root) {
		return nil, ErrIdentity
	}
	snapshot := s.snapshot(root, history.RevisionOf(data))
	if len(history.Validate(snapshot)) > 0 {
		return nil, ErrInvalid
	}
	return &cached{freeze(snapshot), s.header.ProjectRoot}, nil
}

// owns reports whether a file is of this adapter's runtime, session and project,
// and every message of the session.
func (a *Adapter) owns(s *session, root string) bool {
	h := s.header
	// A relative root would depend on where the process stands.
	if h.RuntimeID != a.runtimeID || root != a.root || !filepath.IsAbs(h.ProjectRoot) {
		return false
	}
	if a.sessionID != "" && h.SessionID != a.sessionID {
		return false
	}
	for i := range s.messages {
		if s.messages[i].Provenance.SessionID != h.SessionID {
			return false
		}
	}
	return true
}

// refuse turns an error into one of the fixed ones and writes it down.
func (a *Adapter) refuse(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrIdentity):
		a.report(history.CodeHistoryIdentityMismatch)
		return ErrIdentity
	case errors.Is(err, ErrInvalid):
		a.report(history.CodeHistoryInvalid)
		return ErrInvalid
	}
	a.report(history.CodeHistoryReadFailed)
	return ErrUnavailable
}
