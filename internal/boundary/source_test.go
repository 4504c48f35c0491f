package boundary_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// desk is a boundary over a file whose first line is the project root, and every
// other one a message. A line that is no word is refused.
type desk struct {
	*boundary.Boundary
	path, root string
	made       int // how often a snapshot was made
	onMake     func()
}

var errRefused = errors.New("refused")

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{path: filepath.Join(dir, "file"), root: filepath.Join(dir, "root")}
	if err := os.Mkdir(d.root, 0o700); err != nil {
		t.Fatal(err)
	}
	d.Boundary = boundary.New(boundary.Options{Source: boundary.Source{
		File: boundary.File{Path: d.path, MaxBytes: 1 << 10}, Root: d.root, Make: d.make, Refuse: d.refuse,
	}})
	return d
}

func (d *desk) make(_ context.Context, content []byte) (history.Snapshot, string, error) {
	d.made++
	if d.onMake != nil {
		d.onMake()
	}
	root, rest, _ := strings.Cut(string(content), "\n")
	s := history.Snapshot{ProjectRoot: d.root}
	for word := range strings.Lines(rest) {
		if word == "\n" {
			return s, "", errors.New(canary)
		}
		s.Messages = append(s.Messages, history.Message{ID: strings.TrimSpace(word)})
	}
	return s, root, nil
}

func (d *desk) refuse(context.Context, error) error {
	d.Report(history.CodeHistoryReadFailed)
	return errRefused
}

func (d *desk) lay(t *testing.T, root string, words ...string) {
	t.Helper()
	if err := os.WriteFile(d.path, []byte(root+"\n"+strings.Join(append(words, ""), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// read gives the ids of a snapshot.
func read(t *testing.T, from func(context.Context) (history.Snapshot, error)) string {
	t.Helper()
	s, err := from(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range s.Messages {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

// A snapshot is made once for the same bytes, and again for others, even of equal
// length and time.
func TestSnapshotIsMadeOnce(t *testing.T) {
	d := newDesk(t)
	d.lay(t, d.root, "one")
	info, err := os.Stat(d.path)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := read(t, d.Snapshot); got != "one" || d.made != 1 {
			t.Errorf("got %s, made %d times", got, d.made)
		}
	}
	d.lay(t, d.root, "two")
	if err := os.Chtimes(d.path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := read(t, d.Snapshot); got != "two" || d.made != 2 {
		t.Errorf("got %s, made %d times", got, d.made)
	}
	if got := read(t, d.Rebuild); got != "two" || d.made != 3 {
		t.Errorf("rebuilt: got %s, made %d times", got, d.made)
	}
	if diff := cmp.Diff([]history.DiagnosticCode{history.CodeDerivedStateRebuilt}, codesOf(d.Boundary)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

func TestSnapshotIsTheCallers(t *testing.T) {
	d := newDesk(t)
	d.lay(t, d.root, "one")
	for range 3 {
		s, err := d.Snapshot(t.Context())
		if err != nil || s.Messages[0].ID != "one" {
			t.Fatalf("got %+v, %v", s, err)
		}
		s.Messages[0].ID = "changed"
	}
}

// What was made before is not given in place of what cannot be read now.
func TestSnapshotRefuses(t *testing.T) {
	d := newDesk(t)
	d.lay(t, d.root, "one")
	read(t, d.Snapshot)
	for name, spoil := range map[string]func(){
		"damaged": func() { d.lay(t, d.root, "") },
		"missing": func() { _ = os.Remove(d.path) },
		"large":   func() { d.lay(t, d.root, strings.Repeat("x", 1<<10)) },
	} {
		spoil()
		for _, call := range []func(context.Context) (history.Snapshot, error){d.Snapshot, d.Rebuild} {
			if s, err := call(t.Context()); err != errRefused || s.Messages != nil {
				t.Errorf("%s: %+v, %v", name, s, err)
			}
		}
		d.lay(t, d.root, "one")
		read(t, d.Snapshot)
	}
}

// A project root that leads elsewhere since the last time is looked at anew.
func TestSnapshotLooksAtTheRoot(t *testing.T) {
	d := newDesk(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(d.root, link); err != nil {
		t.Skip(err)
	}
	d.lay(t, link, "one")
	read(t, d.Snapshot)
	read(t, d.Snapshot)
	if err := errors.Join(os.Remove(link), os.Symlink(t.TempDir(), link)); err != nil {
		t.Fatal(err)
	}
	if read(t, d.Snapshot); d.made != 2 {
		t.Errorf("made %d times, want 2", d.made)
	}
}

func TestSnapshotOfAClosedOne(t *testing.T) {
	d := newDesk(t)
	d.lay(t, d.root, "one")
	d.onMake = func() { _ = d.Shutdown(t.Context()) }
	for _, call := range []func(context.Context) (history.Snapshot, error){d.Snapshot, d.Snapshot, d.Rebuild} {
		if s, err := call(t.Context()); !errors.Is(err, boundary.ErrClosed) || s.Messages != nil {
			t.Errorf("got %+v, %v", s, err)
		}
	}
	if d.made != 1 {
		t.Errorf("made %d times", d.made)
	}
}

func TestStands(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for spelling, want := range map[string]bool{
		dir: true, filepath.Join(dir, "..", filepath.Base(dir)): true,
		".": false, filepath.Dir(dir): false, filepath.Join(dir, "none"): false, "": false,
	} {
		if got := boundary.Stands(spelling, dir); got != want {
			t.Errorf("%q: %t", spelling, got)
		}
	}
}
