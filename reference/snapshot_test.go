package reference

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func TestSnapshot(t *testing.T) {
	h := newHome(t, fixture()...)
	a := adapter(t, h.options())
	got, err := a.SnapshotHistory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := history.Snapshot{
		SchemaVersion: history.SchemaVersion,
		RuntimeID:     runtimeID, SessionID: sessionID, ProjectRoot: h.root,
		Revision: history.RevisionOf(h.bytes(t)),
		Messages: fixture(),
		ToolAtomicGroups: []history.AtomicGroup{{
			ID:         history.AtomicGroups(fixture())[0].ID,
			MessageIDs: []string{"test-session:entry-call", "test-session:entry-result"}, ToolCallIDs: []string{"tool-call-1"}, Complete: true,
		}},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(history.SameMessage)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if issues := history.Validate(got); len(issues) > 0 {
		t.Errorf("issues %v", issues)
	}
	if codes(a) != "" {
		t.Errorf("diagnostics %s", codes(a))
	}
}

func TestSnapshotIsACopy(t *testing.T) {
	h := newHome(t, fixture()...)
	a := adapter(t, h.options())
	first, err := a.SnapshotHistory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := first.Clone()
	first.Messages[0].ID = "changed"
	first.Messages[1].Blocks[0] = history.Text{Text: "changed"}
	first.ToolAtomicGroups[0].MessageIDs[0] = "changed"
	again, err := a.SnapshotHistory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again, cmp.Comparer(history.SameMessage)); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
}

