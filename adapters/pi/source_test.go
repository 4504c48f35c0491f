package pi_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/pi"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// A file that is damaged, foreign or invalid is refused under a fixed error, with a
// diagnostic, without a word of its content, and is left as it is.
func TestRefusals(t *testing.T) {
	read, mismatch, invalid := history.CodeHistoryReadFailed, history.CodeHistoryIdentityMismatch, history.CodeHistoryInvalid
	good := user("e1", "null", canary)
	header := func(root, more string) string { return `{"type":"session",` + more + `"cwd":` + quoted(root) + "}\n" }
	for _, c := range []struct {
		name    string
		content func(root string) string
		change  func(*pi.Options)
		want    error
		code    history.DiagnosticCode
		text    string // what the error must say
	}{
		{name: "empty", content: func(string) string { return "" }, want: pi.ErrUnavailable, code: read, text: "empty"},
		{name: "white space only", content: func(string) string { return " \n\n" }, want: pi.ErrUnavailable, code: read, text: "no header"},
		{name: "torn tail", content: func(r string) string { return strings.TrimSuffix(lines(r, good), "\n") }, want: pi.ErrUnavailable, code: read, text: "no end"},
		{name: "torn inside the last record", content: func(r string) string { return lines(r, good) + good[:40] }, want: pi.ErrUnavailable, code: read, text: "no end"},
		{name: "no JSON", content: func(r string) string { return lines(r, good, canary) }, want: pi.ErrUnavailable, code: read, text: "line 3"},
		{name: "damage on another branch", content: func(r string) string { return lines(r, `{"type":"message"`, good) }, want: pi.ErrUnavailable, code: read, text: "line 2"},
		{name: "two values on a line", content: func(r string) string { return lines(r, good+good) }, want: pi.ErrUnavailable, code: read, text: "line 2"},
		{name: "null for a line", content: func(r string) string { return lines(r, "null", good) }, want: pi.ErrUnavailable, code: read, text: "line 2"},
		{name: "a name twice", content: func(r string) string {
			return lines(r, say("e1", "null", `{"role":"user","content":"a","content":"`+canary+`"}`))
		}, want: pi.ErrUnavailable, code: read, text: "line 2"},
		{name: "a name twice where nobody reads", content: func(r string) string {
			return lines(r, `{"type":"custom","id":"x","parentId":null,"data":{"a":{"b":1,"b":2}}}`, good)
		}, want: pi.ErrUnavailable, code: read, text: "line 2"},
		{name: "broken UTF-8", content: func(r string) string { return lines(r, strings.Replace(good, "51c8", "51\xff8", 1)) }, want: pi.ErrUnavailable, code: read, text: "line 2"},
		{name: "half a surrogate pair", content: func(r string) string { return lines(r, strings.Replace(good, "51c8", `\ud800`, 1)) }, want: pi.ErrUnavailable, code: read, text: "line 2"},
		{name: "a block of NUL", content: func(r string) string { return lines(r, good, strings.Repeat("\x00", 512)) }, want: pi.ErrUnavailable, code: read, text: "line 3"},
		{name: "byte order mark", content: func(r string) string { return "\ufeff" + lines(r, good) }, want: pi.ErrUnavailable, code: read, text: "line 1"},

		{name: "no header", content: func(string) string { return good + "\n" }, want: pi.ErrUnavailable, code: read, text: "line 1: field type"},
		{name: "older version", content: func(r string) string { return header(r, `"version":2,"id":"s1",`) }, want: pi.ErrUnavailable, code: read, text: "field version: want 3"},
		{name: "version as a text", content: func(r string) string { return header(r, `"version":"3","id":"s1",`) }, want: pi.ErrUnavailable, code: read, text: "field version"},
		{name: "no session id", content: func(r string) string { return header(r, `"version":3,"id":" ",`) }, want: pi.ErrUnavailable, code: read, text: "field id"},
		{name: "no working directory", content: func(string) string { return `{"type":"session","version":3,"id":"s1"}` + "\n" }, want: pi.ErrUnavailable, code: read, text: "field cwd"},
		{name: "working directory is gone", content: func(r string) string { return header(r+"-gone", `"version":3,"id":"s1",`) }, want: pi.ErrIdentity, code: mismatch},
		{name: "second header", content: func(r string) string { return lines(r, good) + lines(r) }, want: pi.ErrUnavailable, code: read, text: "line 3: field type"},

		{name: "entry without type", content: func(r string) string { return lines(r, `{"id":"x","parentId":null}`) }, want: pi.ErrUnavailable, code: read, text: "line 2: field type"},
		{name: "entry without id", content: func(r string) string { return lines(r, `{"type":"label","parentId":null}`) }, want: pi.ErrUnavailable, code: read, text: "line 2: field id"},
		{name: "entry without parent", content: func(r string) string { return lines(r, `{"type":"label","id":"x"}`) }, want: pi.ErrUnavailable, code: read, text: "line 2: field parentId"},
		{name: "parent is a number", content: func(r string) string { return lines(r, `{"type":"label","id":"x","parentId":0}`) }, want: pi.ErrUnavailable, code: read, text: "line 2: field parentId"},
		{name: "id used twice", content: func(r string) string { return lines(r, good, user("e1", "null", "again")) }, want: pi.ErrUnavailable, code: read, text: "line 3: field id"},
		{name: "parent is missing", content: func(r string) string { return lines(r, user("e1", "none", canary), user("e2", "e1", "x")) }, want: pi.ErrUnavailable, code: read, text: "line 2: field parentId"},
		{name: "own parent", content: func(r string) string { return lines(r, user("e1", "e1", canary)) }, want: pi.ErrUnavailable, code: read, text: "circle"},
		{name: "parents in a circle", content: func(r string) string {
			return lines(r, user("e0", "null", "x"), user("e1", "e3", canary), user("e2", "e1", "x"), user("e3", "e2", "x"))
		}, want: pi.ErrUnavailable, code: read, text: "circle"},
		{name: "no such leaf", content: func(r string) string { return lines(r, good) }, change: withLeaf("none"), want: pi.ErrUnavailable, code: read, text: "leaf"},

		{name: "message is no object", content: func(r string) string { return lines(r, say("e1", "null", quoted(canary))) }, want: pi.ErrUnavailable, code: read, text: "line 2: field message"},
		{name: "message is missing", content: func(r string) string { return lines(r, `{"type":"message","id":"x","parentId":null}`) }, want: pi.ErrUnavailable, code: read, text: "line 2: field message"},
		{name: "message without role", content: func(r string) string { return lines(r, say("e1", "null", `{"content":"x"}`)) }, want: pi.ErrUnavailable, code: read, text: "field message.role"},
		{name: "content is a number", content: func(r string) string { return lines(r, say("e1", "null", `{"role":"user","content":1}`)) }, want: pi.ErrUnavailable, code: read, text: "field content"},
		{name: "summary is missing", content: func(r string) string { return lines(r, `{"type":"compaction","id":"x","parentId":null}`) }, want: pi.ErrUnavailable, code: read, text: "field summary"},
		{name: "command without output", content: func(r string) string { return lines(r, say("e1", "null", `{"role":"bashExecution","command":"ls"}`)) }, want: pi.ErrUnavailable, code: read, text: "field output"},

		{name: "another session", content: func(r string) string { return lines(r, good) }, change: func(o *pi.Options) { o.SessionID = "s2" }, want: pi.ErrIdentity, code: mismatch},
		{name: "another project", content: func(r string) string { return lines(filepath.Dir(r), good) }, want: pi.ErrIdentity, code: mismatch},
		{name: "relative working directory", content: func(string) string { return lines(".", good) }, want: pi.ErrIdentity, code: mismatch},
		{name: "untrusted project", content: func(r string) string { return lines(r, good) }, change: func(o *pi.Options) { o.Trusted = false }, want: pi.ErrUntrusted, code: read},

		{name: "call id used twice", content: func(r string) string {
			call := `{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"read","arguments":{}}]}`
			return lines(r, say("e1", "null", call), say("e2", "e1", call))
		}, want: pi.ErrInvalid, code: invalid, text: "tool-call-identity-invalid"},
		{name: "call without id", content: func(r string) string {
			return lines(r, say("e1", "null", `{"role":"assistant","content":[{"type":"toolCall","id":7,"name":"read"}]}`))
		}, want: pi.ErrInvalid, code: invalid, text: "tool-call-identity-invalid"},
		{name: "result without call", content: func(r string) string {
			return lines(r, say("e1", "null", `{"role":"toolResult","toolCallId":"t1","toolName":"read","content":"`+canary+`"}`))
		}, want: pi.ErrInvalid, code: invalid, text: "tool-result-orphaned"},
		{name: "result without id", content: func(r string) string {
			return lines(r, say("e1", "null", `{"role":"toolResult","content":"`+canary+`"}`))
		}, want: pi.ErrInvalid, code: invalid, text: "tool-result-orphaned"},

		{name: "too many entries", content: func(r string) string { return lines(r, good, user("e2", "e1", "x")) }, change: func(o *pi.Options) { o.MaxHistoryMessages = 1 }, want: pi.ErrUnavailable, code: read, text: "more than 1"},
		{name: "too many bytes", content: func(r string) string { return lines(r, good) }, change: func(o *pi.Options) { o.MaxHistoryBytes = 100 }, want: pi.ErrUnavailable, code: read, text: "at most 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			content := c.content(p.root)
			p.write(t, content)
			before := stateOf(t, p.path)
			a := p.adapter(t)
			if c.change != nil {
				a = p.adapter(t, c.change)
			}
			for i, call := range []func() (history.Snapshot, error){
				func() (history.Snapshot, error) { return a.SnapshotHistory(t.Context()) },
				func() (history.Snapshot, error) { return a.RebuildDerivedState(t.Context()) },
			} {
				s, err := call()
				if !errors.Is(err, c.want) {
					t.Fatalf("call %d: error %v, want %v", i, err, c.want)
				}
				if !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), c.want.Error()) {
					t.Errorf("error %q, want %q and %q in it", err, c.want, c.text)
				}
				if strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), p.root) || strings.Contains(err.Error(), p.path) {
					t.Errorf("error shows content or a path: %q", err)
				}
				if diff := cmp.Diff(history.Snapshot{}, s, cmp.AllowUnexported(history.Optional[string]{})); diff != "" {
					t.Errorf("a snapshot beside the error: %s", diff)
				}
			}
			if got := codesOf(a); !slices.Equal(got, []history.DiagnosticCode{c.code, c.code}) {
				t.Errorf("diagnostics %v, want twice %s", got, c.code)
			}
			if diff := cmp.Diff(before, stateOf(t, p.path)); diff != "" {
				t.Errorf("the file was touched (-before +after):\n%s", diff)
			}
		})
	}
}

