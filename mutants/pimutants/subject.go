package pimutants

import (
	"context"
	"errors"
	"os"

	"github.com/adaptercheck/adaptercheck/adapters/pi"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/reference/privacy"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Branched is Pi over a session of which the fixture's history is one branch. The
// others were abandoned by the user, and on the way stand entries that are no
// messages. The right adapter gives the fixture's history all the same.
func Branched() check.Subject {
	s := subjects.Pi()
	s.Format.MaxMessages -= forked
	straight := s.History
	s.History = func(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
		in, err := straight(ctx, f)
		if err != nil {
			return nil, err
		}
		return in, rewrite(in.Source.Path(), fork)
	}
	return s
}

// built is what a mutant may reach: the right adapter, the fixture that the factory
// was given, and the session file.
type built struct {
	*pi.Adapter
	f    check.Fixture
	path string
}

// over makes a subject of a wrong adapter over the right one.
func over(wrong func(b built) history.Adapter) func() check.Subject {
	return func() check.Subject {
		s := Branched()
		right := s.History
		s.Name = "mutant"
		s.History = func(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
			in, err := right(ctx, f)
			if err != nil {
				return nil, err
			}
			in.Adapter = wrong(built{in.Adapter.(*pi.Adapter), f, in.Source.Path()})
			return in, nil
		}
		return s
	}
}

// next reads as the right adapter does.
type next = func(context.Context) (history.Snapshot, error)

// reading is a wrong way to read, by snapshot and by rebuild.
type reading = func(ctx context.Context, next next) (history.Snapshot, error)

type reader struct {
	built
	read reading
}

func (r reader) SnapshotHistory(ctx context.Context) (history.Snapshot, error) {
	return r.read(ctx, r.Adapter.SnapshotHistory)
}

func (r reader) RebuildDerivedState(ctx context.Context) (history.Snapshot, error) {
	return r.read(ctx, r.Adapter.RebuildDerivedState)
}

// reads makes a subject that reads otherwise.
func reads(wrong func(b built) reading) func() check.Subject {
	return over(func(b built) history.Adapter { return reader{b, wrong(b)} })
}

// opened makes a subject that reads with other options.
func opened(change func(b built) func(o *pi.Options)) func() check.Subject {
	return reads(func(b built) reading {
		edit := change(b)
		return func(ctx context.Context, _ next) (history.Snapshot, error) { return b.open(ctx, edit) }
	})
}

// open reads as the right adapter does, but for options that are changed.
func (b built) open(ctx context.Context, change func(o *pi.Options)) (history.Snapshot, error) {
	engine, err := privacy.New(privacy.Config{})
	if err != nil {
		return history.Snapshot{}, err
	}
	o := pi.Options{
		Path: b.path, SessionID: b.f.SessionID, ProjectRoot: b.f.Root, Trusted: true,
		Transport: b.f.Transport, Privacy: engine, EmbeddingPort: b.f.Ports.Embedding,
	}
	if b.f.Model.ID != "" {
		o.Model = &b.f.Model
	}
	change(&o)
	a, err := pi.New(o)
	if err != nil {
		return history.Snapshot{}, err
	}
	return a.SnapshotHistory(ctx)
}

// misread makes a subject that takes a session file to say something else.
func misread(edit func(lines []line) []line) func() check.Subject {
	return misreadBytes(func(_ built, data []byte) []byte { return onLines(edit)(data) })
}

// misreadBytes is misread for what is no list of lines.
func misreadBytes(edit func(b built, data []byte) []byte) func() check.Subject {
	return reads(func(b built) reading {
		return func(ctx context.Context, _ next) (s history.Snapshot, err error) {
			data, err := os.ReadFile(b.path)
			if err != nil {
				return s, err
			}
			file, err := os.CreateTemp("", "pi-mutant-*.jsonl")
			if err != nil {
				return s, err
			}
			defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
			_, err = file.Write(edit(b, data))
			if err = errors.Join(err, file.Close()); err != nil {
				return s, err
			}
			return b.open(ctx, func(o *pi.Options) { o.Path = file.Name() })
		}
	})
}

// changed makes a subject that changes each snapshot.
func changed(change func(b built, s *history.Snapshot)) func() check.Subject {
	return reads(func(b built) reading {
		return func(ctx context.Context, next next) (history.Snapshot, error) {
			s, err := next(ctx)
			if err == nil {
				change(b, &s)
			}
			return s, err
		}
	})
}

// messages makes a subject that changes each message; the groups still fit.
func messages(change func(m *history.Message)) func() check.Subject {
	return changed(func(_ built, s *history.Snapshot) {
		for i := range s.Messages {
			change(&s.Messages[i])
		}
	})
}

// blocks makes a subject that puts other blocks in the place of each one: none, or
// several.
func blocks(change func(b history.Block) []history.Block) func() check.Subject {
	return messages(func(m *history.Message) {
		var out []history.Block
		for _, b := range m.Blocks {
			out = append(out, change(b)...)
		}
		m.Blocks = out
	})
}

// each makes a subject that changes each block of one kind.
func each[B history.Block](change func(b *B)) func() check.Subject {
	return blocks(func(b history.Block) []history.Block {
		if k, ok := b.(B); ok {
			change(&k)
			b = k
		}
		return []history.Block{b}
	})
}

// without makes a subject that loses each block of one kind.
func without(kind history.BlockType) func() check.Subject {
	return blocks(func(b history.Block) []history.Block {
		if b.Type() == kind {
			return nil
		}
		return []history.Block{b}
	})
}
