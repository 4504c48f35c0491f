package reference

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func TestCreateWritesTheFormat(t *testing.T) {
	h := newHome(t, fixture()...)
	lines := strings.Split(string(h.bytes(t)), "\n")
	wantHeader := `{"type":"ds4-runtime-session-v1","runtimeId":"test-runtime","sessionId":"test-session","projectRoot":"` + h.root + `"}`
	if len(lines) != 6 || lines[5] != "" || lines[0] != wantHeader {
		t.Fatalf("%d lines, header %s", len(lines), lines[0])
	}
	for _, line := range lines[1:5] {
		if !strings.HasPrefix(line, `{"type":"message","message":{"id":"test-session:`) {
			t.Errorf("record %s", line)
		}
	}
	left, err := os.ReadDir(filepath.Dir(h.path))
	if err != nil || len(left) != 1 {
		t.Errorf("%d files beside the session, error %v", len(left)-1, err)
	}
}

func TestCreate(t *testing.T) {
	foreign := text("x", "y")
	foreign.Provenance.SessionID = "other"
	shapeless := text("x", "y")
	shapeless.Role = "host"
	for _, c := range []struct {
		name string
		edit func(*CreateOptions)
		want func(error) bool // nil: created
	}{
		{"plain", func(*CreateOptions) {}, nil},
		{"blank session", func(o *CreateOptions) { o.SessionID = " \ufeff" }, is(ErrOptions)},
		{"session trimmed", func(o *CreateOptions) { o.SessionID = " test-session\n" }, nil},
		{"no path", func(o *CreateOptions) { o.Path = "" }, is(ErrOptions)},
		{"no root", func(o *CreateOptions) { o.ProjectRoot = "" }, is(ErrOptions)},
		{"missing root", func(o *CreateOptions) { o.ProjectRoot += "-gone" }, is(fs.ErrNotExist)},
		{"root is a file", func(o *CreateOptions) {
			o.ProjectRoot += "-file"
			if err := os.WriteFile(o.ProjectRoot, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, func(err error) bool { return err != nil }},
		{"foreign message", func(o *CreateOptions) { o.Messages = []history.Message{foreign} }, issue(history.IssueProvenanceInvalid)},
		{"invalid message", func(o *CreateOptions) { o.Messages = []history.Message{shapeless} }, isShape},
		{"message twice", func(o *CreateOptions) { o.Messages = append(o.Messages, o.Messages[0]) }, issue(history.IssueMessageIDDuplicate)},
		{"no messages", func(o *CreateOptions) { o.Messages = nil }, nil},
		{"at the bound of messages", func(o *CreateOptions) { o.MaxHistoryMessages = 4 }, nil},
		{"over the bound of messages (D12)", func(o *CreateOptions) { o.MaxHistoryMessages = 3 }, is(ErrBounds)},
		{"over the bound of bytes (D12)", func(o *CreateOptions) { o.MaxHistoryBytes = 500 }, is(ErrBounds)},
		{"negative bound", func(o *CreateOptions) { o.MaxHistoryBytes = -1 }, is(ErrOptions)},
		{"text that is not UTF-8", func(o *CreateOptions) { o.RuntimeID = "\xff" }, is(ErrOptions)},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			opts := h.create(fixture()...)
			opts.Path = filepath.Join(filepath.Dir(h.path), "new", "s.jsonl")
			c.edit(&opts)
			err := Create(opts)
			if c.want != nil {
				if !c.want(err) {
					t.Errorf("error %v", err)
				}
				if _, err := os.Lstat(filepath.Dir(opts.Path)); opts.Path != "" && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("something was made: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s, err := adapter(t, Options{Path: opts.Path, RuntimeID: runtimeID, SessionID: sessionID, ProjectRoot: h.root}).
				SnapshotHistory(t.Context()); err != nil || len(s.Messages) != len(opts.Messages) {
				t.Errorf("%d messages, error %v", len(s.Messages), err)
			}
		})
	}
}

func TestCreateAtTheBoundOfBytes(t *testing.T) {
	h := newHome(t, fixture()...)
	size := int64(len(h.bytes(t)))
	opts := h.create(fixture()...)
	opts.Path += "-2"
	opts.MaxHistoryBytes = size - 1
	if err := Create(opts); !errors.Is(err, ErrBounds) {
		t.Errorf("D12: one byte over: error %v", err)
	}
	opts.MaxHistoryBytes = size
	if err := Create(opts); err != nil {
		t.Errorf("at the bound: %v", err)
	}
}

func TestCreateDefaultRuntime(t *testing.T) {
	h := newHome(t)
	opts := h.create()
	opts.Path, opts.RuntimeID = opts.Path+"-2", "  "
	if err := Create(opts); err != nil {
		t.Fatal(err)
	}
	a := adapter(t, Options{Path: opts.Path, ProjectRoot: h.root})
	s, err := a.SnapshotHistory(t.Context())
	if err != nil || s.RuntimeID != DefaultRuntimeID || a.Identity().RuntimeID != DefaultRuntimeID {
		t.Errorf("runtime %q, error %v", s.RuntimeID, err)
	}
}

func TestCreateNeverOverwrites(t *testing.T) {
	h := newHome(t, fixture()...)
	h.unchanged(t, func() {
		if err := Create(h.create()); !errors.Is(err, fs.ErrExist) {
			t.Errorf("error %v, want %v", err, fs.ErrExist)
		}
	})
	link := h.path + "-dangling"
	if err := os.Symlink(h.path+"-gone", link); err != nil {
		t.Skip(err)
	}
	opts := h.create()
	opts.Path = link
	if err := Create(opts); !errors.Is(err, fs.ErrExist) {
		t.Errorf("dangling link: error %v, want %v", err, fs.ErrExist)
	}
	// The name was taken between the look and the write.
	from := h.path + "-finished"
	if err := os.WriteFile(from, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.unchanged(t, func() {
		if err := claim(from, h.path); !errors.Is(err, fs.ErrExist) {
			t.Errorf("claim: error %v, want %v", err, fs.ErrExist)
		}
	})
}

// Fields that nothing here knows, and the difference between absent and null,
// survive the way through the file.
func TestCreateKeepsWhatItDoesNotKnow(t *testing.T) {
	m, err := history.ParseMessage([]byte(`{"id":"test-session:a","sourceEntryId":"a","role":"custom","blocks":[` +
		`{"type":"text","text":"a\u0000\n\u2028\"","cache":{"b":1}},{"type":"thinking","thinking":"t"},{"type":"image","mimeType":"image/png"},` +
		`{"type":"opaqueProvider","value":null,"originalType":"x"},{"type":"fileReference","path":"p"}],"createdAt":1.5e3,"model":null,` +
		`"provenance":{"source":"runtime-session","sessionId":"test-session","entryId":"a","runtimeId":"test-runtime","more":[1]},` +
		`"flags":{"pinned":false,"localOnly":true,"odd":0},"later":{"z":1,"a":2}}`))
	if err != nil {
		t.Fatal(err)
	}
	h := newHome(t, m)
	s, err := adapter(t, h.options()).SnapshotHistory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]history.Message{m}, s.Messages, cmp.Comparer(history.SameMessage)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := bytes.Count(h.bytes(t), []byte{'\n'}); n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
}

func is(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }

func issue(code history.IssueCode) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[*IssueError](err)
		return ok && e.Code == code
	}
}

func isShape(err error) bool {
	_, ok := errors.AsType[*history.ShapeError](err)
	return ok
}
