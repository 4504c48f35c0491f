package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func openWriter(t testing.TB, opts WriterOptions) *Writer {
	t.Helper()
	w, err := OpenWriter(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func TestAppend(t *testing.T) {
	with := func(edit func(*history.Message)) history.Message {
		m := text("new", "x")
		edit(&m)
		return m
	}
	for _, c := range []struct {
		name string
		m    history.Message
		want func(error) bool // nil: appended
	}{
		{"valid", text("new", "x"), nil},
		{"dup id", with(func(m *history.Message) { m.ID = sessionID + ":entry-user" }), issue(history.IssueMessageIDDuplicate)},
		{"blank id", with(func(m *history.Message) { m.ID = " " }), issue(history.IssueMessageIDMissing)},
		{"other session", with(func(m *history.Message) { m.Provenance.SessionID = "other" }), is(ErrForeign)},
		{"other runtime", with(func(m *history.Message) { m.Provenance.RuntimeID = history.Some("other") }), is(ErrForeign)},
		{"pi-session without runtimeId", with(func(m *history.Message) {
			m.Provenance.Source, m.Provenance.RuntimeID = history.PiSession, history.Optional[string]{}
		}), is(ErrForeign)},
		{"pi-session with runtimeId", with(func(m *history.Message) { m.Provenance.Source = history.PiSession }), nil},
		{"unknown source", with(func(m *history.Message) { m.Provenance.Source = "elsewhere" }), isShape},
		{"sourceEntryId mismatch", with(func(m *history.Message) { m.SourceEntryID = "other" }), issue(history.IssueProvenanceInvalid)},
		{"no provenance", with(func(m *history.Message) { m.Provenance = history.Provenance{} }), is(ErrForeign)},
		{"invalid block", with(func(m *history.Message) { m.Blocks = []history.Block{nil} }), isShape},
		{"text that is not UTF-8", text("new", "\xff"), isShape},
		{"orphan result", result("new", "nobody"), issue(history.IssueResultOrphaned)},
		{"call again", call("new", "tool-call-1"), issue(history.IssueCallIdentityInvalid)},
		{"call twice in one message", message("new", history.Assistant,
			history.ToolCall{ID: "a", Name: "x"}, history.ToolCall{ID: "a", Name: "x"}), issue(history.IssueCallIdentityInvalid)},
		{"blank call", call("new", ""), issue(history.IssueCallIdentityInvalid)},
		{"second result for a known call", result("new", "tool-call-1"), nil},
		{"live call", call("new", "tool-call-2"), nil},
		{"call and result in one message", message("new", history.Custom,
			history.ToolCall{ID: "a", Name: "x"}, history.ToolResult{ToolCallID: "a", ToolName: "x"}), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, fixture()...)
			before := h.bytes(t)
			err := Append(t.Context(), h.path, c.m)
			after := h.bytes(t)
			if c.want != nil {
				if !c.want(err) {
					t.Errorf("error %v", err)
				}
				if !bytes.Equal(before, after) {
					t.Error("a refused append changed the file")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(after, before) {
				t.Error("the old records were changed")
			}
			s, err := adapter(t, h.options()).SnapshotHistory(t.Context())
			if err != nil || len(s.Messages) != 5 || !history.SameMessage(s.Messages[4], c.m) {
				t.Errorf("%d messages, error %v", len(s.Messages), err)
			}
		})
	}
}

func TestOpenWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(data []byte) []byte
		want func(error) bool
		line string
	}{
		{"unterminated", func(b []byte) []byte { return b[:len(b)-1] }, is(ErrTorn), ""},
		{"torn", func(b []byte) []byte { return append(b, `{"role":"assis`...) }, is(ErrTorn), ""},
		{"torn, then a blank line", func(b []byte) []byte { return append(b, "{\"role\":\"assis\n\n"...) }, is(ErrFormat), "line 6"},
		{"empty", func([]byte) []byte { return nil }, is(ErrFormat), ""},
		{"no header", func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] }, is(ErrFormat), "line 1"},
		{"NULs", func(b []byte) []byte { return append(append(b, make([]byte, 40)...), '\n') }, is(ErrFormat), "line 6"},
		{"unknown role", func(b []byte) []byte { return bytes.Replace(b, []byte(`"tool"`), []byte(`"host"`), 1) }, isShape, "line 4"},
		{"message twice", func(b []byte) []byte {
			l := bytes.SplitAfter(b, []byte("\n"))
			return append(b, l[1]...)
		}, issue(history.IssueMessageIDDuplicate), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, fixture()...)
			h.write(t, c.edit(h.bytes(t)))
			h.unchanged(t, func() {
				if err := Append(t.Context(), h.path, text("new", "PROBE")); !c.want(err) || !strings.Contains(err.Error(), c.line) ||
					strings.Contains(err.Error(), "PROBE") {
					t.Errorf("error %v", err)
				}
			})
		})
	}
	h := newHome(t)
	if _, err := OpenWriter(t.Context(), WriterOptions{Path: h.path + "-gone"}); !is(fs.ErrNotExist)(err) {
		t.Errorf("missing file: error %v", err)
	}
	if _, err := os.Stat(h.path + "-gone"); !is(fs.ErrNotExist)(err) {
		t.Errorf("opening made a file: %v", err)
	}
}

