package reference

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// SnapshotHistory reads the session file. It refuses with [ErrUnavailable],
// [ErrIdentity], [ErrInvalid] or [ErrClosed], and with the error of a context that
// is over. The file's bytes are looked at on every call; only when they are new are
// they parsed.
func (a *Adapter) SnapshotHistory(ctx context.Context) (history.Snapshot, error) {
	return a.boundary.Snapshot(ctx)
}

// RebuildDerivedState drops the snapshot that was made last and reads the file again.
func (a *Adapter) RebuildDerivedState(ctx context.Context) (history.Snapshot, error) {
	return a.boundary.Rebuild(ctx)
}

// snapshot makes a snapshot of a file's bytes. It also gives the project root as the
// file spells it.
func (a *Adapter) snapshot(ctx context.Context, data []byte) (history.Snapshot, string, error) {
	s, err := parseSession(ctx, data, a.limit)
	if err != nil {
		return history.Snapshot{}, "", err
	}
	root, err := boundary.RealRoot(s.header.ProjectRoot)
	if err != nil {
		return history.Snapshot{}, "", err
	}
	if !a.owns(s, root) {
		return history.Snapshot{}, "", ErrIdentity
	}
	snapshot := s.snapshot(root, history.RevisionOf(data))
	if len(history.Validate(snapshot)) > 0 {
		return history.Snapshot{}, "", ErrInvalid
	}
	return snapshot, s.header.ProjectRoot, nil
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
		a.boundary.Report(history.CodeHistoryIdentityMismatch)
		return ErrIdentity
	case errors.Is(err, ErrInvalid):
		a.boundary.Report(history.CodeHistoryInvalid)
		return ErrInvalid
	}
	a.boundary.Report(history.CodeHistoryReadFailed)
	return ErrUnavailable
}
