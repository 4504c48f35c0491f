package historytest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func refusalChecks() []check.Check {
	source := []check.Feature{fakes.Source}
	return []check.Check{
		// A corrupt source is an error. It is not repaired, not read in part, and not
		// answered from memory.
		{
			ID: "history.canonical.refuses-corrupt", Case: "canonical-history", Clause: "history#snapshot-refuses",
			Level: check.Must, Provenance: check.Stated, Needs: source,
			Codes: codes("corrupt-source-accepted", "emptied-source-accepted", "source-repaired"),
			Title: "refuses a corrupt source and leaves it as it is",
			Run: with(func(ctx context.Context, t *T) {
				t.refuses(ctx, (*T).trySnapshot, damage{"garbled", "corrupt-source-accepted", garbled}, damage{"emptied", "emptied-source-accepted", emptied})
			}),
		},
		// A last record that was cut while it was written is no record.
		{
			ID: "history.canonical.refuses-torn", Case: "canonical-history", Clause: "history#snapshot-refuses",
			Level: check.Must, Provenance: check.Stated, Needs: source, Codes: codes("torn-source-accepted", "source-repaired"),
			Title: "refuses a source whose last record is torn",
			Run: with(func(ctx context.Context, t *T) {
				t.refuses(ctx, (*T).trySnapshot, damage{"torn", "torn-source-accepted", torn})
			}),
		},
		// A source that is gone is an error, and no reason to make one.
		{
			ID: "history.canonical.refuses-missing", Case: "canonical-history", Clause: "history#snapshot-refuses",
			Level: check.Must, Provenance: check.Stated, Needs: source, Codes: codes("missing-source-accepted", "source-created"),
			Title: "refuses a source that is not there",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				path := t.source().Path()
				if err := os.Rename(path, filepath.Join(t.Base, "moved")); err != nil {
					t.Cannot(err)
				}
				_, err := t.trySnapshot(ctx)
				t.demand(err != nil, "missing-source-accepted", "a snapshot without a source")
				_, err = os.Stat(path)
				t.demand(errors.Is(err, fs.ErrNotExist), "source-created", "the source is there again")
			}),
		},
		// Bytes that are no text are corruption: replaced by a substitute, two
		// histories would look the same and have one revision.
		{
			ID: "history.canonical.refuses-bad-text", Case: "canonical-history", Clause: "history#bad-text",
			Level: check.Must, Provenance: check.Decided, Needs: source, Codes: codes("bad-text-accepted", "source-repaired"),
			Title: "refuses a source with broken characters",
			Run: with(func(ctx context.Context, t *T) {
				if _, there := onDisk(t.source().Path(), t.contents()); !there {
					t.Unobserved(fakes.Source) // the source keeps no plain text
				}
				word := []byte(t.contents()[0])
				t.refuses(ctx, (*T).trySnapshot, damage{"bad text", "bad-text-accepted", func(b []byte) []byte {
					bad := bytes.Clone(word)
					bad[len(bad)/2] = 0xff
					return bytes.ReplaceAll(b, word, bad)
				}})
			}),
		},
		// A history that breaks the rules of calls and results is no history: what answers
		// no call, or one of two, can be replayed in no right way. It is not mended either.
		{
			ID: "history.canonical.refuses-invalid", Case: "canonical-history", Clause: "history#snapshot-refuses",
			Level: check.Must, Provenance: check.Stated, Needs: source, Codes: codes("orphan-accepted", "reused-call-accepted", "source-repaired"),
			Title: "refuses a source whose calls and results do not fit",
			Run: with(func(ctx context.Context, t *T) {
				group := history.AtomicGroups(t.Fixture.Messages)[1] // the batch
				first, second := []byte(group.ToolCallIDs[0]), []byte(group.ToolCallIDs[1])
				if _, there := onDisk(t.source().Path(), group.ToolCallIDs[:1]); !there {
					t.Unobserved(fakes.Source) // the source keeps no plain text
				}
				unknown := []byte("call-" + t.word())
				t.refuses(ctx, (*T).trySnapshot,
					damage{"orphan", "orphan-accepted", func(b []byte) []byte {
						at := bytes.LastIndex(b, first)
						return slices.Concat(b[:at], unknown, b[at+len(first):])
					}},
					damage{"reused call", "reused-call-accepted", func(b []byte) []byte { return bytes.ReplaceAll(b, second, first) }})
			}, parallel),
		},
		// The history of another session or another project is not this one's, however
		// well formed: taken for it, one user's words are sent in another's name.
		{
			ID: "history.canonical.refuses-foreign", Case: "canonical-history", Clause: "history#session-binding",
			Level: check.Must, Provenance: check.Decided, Needs: source,
			Codes: codes("foreign-session-accepted", "foreign-runtime-accepted", "foreign-root-accepted", "source-repaired"),
			Title: "refuses the history of another session, runtime or project",
			Run: with(func(ctx context.Context, t *T) {
				for _, foreign := range []struct {
					name  string
					code  check.Code
					other shape
				}{
					{"session", "foreign-session-accepted", func(t *T, f *check.Fixture) { rename(f, f.RuntimeID, "session-"+t.word()) }},
					{"runtime", "foreign-runtime-accepted", func(t *T, f *check.Fixture) { rename(f, "runtime-"+t.word(), f.SessionID) }},
					{"root", "foreign-root-accepted", func(_ *T, f *check.Fixture) { f.Root = filepath.Dir(f.Dir) }},
				} {
					other := t.Another(ctx, like(t.Fixture), foreign.other)
					b, err := os.ReadFile(other.source().Path())
					if err != nil {
						t.Cannot(err)
					}
					fresh := t.Another(ctx, like(t.Fixture))
					fresh.refuses(ctx, (*T).trySnapshot, damage{foreign.name, foreign.code, func([]byte) []byte { return b }})
				}
			}),
		},
		// Once the source is whole again, so is the adapter.
		{
			ID: "history.canonical.recovers", Case: "canonical-history", Clause: "history#recovery",
			Level: check.Should, Provenance: check.Decided, Needs: source, Codes: codes("refusal-sticks"),
			Title: "reads on once the source is whole again",
			Run: with(func(ctx context.Context, t *T) {
				s := t.stamp()
				t.alive(ctx)
				t.overwrite(s.path, torn(s.bytes), 0)
				_, err := t.trySnapshot(ctx)
				t.require(err != nil, "a torn source is accepted")
				t.overwrite(s.path, s.bytes, 1)
				got, err := t.trySnapshot(ctx)
				t.demand(err == nil && sameContent(t.Fixture.Messages, got.Messages), "refusal-sticks", "%v", err)
			}),
		},
		// An error is shown and logged; it says what is wrong, not what was said.
		{
			ID: "history.canonical.refusal-silent", Case: "canonical-history", Clause: "history#refusal-metadata",
			Level: check.Should, Provenance: check.Decided, Needs: source, Codes: codes("refusal-leaks"),
			Title: "keeps content out of its errors",
			Run: with(func(ctx context.Context, t *T) {
				s := t.stamp()
				t.alive(ctx)
				for i, broken := range [][]byte{torn(s.bytes), garbled(s.bytes)} {
					t.overwrite(s.path, broken, i)
					_, err := t.trySnapshot(ctx)
					t.require(err != nil, "a corrupt source is accepted")
					if word, leak := found(texts(err), t.contents()); leak {
						t.Notef("refusal-leaks", "%q", word)
					}
				}
			}),
		},
	}
}