// Every outcome of a source, as the original has them where it is right.
func TestSnapshotSources(t *testing.T) {
	const (
		ok       = ""
		failed   = "canonical-history-read-failed:error"
		mismatch = "canonical-history-identity-mismatch:error"
		invalid  = "canonical-history-invalid:error"
	)
	sentinels := map[string]error{failed: ErrUnavailable, mismatch: ErrIdentity, invalid: ErrInvalid}
	replace := func(old, new string) func(*testing.T, home, []byte) []byte {
		return func(t *testing.T, _ home, data []byte) []byte {
			if !bytes.Contains(data, []byte(old)) {
				t.Fatalf("%q is not in the file", old)
			}
			return bytes.Replace(data, []byte(old), []byte(new), 1)
		}
	}
	lines := func(edit func([]string) []string) func(*testing.T, home, []byte) []byte {
		return func(_ *testing.T, _ home, data []byte) []byte {
			return []byte(strings.Join(edit(strings.SplitAfter(string(data), "\n")), ""))
		}
	}
	whole := func(f func([]byte) []byte) func(*testing.T, home, []byte) []byte {
		return func(_ *testing.T, _ home, data []byte) []byte { return f(data) }
	}
	unbound := func(o *Options, _ home, _ []byte) { o.SessionID = "" }

	for _, c := range []struct {
		name string
		edit func(*testing.T, home, []byte) []byte
		opts func(*Options, home, []byte)
		want string
		n    int
	}{
		{"untouched", nil, nil, ok, 4},
		{"truncated final newline", whole(func(b []byte) []byte { return b[:len(b)-1] }), nil, failed, 0},
		{"empty file", whole(func([]byte) []byte { return nil }), nil, failed, 0},
		{"only newline", whole(func([]byte) []byte { return []byte("\n") }), nil, failed, 0},
		{"header only", lines(func(l []string) []string { return l[:1] }), nil, ok, 0},
		{"CRLF line ends", whole(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }), nil, ok, 4},
		{"BOM", whole(func(b []byte) []byte { return append([]byte("\ufeff"), b...) }), nil, failed, 0},
		{"blank line in the middle", lines(func(l []string) []string { return []string{l[0], l[1], "\n", l[2], l[3], l[4]} }), nil, failed, 0},
		{"trailing blank line", whole(func(b []byte) []byte { return append(b, '\n') }), nil, failed, 0},
		{"NULs in the middle", whole(func(b []byte) []byte {
			at := bytes.IndexByte(b, '\n') + 1
			return append(append(bytes.Clone(b[:at]), make([]byte, 400)...), b[at:]...)
		}), nil, failed, 0},
		{"NULs as a line", whole(func(b []byte) []byte { return append(append(b, make([]byte, 400)...), '\n') }), nil, failed, 0},
		{"header null", lines(func(l []string) []string { l[0] = "null\n"; return l }), nil, failed, 0},
		{"header type wrong", replace(`"type":"ds4-runtime-session-v1"`, `"type":"ds4-runtime-session-v2"`), nil, failed, 0},
		{"header field missing", replace(`,"sessionId":"test-session","projectRoot"`, `,"projectRoot"`), nil, failed, 0},
		{"header field blank", replace(`"sessionId":"test-session","projectRoot"`, "\"sessionId\":\" \u00a0\",\"projectRoot\""), nil, failed, 0},
		{"header field of another type", replace(`"runtimeId":"test-runtime"`, `"runtimeId":7`), nil, failed, 0},
		{"header extra field", replace(`{"type":"ds4`, `{"more":[1],"type":"ds4`), nil, ok, 4},
		{"header duplicate key is refused, ours is strict", replace(`{"type":"ds4`, `{"type":"x","type":"ds4`), nil, failed, 0},
		{"runtimeId differs", replace(`"runtimeId":"test-runtime"`, `"runtimeId":"other"`), nil, mismatch, 0},
		{"runtimeId padded", replace(`"runtimeId":"test-runtime"`, `"runtimeId":" test-runtime"`), nil, mismatch, 0},
		{"session swapped everywhere (D9)", whole(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(sessionID), []byte("other")) }), nil, mismatch, 0},
		{"session swapped everywhere, none asked for", whole(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(sessionID), []byte("other")) }), unbound, ok, 4},
		{"session swapped in header only (8.21)", replace(`"sessionId":"test-session","projectRoot"`, `"sessionId":"other","projectRoot"`), nil, mismatch, 0},
		{"session swapped in header only, none asked for (8.21)", replace(`"sessionId":"test-session","projectRoot"`, `"sessionId":"other","projectRoot"`), unbound, mismatch, 0},
		{"session swapped in one message (8.21)", replace(`"sessionId":"test-session","entryId"`, `"sessionId":"other","entryId"`), nil, mismatch, 0},
		{"unknown source (8.21)", replace(`"source":"runtime-session"`, `"source":"elsewhere"`), nil, failed, 0},
		{"projectRoot missing dir", replace(`/project"`, `/nowhere"`), nil, failed, 0},
		{"projectRoot = parent", replace(`/project"`, `"`), nil, mismatch, 0},
		{"projectRoot relative", func(_ *testing.T, h home, b []byte) []byte { return bytes.Replace(b, []byte(h.root), []byte("."), 1) }, nil, mismatch, 0},
		{"projectRoot relative, right by chance", func(t *testing.T, h home, b []byte) []byte {
			t.Chdir(h.root)
			return bytes.Replace(b, []byte(h.root), []byte("."), 1)
		}, nil, mismatch, 0},
		{"projectRoot through a link", func(t *testing.T, h home, b []byte) []byte {
			link := filepath.Join(filepath.Dir(h.root), "link")
			if err := os.Symlink(h.root, link); err != nil {
				t.Skip(err)
			}
			return bytes.Replace(b, []byte(h.root), []byte(link), 1)
		}, nil, ok, 4},
		{"record type wrong", replace(`{"type":"message"`, `{"type":"note"`), nil, failed, 0},
		{"record null", lines(func(l []string) []string { l[2] = "null\n"; return l }), nil, failed, 0},
		{"record without message", lines(func(l []string) []string { l[2] = "{\"type\":\"message\"}\n"; return l }), nil, failed, 0},
		{"record extra field kept out", replace(`{"type":"message"`, `{"at":1,"type":"message"`), nil, ok, 4},
		{"two records in a line", lines(func(l []string) []string { l[1] = strings.TrimSpace(l[1]); return l }), nil, failed, 0},
		{"unknown block type", replace(`"type":"text"`, `"type":"video"`), nil, failed, 0},
		{"unknown role", replace(`"role":"user"`, `"role":"host"`), nil, failed, 0},
		{"toolCall without arguments", replace(`,"arguments":{"path":"a"}`, ``), nil, ok, 4},
		{"flags missing", replace(`,"flags":{}`, ``), nil, failed, 0},
		{"tokenEstimate is a string", replace(`,"flags":{}`, `,"tokenEstimate":"8","flags":{}`), nil, ok, 4},
		{"invalid UTF-8 in text (8.21)", replace("Read the file.", "Read \xff"), nil, failed, 0},
		{"cut inside a character", replace("Read the file.", "Read \xe2\x82"), nil, failed, 0},
		{"duplicate message line", lines(func(l []string) []string { return append(l[:2], l[1:]...) }), nil, invalid, 0},
		{"orphan result", lines(func(l []string) []string { return append(l[:2], l[3:]...) }), nil, invalid, 0},
		{"message of another runtime", lines(func(l []string) []string {
			l[1] = strings.Replace(l[1], runtimeID, "other", 1)
			return l
		}), nil, invalid, 0},
		{"order swapped (still valid, D10)", lines(func(l []string) []string { l[2], l[3] = l[3], l[2]; return l }), nil, ok, 4},
		{"maxHistoryBytes == size", nil, func(o *Options, _ home, b []byte) { o.MaxHistoryBytes = int64(len(b)) }, ok, 4},
		{"maxHistoryBytes == size-1", nil, func(o *Options, _ home, b []byte) { o.MaxHistoryBytes = int64(len(b)) - 1 }, failed, 0},
		{"maxHistoryMessages == 4", nil, func(o *Options, _ home, _ []byte) { o.MaxHistoryMessages = 4 }, ok, 4},
		{"maxHistoryMessages == 3", nil, func(o *Options, _ home, _ []byte) { o.MaxHistoryMessages = 3 }, failed, 0},
		{"history via symlink", nil, func(o *Options, h home, _ []byte) {
			link := h.path + "-link"
			if os.Symlink(h.path, link) == nil {
				o.Path = link
			}
		}, ok, 4},
		{"history is a directory", nil, func(o *Options, h home, _ []byte) { o.Path = filepath.Dir(h.path) }, failed, 0},
		{"history missing", nil, func(o *Options, h home, _ []byte) { o.Path = h.path + "-gone" }, failed, 0},
		{"root reached through a link", nil, func(o *Options, h home, _ []byte) {
			link := h.root + "-link"
			if os.Symlink(h.root, link) == nil {
				o.ProjectRoot = link
			}
		}, ok, 4},
		{"root is another directory", nil, func(o *Options, h home, _ []byte) { o.ProjectRoot = filepath.Dir(h.root) }, mismatch, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, fixture()...)
			data := h.bytes(t)
			if c.edit != nil {
				data = c.edit(t, h, data)
				h.write(t, data)
			}
			opts := h.options()
			if c.opts != nil {
				c.opts(&opts, h, data)
			}
			a := adapter(t, opts)
			h.unchanged(t, func() {
				s, err := a.SnapshotHistory(t.Context())
				if err != sentinels[c.want] {
					t.Errorf("error %v, want %v", err, sentinels[c.want])
				}
				if codes(a) != c.want {
					t.Errorf("diagnostics %q, want %q", codes(a), c.want)
				}
				if len(s.Messages) != c.n {
					t.Errorf("%d messages, want %d", len(s.Messages), c.n)
				}
				if c.want != ok {
					if diff := cmp.Diff(history.Snapshot{}, s); diff != "" {
						t.Errorf("something was invented (-want +got):\n%s", diff)
					}
				} else if s.Revision != history.RevisionOf(data) || s.ProjectRoot != h.root {
					t.Errorf("revision %s, root %s", s.Revision, s.ProjectRoot)
				}
			})
		})
	}
}

