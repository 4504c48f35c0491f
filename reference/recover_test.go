package reference

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// beside lists the files beside a session, by what they hold.
func (h home) beside(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(h.path))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if path := filepath.Join(filepath.Dir(h.path), e.Name()); path != h.path {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(data))
		}
	}
	return out
}

// entries names the messages of a session that can be read.
func (h home) entries(t testing.TB) string {
	t.Helper()
	s, err := adapter(t, h.options()).SnapshotHistory(t.Context())
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	var out []string
	for _, m := range s.Messages {
		out = append(out, m.SourceEntryID)
	}
	return strings.Join(out, " ")
}

func record(t testing.TB, m history.Message) string {
	t.Helper()
	line, err := appendRecord(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestRecover(t *testing.T) {
	whole := record(t, text("half", "größer"))
	inside := whole[:strings.Index(whole, "öß")+1] // in the middle of a character
	for _, c := range []struct {
		name string
		tail string
		want Recovery
		kept string // what the session has behind its four messages
	}{
		{"whole", "", Recovery{Messages: 4}, ""},
		{"torn", `{"role":"assis`, Recovery{Messages: 4, Moved: 14}, ""},
		{"torn inside a character", inside, Recovery{Messages: 4, Moved: int64(len(inside))}, ""},
		{"one byte", "{", Recovery{Messages: 4, Moved: 1}, ""},
		{"whole record without its line end", strings.TrimSuffix(whole, "\n"), Recovery{Messages: 5, Completed: true}, " half"},
		{"whole record that ends in a carriage return", strings.TrimSuffix(whole, "\n") + "\r", Recovery{Messages: 5, Completed: true}, " half"},
		{"torn, then a blank line", "{\"role\":\"assis\n\n", Recovery{Messages: 4, Moved: 16}, ""},
		{"blank lines", "\n\n \n", Recovery{Messages: 4, Moved: 4}, ""},
		{"NULs", strings.Repeat("\x00", 400), Recovery{Messages: 4, Moved: 400}, ""},
		{"NULs, then a line end", strings.Repeat("\x00", 400) + "\n", Recovery{Messages: 4, Moved: 401}, ""},
		{"invalid UTF-8", "\xff\xfe\n", Recovery{Messages: 4, Moved: 3}, ""},
		{"record glued to a torn one", `{"role":"assis` + whole, Recovery{Messages: 4, Moved: int64(14 + len(whole))}, ""},
		{"whole record of another session", `{"type":"message","message":{"id":"x"}}`, Recovery{Messages: 4, Moved: 39}, ""},
		{"whole record that does not belong", strings.TrimSuffix(record(t, result("half", "nobody")), "\n"),
			Recovery{Messages: 4, Moved: int64(len(record(t, result("half", "nobody"))) - 1)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, fixture()...)
			good := h.bytes(t)
			h.write(t, append(bytes.Clone(good), c.tail...))
			got, err := Recover(t.Context(), h.path)
			if err != nil {
				t.Fatal(err)
			}
			side := got.Side
			got.Side = ""
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.want.Moved > 0 {
				if diff := cmp.Diff([]string{c.tail}, h.beside(t)); diff != "" {
					t.Errorf("set aside (-want +got):\n%s", diff)
				}
				if info, err := os.Stat(side); err != nil || info.Mode().Perm() != 0o600 || info.Size() != c.want.Moved {
					t.Errorf("side file %v, error %v", info, err)
				}
			} else if n := len(h.beside(t)); n != 0 || side != "" {
				t.Errorf("%d files beside the session, side %q", n, side)
			}
			if !bytes.HasPrefix(h.bytes(t), good) {
				t.Error("the old records were changed")
			}
			h.unchanged(t, func() {
				again, err := Recover(t.Context(), h.path)
				if diff := cmp.Diff(Recovery{Messages: c.want.Messages}, again); diff != "" || err != nil {
					t.Errorf("once more: error %v (-want +got):\n%s", err, diff)
				}
			})
			if err := Append(t.Context(), h.path, text("next", "x")); err != nil {
				t.Fatal(err)
			}
			if got, want := h.entries(t), "entry-user entry-call entry-result entry-assistant"+c.kept+" next"; got != want {
				t.Errorf("messages %s, want %s", got, want)
			}
		})
	}
}

func TestRecoverRefuses(t *testing.T) {
	lines := func(edit func(l [][]byte) [][]byte) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Join(edit(bytes.SplitAfter(b, []byte("\n"))), nil) }
	}
	for _, c := range []struct {
		name string
		edit func([]byte) []byte
		want func(error) bool
		line string
	}{
		{"empty", func([]byte) []byte { return nil }, is(ErrFormat), ""},
		{"no header", func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] }, is(ErrFormat), "line 1"},
		{"torn header", func(b []byte) []byte { return b[:20] }, is(ErrFormat), "line 1"},
		{"byte order mark", func(b []byte) []byte { return append([]byte("\ufeff"), b...) }, is(ErrFormat), "line 1"},
		{"NULs in the middle", lines(func(l [][]byte) [][]byte { l[2] = append(make([]byte, 400), l[2]...); return l }), is(ErrFormat), "line 3"},
		{"blank line in the middle", lines(func(l [][]byte) [][]byte { l[2] = append([]byte("\n"), l[2]...); return l }), is(ErrFormat), "line 3"},
		{"damage before a record without its line end", lines(func(l [][]byte) [][]byte { l[3] = []byte("x\n"); l[4] = bytes.TrimSpace(l[4]); return l }), is(ErrFormat), "line 4"},
		{"message twice", lines(func(l [][]byte) [][]byte { return append(l[:5:5], l[4], []byte("{")) }), issue(history.IssueMessageIDDuplicate), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, fixture()...)
			h.write(t, c.edit(h.bytes(t)))
			h.unchanged(t, func() {
				if got, err := Recover(t.Context(), h.path); !c.want(err) || got != (Recovery{}) || !strings.Contains(err.Error(), c.line) {
					t.Errorf("%+v, error %v", got, err)
				}
			})
			if n := len(h.beside(t)); n != 0 {
				t.Errorf("%d files beside the session", n)
			}
		})
	}
}

