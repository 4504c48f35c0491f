package historytest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// T is what the body of a check is given: one fresh adapter and everything that is
// known about what it stands on.
type T struct {
	*check.C
	Adapter  history.Adapter
	Instance *check.HistoryInstance
	// Fixture is the suite's own copy, which the subject never had in its hands.
	Fixture check.Fixture
	// Root is the real path of the project root.
	Root string
	// Base holds every directory of the fixture.
	Base string
	// Transport records what leaves the adapter.
	Transport *Spy

	given check.Fixture   // what the constructor had in its hands
	used  map[string]bool // words that this check has used
}

// shape changes a fixture before the subject sees it.
type shape func(t *T, f *check.Fixture)

// with makes the function of a check out of a typed body. The shapes change the
// fixture of four messages that the check starts from.
func with(run func(ctx context.Context, t *T), shapes ...shape) func(context.Context, *check.C) {
	return func(ctx context.Context, c *check.C) {
		run(ctx, build(ctx, &T{C: c, used: map[string]bool{}}, shapes))
	}
}

// each makes the function of a check that runs its body once for each shape, on a
// fresh adapter.
func each(run func(ctx context.Context, t *T), shapes ...shape) func(context.Context, *check.C) {
	return func(ctx context.Context, c *check.C) {
		used := map[string]bool{}
		for _, s := range shapes {
			run(ctx, build(ctx, &T{C: c, used: used}, []shape{s}))
		}
	}
}

// Another builds a second adapter in the same check, over a fixture of its own.
func (t *T) Another(ctx context.Context, shapes ...shape) *T {
	return build(ctx, &T{C: t.C, used: t.used}, shapes)
}

// build makes fixture and adapter. What cannot be built is not judged.
func build(ctx context.Context, t *T, shapes []shape) *T {
	if t.Subject.History == nil {
		t.Cannot(errors.New("the subject does not implement the history contract"))
	}
	t.Transport = newSpy(t.word())
	if err := t.lay(); err != nil {
		t.Cannot(fmt.Errorf("cannot make the fixture: %w", err))
	}
	for _, s := range shapes {
		s(t, &t.Fixture)
	}
	fit(t.Subject.Format, &t.Fixture)
	root, err := filepath.EvalSymlinks(t.Fixture.Root)
	if err != nil {
		t.Cannot(fmt.Errorf("cannot resolve the project root: %w", err))
	}
	t.Root = root

	t.given = clone(t.Fixture)
	t.given.Transport = t.Transport.Carry
	// The adapter may live as long as the check does, so the constructor gets the
	// check's context and not the call's.
	in, err := check.Await(ctx, t.C, t.Budgets.Check/2, func(context.Context) (*check.HistoryInstance, error) {
		return t.Subject.History(ctx, t.given)
	})
	if err != nil {
		t.Cannot(fmt.Errorf("cannot build the subject: %w", err))
	}
	if in == nil || in.Adapter == nil {
		t.Cannot(errors.New("the subject's constructor returned no adapter"))
	}
	t.Instance, t.Adapter = in, in.Adapter
	t.Cleanup(t.close)
	return t
}

// close runs the subject's own cleanup, once.
func (t *T) close(ctx context.Context) error {
	f := t.Instance.Close
	t.Instance.Close = nil
	if f == nil {
		return nil
	}
	return f(ctx)
}

// lay makes the directories and the fixture of four messages.
func (t *T) lay() error {
	base, err := os.MkdirTemp(t.Scratch, "adaptercheck-history-")
	if err != nil {
		return err
	}
	t.Base = base
	t.Cleanup(func(context.Context) error { return os.RemoveAll(base) })
	project, link, dir := filepath.Join(base, "workspace", "project"), filepath.Join(base, "link"), filepath.Join(base, "subject")
	for _, d := range []string{project, dir} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	if err := os.Symlink(project, link); err != nil {
		link = project // a system without links for everyone
	}
	t.Fixture = t.four(link, dir)
	return nil
}

// clone shares nothing mutable with f but the ports.
func clone(f check.Fixture) check.Fixture {
	f.Model = *f.Model.Clone()
	messages := f.Messages
	f.Messages = make([]history.Message, len(messages))
	for i, m := range messages {
		f.Messages[i] = m.Clone()
	}
	return f
}