// The original hashes decoded text, so two damaged files share a revision. Ours
// refuses both.
func TestNoRevisionForInvalidText(t *testing.T) {
	for _, bad := range []string{"\xff", "\xfe"} {
		h := newHome(t, fixture()...)
		h.write(t, bytes.Replace(h.bytes(t), []byte("Done."), []byte(bad), 1))
		if _, err := adapter(t, h.options()).SnapshotHistory(t.Context()); err != ErrUnavailable {
			t.Errorf("D11: %q: error %v, want %v", bad, err, ErrUnavailable)
		}
	}
}

// A cached snapshot answers only for the bytes it was made of.
func TestSnapshotFollowsTheSource(t *testing.T) {
	h := newHome(t, fixture()...)
	a := adapter(t, h.options())
	snapshot := func() (history.Snapshot, error) { return a.SnapshotHistory(t.Context()) }
	first, err := snapshot()
	if err != nil {
		t.Fatal(err)
	}
	data := h.bytes(t)
	info, err := os.Stat(h.path)
	if err != nil {
		t.Fatal(err)
	}

	// Same length, same time, other bytes.
	h.write(t, bytes.Replace(data, []byte("Done."), []byte("Gone."), 1))
	if err := os.Chtimes(h.path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	second, err := snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if second.Revision == first.Revision || second.Messages[3].Blocks[0].(history.Text).Text != "Gone." {
		t.Error("a rewrite of equal length and time was not seen")
	}

	if err := Append(t.Context(), h.path, text("more", "x")); err != nil {
		t.Fatal(err)
	}
	third, err := snapshot()
	if err != nil || len(third.Messages) != 5 {
		t.Errorf("after an append: %d messages, error %v", len(third.Messages), err)
	}

	h.write(t, data[:len(data)-1])
	if s, err := snapshot(); err != ErrUnavailable || len(s.Messages) != 0 {
		t.Errorf("a torn file was answered with %d messages, error %v", len(s.Messages), err)
	}
	if s, err := a.RebuildDerivedState(t.Context()); err != ErrUnavailable || len(s.Messages) != 0 {
		t.Errorf("a torn file was rebuilt as %d messages, error %v", len(s.Messages), err)
	}
	if want := strings.TrimSpace(strings.Repeat("canonical-history-read-failed:error ", 2)); codes(a) != want {
		t.Errorf("diagnostics %q, want %q", codes(a), want)
	}

	h.write(t, data)
	last, err := snapshot()
	if err != nil || last.Revision != first.Revision {
		t.Errorf("the first content gave revision %s, error %v", last.Revision, err)
	}
}

// A link in the header's spelling of the root may be turned elsewhere while the
// bytes stay.
func TestSnapshotSeesATurnedRoot(t *testing.T) {
	h := newHome(t, fixture()...)
	link, other := h.root+"-link", t.TempDir()
	if err := os.Symlink(h.root, link); err != nil {
		t.Skip(err)
	}
	h.write(t, bytes.Replace(h.bytes(t), []byte(h.root), []byte(link), 1))
	a := adapter(t, h.options())
	if _, err := a.SnapshotHistory(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(link), os.Symlink(other, link)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.SnapshotHistory(t.Context()); err != ErrIdentity {
		t.Errorf("error %v, want %v", err, ErrIdentity)
	}
}

func TestRebuild(t *testing.T) {
	h := newHome(t, fixture()...)
	a := adapter(t, h.options())
	first, err := a.SnapshotHistory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.unchanged(t, func() {
		again, err := a.RebuildDerivedState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, again, cmp.Comparer(history.SameMessage)); diff != "" {
			t.Errorf("(-snapshot +rebuilt):\n%s", diff)
		}
	})
	if codes(a) != "derived-state-rebuilt:info" {
		t.Errorf("diagnostics %s", codes(a))
	}
}

func TestSnapshotObeysItsContext(t *testing.T) {
	a := adapter(t, newHome(t, fixture()...).options())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.SnapshotHistory(ctx); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if codes(a) != "" {
		t.Errorf("diagnostics %s", codes(a))
	}
}

// A long file is not parsed to its end for someone who has gone.
func TestParsingObeysItsContext(t *testing.T) {
	h := newHome(t, long(2000)...)
	limit, err := boundsOf(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := parseSession(ctx, h.bytes(t), limit); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