// A process that died in the middle of a record leaves any part of it. Whatever
// part, the session is refused by reader and writer, and no record is glued to it.
func TestKilledInTheMiddle(t *testing.T) {
	h := newHome(t, fixture()...)
	data := h.bytes(t)
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	a := adapter(t, h.options())
	for cut := last; cut <= len(data); cut++ {
		h.write(t, data[:cut])
		// That was a while ago: a reader gives a record that is on its way a moment.
		if err := os.Chtimes(h.path, time.Time{}, time.Now().Add(-time.Minute)); err != nil {
			t.Fatal(err)
		}
		want, wantErr := 3, error(nil)
		switch cut {
		case last:
		case len(data):
			want = 4
		default:
			want, wantErr = 0, ErrUnavailable
		}
		if s, err := a.SnapshotHistory(t.Context()); err != wantErr || len(s.Messages) != want {
			t.Fatalf("cut at byte %d: %d messages, error %v", cut-last, len(s.Messages), err)
		}
		if wantErr == nil {
			continue
		}
		h.unchanged(t, func() {
			if err := Append(t.Context(), h.path, text("new", "x")); !is(ErrTorn)(err) {
				t.Fatalf("cut at byte %d: append: error %v", cut-last, err)
			}
		})
	}
}

func TestSecondWriterIsRefused(t *testing.T) {
	h := newHome(t, fixture()...)
	first := openWriter(t, WriterOptions{Path: h.path})
	h.unchanged(t, func() {
		if _, err := OpenWriter(t.Context(), WriterOptions{Path: h.path}); !is(ErrLocked)(err) {
			t.Errorf("second writer: error %v, want %v", err, ErrLocked)
		}
		if err := Append(t.Context(), h.path, text("b", "x")); !is(ErrLocked)(err) {
			t.Errorf("append beside a writer: error %v, want %v", err, ErrLocked)
		}
	})
	if s, err := adapter(t, h.options()).SnapshotHistory(t.Context()); err != nil || len(s.Messages) != 4 {
		t.Errorf("a reader beside a writer: %d messages, error %v", len(s.Messages), err)
	}
	if err := first.Append(t.Context(), text("a", "x")); err != nil {
		t.Error(err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := first.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if err := first.Append(t.Context(), text("c", "x")); !is(fs.ErrClosed)(err) {
		t.Errorf("append after close: error %v", err)
	}
	if err := Append(t.Context(), h.path, text("b", "x")); err != nil {
		t.Errorf("after the first writer closed: %v", err)
	}
}

// Large records of several goroutines stand each in a line of its own, and readers
// meanwhile see whole histories only.
func TestConcurrentAppends(t *testing.T) {
	h := newHome(t, fixture()...)
	w := openWriter(t, WriterOptions{Path: h.path})
	a := adapter(t, h.options())
	var wg sync.WaitGroup
	for writer := range 4 {
		wg.Go(func() {
			for n := range 8 {
				m := text(fmt.Sprintf("w%d-%d", writer, n), strings.Repeat("x", 200_000))
				if err := w.Append(t.Context(), m); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 8 {
				if _, err := a.SnapshotHistory(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s, err := a.SnapshotHistory(t.Context())
	if err != nil || len(s.Messages) != 4+32 {
		t.Fatalf("%d messages, error %v", len(s.Messages), err)
	}
	if w.Revision() != s.Revision {
		t.Errorf("the writer knows revision %s, the file has %s", w.Revision(), s.Revision)
	}
}

func TestAppendBounds(t *testing.T) {
	h := newHome(t, fixture()...)
	m := text("new", "x")
	line, err := appendRecord(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(h.bytes(t)) + len(line))
	for _, c := range []struct {
		name string
		opts WriterOptions
		want func(error) bool
	}{
		{"a byte over (D12)", WriterOptions{MaxHistoryBytes: size - 1}, is(ErrBounds)},
		{"a message over (D12)", WriterOptions{MaxHistoryMessages: 4}, is(ErrBounds)},
		{"at both bounds", WriterOptions{MaxHistoryBytes: size, MaxHistoryMessages: 5}, func(err error) bool { return err == nil }},
	} {
		c.opts.Path = h.path
		w := openWriter(t, c.opts)
		before := h.bytes(t)
		err := w.Append(t.Context(), m)
		if !c.want(err) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if err != nil && !bytes.Equal(before, h.bytes(t)) {
			t.Errorf("%s: the file was changed", c.name)
		}
		w.Close()
	}
	if _, err := OpenWriter(t.Context(), WriterOptions{Path: h.path, MaxHistoryMessages: 4}); !is(ErrBounds)(err) {
		t.Errorf("a file over the bound: error %v", err)
	}
	if _, err := OpenWriter(t.Context(), WriterOptions{Path: h.path, MaxHistoryMessages: -1}); !is(ErrOptions)(err) {
		t.Errorf("a negative bound: error %v", err)
	}
}

// Someone writes without asking for the lock.
func TestWriterSeesForeignChanges(t *testing.T) {
	h := newHome(t, fixture()...)
	w := openWriter(t, WriterOptions{Path: h.path})
	line, err := appendRecord(nil, call("foreign", "tool-call-9"))
	if err != nil {
		t.Fatal(err)
	}
	h.write(t, append(h.bytes(t), line...))
	if err := w.Append(t.Context(), call("a", "tool-call-9")); !issue(history.IssueCallIdentityInvalid)(err) {
		t.Errorf("a call of the foreign record: error %v", err)
	}
	if err := w.Append(t.Context(), result("b", "tool-call-9")); err != nil {
		t.Errorf("a result for the foreign record: %v", err)
	}

	good := h.bytes(t)
	h.write(t, append(good, `{"type":`...))
	h.unchanged(t, func() {
		if err := w.Append(t.Context(), text("c", "x")); !is(ErrTorn)(err) {
			t.Errorf("a torn foreign record: error %v", err)
		}
	})
	h.write(t, good)
	if err := w.Append(t.Context(), text("c", "x")); err != nil {
		t.Errorf("after it was mended: %v", err)
	}

	if err := os.Rename(h.path, h.path+"-old"); err != nil {
		t.Fatal(err)
	}
	h.write(t, good)
	h.unchanged(t, func() {
		if err := w.Append(t.Context(), text("d", "x")); !is(ErrReplaced)(err) {
			t.Errorf("a replaced file: error %v", err)
		}
	})
}

func TestAppendObeysItsContext(t *testing.T) {
	h := newHome(t, fixture()...)
	w := openWriter(t, WriterOptions{Path: h.path})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.unchanged(t, func() {
		if err := w.Append(ctx, text("a", "x")); !is(context.Canceled)(err) {
			t.Errorf("error %v", err)
		}
	})
}

// A write that failed half-way is taken back; lines of someone else are not.
func TestTakeBack(t *testing.T) {
	h := newHome(t, fixture()...)
	w := openWriter(t, WriterOptions{Path: h.path})
	good := h.bytes(t)
	h.write(t, append(bytes.Clone(good), "{\"half"...))
	if err := w.takeBack(int64(len(good)), 100); err != nil || !bytes.Equal(h.bytes(t), good) {
		t.Errorf("%d bytes, want %d, error %v", len(h.bytes(t)), len(good), err)
	}
	more := append(bytes.Clone(good), bytes.Repeat([]byte("x"), 101)...)
	h.write(t, more)
	if err := w.takeBack(int64(len(good)), 100); err != nil || !bytes.Equal(h.bytes(t), more) {
		t.Errorf("%d bytes, want %d, error %v", len(h.bytes(t)), len(more), err)
	}
}

// Judging one message against the ledger says what judging the whole history says.
func TestLedgerAgreesWithValidate(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		h := header{history.SessionFormat, runtimeID, sessionID, "/root"}
		s := &session{header: h}
		l := newLedger(s)
		for range 30 {
			m := randomMessage(r)
			next := session{h, append(s.messages[:len(s.messages):len(s.messages)], m)}
			want := issueError(history.Validate(next.snapshot("/root", history.PendingWrite)))
			got := l.judge(&m)
			if code(want) != code(got) {
				t.Fatalf("seed %d, %d messages: ledger says %v, the whole history %v", seed, len(s.messages), got, want)
			}
			if got == nil {
				l.add(&m)
				s = &next
			}
		}
	}
}

func code(err error) history.IssueCode {
	if e, ok := errors.AsType[*IssueError](err); ok {
		return e.Code
	}
	return ""
}

func randomMessage(r *rand.Rand) history.Message {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	m := text(fmt.Sprint("e", r.IntN(60)), "x")
	m.Blocks = nil
	for range r.IntN(4) {
		id := pick("", " ", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
		if r.IntN(2) == 0 {
			m.Blocks = append(m.Blocks, history.ToolCall{ID: id, Name: "n"})
		} else {
			m.Blocks = append(m.Blocks, history.ToolResult{ToolCallID: id, ToolName: "n"})
		}
	}
	switch r.IntN(12) {
	case 0:
		m.ID = pick("", " ")
	case 1:
		m.SourceEntryID = "other"
	case 2:
		m.Provenance.EntryID, m.SourceEntryID = " ", " "
	}
	return m
}