// rename gives a fixture other identities, everywhere.
func rename(f *check.Fixture, runtime, session string) {
	f.RuntimeID, f.SessionID = runtime, session
	for i := range f.Messages {
		m := &f.Messages[i]
		m.ID = session + ":" + m.SourceEntryID
		m.Provenance.SessionID = session
		m.Provenance.RuntimeID = history.Some(runtime)
	}
}

// reader is a method that reads the source.
type reader func(t *T, ctx context.Context) (history.Snapshot, error)

// refuses damages the source in each of the ways, under a fresh adapter that has
// read it while it was whole, and reports every way that the reader answers. The
// source must stay as the suite left it.
func (t *T) refuses(ctx context.Context, read reader, ways ...damage) {
	for i, d := range ways {
		if i > 0 {
			t = t.Another(ctx, like(t.Fixture))
		}
		s := t.stamp()
		t.alive(ctx)
		broken := d.make(s.bytes)
		t.require(!bytes.Equal(broken, s.bytes), "the source cannot be damaged: "+d.name)
		t.overwrite(s.path, broken, i)
		_, err := read(t, ctx)
		t.expect(err != nil, d.code, "%s", d.name)
		now, err := os.ReadFile(s.path)
		t.expect(err == nil && bytes.Equal(now, broken), "source-repaired", "%s: the damaged file is not what it was", d.name)
	}
}