func TestRecoverBesideAWriter(t *testing.T) {
	h := newHome(t, fixture()...)
	w := openWriter(t, WriterOptions{Path: h.path})
	h.write(t, append(h.bytes(t), '{'))
	h.unchanged(t, func() {
		if _, err := Recover(t.Context(), h.path); !is(ErrLocked)(err) {
			t.Errorf("error %v", err)
		}
	})
	w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.unchanged(t, func() {
		if _, err := Recover(ctx, h.path); !is(context.Canceled)(err) {
			t.Errorf("error %v", err)
		}
	})
	if _, err := Recover(t.Context(), h.path); err != nil {
		t.Error(err)
	}
	if _, err := Recover(t.Context(), h.path+"-gone"); !is(os.ErrNotExist)(err) {
		t.Errorf("missing file: error %v", err)
	}
}

// Someone without the lock writes while a session is recovered: nothing is cut off
// that was not set aside.
func TestCutLooksAgain(t *testing.T) {
	h := newHome(t, fixture()...)
	w := openWriter(t, WriterOptions{Path: h.path})
	read, err := os.Stat(h.path)
	if err != nil {
		t.Fatal(err)
	}
	h.write(t, append(h.bytes(t), "foreign\n"...))
	h.unchanged(t, func() {
		if err := w.cut(read, 10); !is(ErrLocked)(err) {
			t.Errorf("error %v", err)
		}
	})
	data := h.bytes(t)
	if err := os.Rename(h.path, h.path+"-old"); err != nil {
		t.Fatal(err)
	}
	h.write(t, data)
	h.unchanged(t, func() {
		if err := w.cut(read, 10); !is(ErrReplaced)(err) {
			t.Errorf("error %v", err)
		}
	})
}

// A side file that is already there, from a recovery that was cut short, is used;
// one that holds something else is left alone.
func TestRecoverKeepsSideFiles(t *testing.T) {
	h := newHome(t, fixture()...)
	good := h.bytes(t)
	torn := append(bytes.Clone(good), `{"role":"assis`...)
	tear := func() Recovery {
		h.write(t, torn)
		r, err := Recover(t.Context(), h.path)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, again := tear(), tear()
	if first != again || len(h.beside(t)) != 1 {
		t.Errorf("%+v, then %+v, %d files", first, again, len(h.beside(t)))
	}
	if err := os.WriteFile(first.Side, []byte("the user's notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	third := tear()
	if diff := cmp.Diff([]string{"the user's notes", `{"role":"assis`}, h.beside(t)); diff != "" || third.Side == first.Side {
		t.Errorf("side %q (-want +got):\n%s", third.Side, diff)
	}
	if !bytes.Equal(good, h.bytes(t)) {
		t.Error("the session is not what it was")
	}
}

// Whatever byte a writer died at, the session can be recovered: what was whole
// stays, what was not is set aside, byte by byte.
func TestRecoverAtEveryByte(t *testing.T) {
	h := newHome(t, fixture()...)
	data := h.bytes(t)
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	for cut := last + 1; cut < len(data); cut++ {
		h.write(t, data[:cut])
		r, err := Recover(t.Context(), h.path)
		if err != nil {
			t.Fatalf("cut at byte %d: %v", cut-last, err)
		}
		if cut == len(data)-1 {
			if !r.Completed || !bytes.Equal(h.bytes(t), data) {
				t.Errorf("cut before the line end: %+v", r)
			}
			continue
		}
		side, err := os.ReadFile(r.Side)
		if err != nil || !bytes.Equal(append(h.bytes(t), side...), data[:cut]) || !bytes.Equal(h.bytes(t), data[:last]) {
			t.Fatalf("cut at byte %d: %+v, error %v", cut-last, r, err)
		}
	}
}
