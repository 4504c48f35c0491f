package pi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// SnapshotHistory reads the session file and gives the branch that ends with the
// leaf. It refuses with [ErrUntrusted], [ErrUnavailable], [ErrIdentity],
// [ErrInvalid] or [ErrClosed], and with the error of a context that is over.
//
// The revision is the SHA-256 of the canonical JSON of the leaf's id and the
// entries of the branch: other branches, and how a line is written, do not change
// it. The file's bytes are looked at on every call; only when they are new are they
// parsed.
func (a *Adapter) SnapshotHistory(ctx context.Context) (history.Snapshot, error) {
	if err := a.mayRead(ctx); err != nil {
		return history.Snapshot{}, err
	}
	return a.boundary.Snapshot(ctx)
}

// RebuildDerivedState drops the snapshot that was made last and reads the file again.
func (a *Adapter) RebuildDerivedState(ctx context.Context) (history.Snapshot, error) {
	if err := a.mayRead(ctx); err != nil {
		return history.Snapshot{}, err
	}
	return a.boundary.Rebuild(ctx)
}

// mayRead refuses a history before its file is touched.
func (a *Adapter) mayRead(ctx context.Context) error {
	if err := a.boundary.Usable(ctx); err != nil {
		return err
	}
	if !a.trusted {
		return a.refuse(ctx, ErrUntrusted)
	}
	return nil
}

// snapshot makes a snapshot of a file's bytes. It also gives the working directory
// as the file spells it.
func (a *Adapter) snapshot(ctx context.Context, data []byte) (history.Snapshot, string, error) {
	s, err := parse(ctx, data, a.entries)
	if err != nil {
		return history.Snapshot{}, "", err
	}
	if a.sessionID != "" && s.id != a.sessionID || !boundary.Stands(s.cwd, a.root) {
		return history.Snapshot{}, "", ErrIdentity
	}
	branch, err := s.branch(a.leaf)
	if err != nil {
		return history.Snapshot{}, "", err
	}
	revision, err := revisionOf(ctx, branch)
	if err != nil {
		return history.Snapshot{}, "", err
	}
	messages, err := convert(ctx, s.id, branch)
	if err != nil {
		return history.Snapshot{}, "", err
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
		return history.Snapshot{}, "", fmt.Errorf("%w: %s, %d in all", ErrInvalid, issues[0].Code, len(issues))
	}
	return snapshot, s.cwd, nil
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
