//go:build unix

package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Files and directories are the owner's from the first byte, whatever the umask.
func TestModes(t *testing.T) {
	for _, umask := range []int{0o000, 0o022, 0o077, 0o777} {
		t.Run(fmt.Sprintf("%03o", umask), func(t *testing.T) {
			h := newHome(t)
			opts := h.create(fixture()...)
			opts.Path = filepath.Join(filepath.Dir(h.path), "a", "b", "s.jsonl")
			old := syscall.Umask(umask)
			err := Create(opts)
			if err == nil {
				err = Append(t.Context(), opts.Path, text("more", "x"))
			}
			syscall.Umask(old)
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range map[string]os.FileMode{
				opts.Path:                             0o600,
				filepath.Dir(opts.Path):               0o700,
				filepath.Dir(filepath.Dir(opts.Path)): 0o700,
			} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: mode %v, want %v, error %v", filepath.Base(path), info.Mode().Perm(), want, err)
				}
			}
		})
	}
}

func TestWriterTightensAWideFile(t *testing.T) {
	h := newHome(t, fixture()...)
	if err := os.Chmod(h.path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Append(t.Context(), h.path, text("more", "x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(h.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode().Perm(), err)
	}
}

// A pipe in the session's place is refused; nothing waits for its other end.
func TestPipeIsNoSession(t *testing.T) {
	h := newHome(t)
	path := h.path + "-pipe"
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	opts := h.options()
	opts.Path = path
	if _, err := adapter(t, opts).SnapshotHistory(t.Context()); err != ErrUnavailable {
		t.Errorf("snapshot: error %v, want %v", err, ErrUnavailable)
	}
	if _, err := OpenWriter(t.Context(), WriterOptions{Path: path}); !is(ErrFormat)(err) {
		t.Errorf("writer: error %v, want %v", err, ErrFormat)
	}
}

// A snapshot reads; it leaves times, links and modes alone.
func TestSnapshotLeavesTheFileAlone(t *testing.T) {
	h := newHome(t, fixture()...)
	past := time.Unix(1_700_000_000, 123)
	if err := os.Chtimes(h.path, past, past); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(h.path, 0o400); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(h.path)
	if err != nil {
		t.Fatal(err)
	}
	a := adapter(t, h.options())
	if _, err := a.SnapshotHistory(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.RebuildDerivedState(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(h.path)
	if err != nil || !sameState(before, after) || before.Mode() != after.Mode() {
		t.Errorf("before %v %v, after %v %v, error %v", before.Mode(), before.ModTime(), after.Mode(), after.ModTime(), err)
	}
}
