package boundary

import (
	"context"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// Source says how the canonical history of a runtime is read. [Boundary.Snapshot] and
// [Boundary.Rebuild] need all of it.
type Source struct {
	// File holds it.
	File File
	// Root is the real path of the one project root.
	Root string
	// Make makes a snapshot of the file's content, which it must not change. It also
	// gives the project root as the content spells it, for [Stands].
	Make func(ctx context.Context, content []byte) (s history.Snapshot, root string, err error)
	// Refuse turns an error of File or Make into the one that the caller of
	// [Boundary.Snapshot] gets, and writes it down.
	Refuse func(ctx context.Context, err error) error
}

// made is the snapshot that was made last. It is never handed out nor changed, only
// copied.
type made struct {
	// content is what it was made of. To keep it costs memory of the file's size, and a
	// comparison is five times as quick as a hash.
	content  []byte
	root     string // as the content spells it
	snapshot history.Snapshot
}

// Snapshot gives the canonical history. As long as the file holds the same bytes, it
// is made only once and copied for each caller. It refuses with [ErrClosed], with the
// error of a context that is over, and with what [Source.Refuse] says.
func (b *Boundary) Snapshot(ctx context.Context) (history.Snapshot, error) {
	if err := b.Usable(ctx); err != nil {
		return history.Snapshot{}, err
	}
	b.mu.Lock()
	last := b.made
	b.mu.Unlock()
	if last != nil {
		// The file is nearly always the same, so the copy is made beside the comparison.
		ready := make(chan history.Snapshot)
		go func() { ready <- last.snapshot.Clone() }()
		same, err := b.source.File.Holds(ctx, last.content)
		s := <-ready
		if err == nil && same && Stands(last.root, b.source.Root) {
			return b.deliver(s)
		}
	}
	fresh, err := b.read(ctx)
	if err != nil {
		return history.Snapshot{}, b.source.Refuse(ctx, err)
	}
	b.mu.Lock()
	if !b.closed {
		b.made = fresh
	}
	b.mu.Unlock()
	return b.deliver(fresh.snapshot.Clone())
}

// Rebuild drops the snapshot that was made last and gives a new one.
func (b *Boundary) Rebuild(ctx context.Context) (history.Snapshot, error) {
	if err := b.Usable(ctx); err != nil {
		return history.Snapshot{}, err
	}
	b.mu.Lock()
	b.made = nil
	b.mu.Unlock()
	s, err := b.Snapshot(ctx)
	if err == nil {
		b.Report(history.CodeDerivedStateRebuilt)
	}
	return s, err
}

// read makes a snapshot of the file as it is now.
func (b *Boundary) read(ctx context.Context) (*made, error) {
	content, err := b.source.File.Read(ctx)
	if err != nil {
		return nil, err
	}
	s, root, err := b.source.Make(ctx, content)
	if err != nil {
		return nil, err
	}
	return &made{content, root, s}, nil
}

// deliver hands a snapshot out, unless the adapter was closed meanwhile.
func (b *Boundary) deliver(s history.Snapshot) (history.Snapshot, error) {
	if b.Closed() {
		return history.Snapshot{}, ErrClosed
	}
	return s, nil
}

// Stands reports whether a project root, as a file spells it, is the real path root.
// A link in the spelling may have been turned elsewhere since the last time. A
// relative one is none: it would depend on where this process stands.
func Stands(spelling, root string) bool {
	path, err := RealRoot(spelling)
	return err == nil && path == root && filepath.IsAbs(spelling)
}