// state is what may not change of a file, and what stands beside it.
type state struct {
	Bytes  string
	Mode   fs.FileMode
	Time   time.Time
	Beside []string
}

func stateOf(t *testing.T, path string) state {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	found, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	s := state{Bytes: string(data), Mode: info.Mode(), Time: info.ModTime()}
	for _, f := range found {
		s.Beside = append(s.Beside, f.Name())
	}
	return s
}

// Nothing that an adapter does touches the file, even one that cannot be written.
func TestReadOnly(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o440} {
		p := newPlace(t)
		p.lay(t, user("e1", "null", "hello"), user("e2", "e1", "again"))
		long := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
		if err := errors.Join(os.Chmod(p.path, mode), os.Chtimes(p.path, long, long)); err != nil {
			t.Fatal(err)
		}
		before := stateOf(t, p.path)
		a := p.adapter(t, func(o *pi.Options) { o.Privacy = open{} })
		snapshot(t, a)
		snapshot(t, a)
		if _, err := a.RebuildDerivedState(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m", Payload: "x"}); err != nil {
			t.Fatal(err)
		}
		if err := a.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, stateOf(t, p.path)); diff != "" {
			t.Errorf("mode %v: the file was touched (-before +after):\n%s", mode, diff)
		}
	}
}

func TestMissingFile(t *testing.T) {
	p := newPlace(t)
	a := p.adapter(t)
	if _, err := a.SnapshotHistory(t.Context()); !errors.Is(err, pi.ErrUnavailable) || !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), p.path) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(p.path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading made the file")
	}
	// It may come later.
	p.lay(t, user("e1", "null", "hello"))
	if got := ids(snapshot(t, a)); got != "e1" {
		t.Errorf("messages %s", got)
	}
}

// What Pi itself passes over is passed over: blank lines, and CR before the line's
// end.
func TestTolerated(t *testing.T) {
	p := newPlace(t)
	p.write(t, strings.ReplaceAll(lines(p.root, user("e1", "null", "a"), "", " \t", user("e2", "e1", "b")), "\n", "\r\n")+"\n")
	if got := ids(snapshot(t, p.adapter(t))); got != "e1 e2" {
		t.Errorf("messages %s", got)
	}
}

func TestEmptySession(t *testing.T) {
	p := newPlace(t)
	p.lay(t)
	s := snapshot(t, p.adapter(t))
	if len(s.Messages) != 0 || s.SessionID != "s1" || s.RuntimeID != pi.RuntimeID || s.ProjectRoot != p.root || s.Revision == "" {
		t.Errorf("got %+v", s)
	}
}
