//go:build unix

package reference

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A disk that is full in the middle of a record: the append fails with an error,
// the part of the record that arrived is taken back, and what still fits can be
// appended.
func TestFullDisk(t *testing.T) {
	h := newHome(t, fixture()...)
	limit := len(h.bytes(t)) + 14_000
	out, err := child(t, "full", h.path, limit).Output()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, want := range []string{"done 0\n", "done 1\n", "refused 2 append to session:", "done small\n", "create: create session:"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if n := len(h.beside(t)); n != 0 {
		t.Errorf("%d files are left of the session that could not be made", n)
	}
	if strings.Contains(string(out), "xxx") {
		t.Error("the error quotes the message")
	}
	if got := h.entries(t); got != "entry-user entry-call entry-result entry-assistant n0 n1 small" {
		t.Errorf("messages %s", got)
	}
}

// powerless runs the steps of a user who may read and enter everything but write to
// little. Root may write everywhere, so the child becomes somebody else.
func powerless(t *testing.T, h home) string {
	t.Helper()
	for dir := filepath.Dir(h.path); len(dir) > 1 && os.Getuid() == 0; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o005 == 0o005 {
			continue
		}
		if !strings.HasPrefix(dir, filepath.Clean(os.TempDir())+"/") {
			t.Skipf("nobody else may enter %s", dir)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	out, err := child(t, "powerless", h.path, 0).Output()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

func TestSessionThatMayNotBeWritten(t *testing.T) {
	h := newHome(t, fixture()...)
	if err := os.Chmod(h.path, 0o444); err != nil {
		t.Fatal(err)
	}
	h.unchanged(t, func() {
		if out := powerless(t, h); strings.Count(out, "permission denied") != 3 {
			t.Error(out)
		}
	})
}

// Appending makes no new file, so a directory that may not be written is no
// obstacle. A recovery without room for the torn end does not begin.
func TestDirectoryThatMayNotBeWritten(t *testing.T) {
	h := newHome(t, fixture()...)
	dir := filepath.Dir(h.path)
	if os.Getuid() == 0 {
		if err := os.Chown(h.path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	if out := powerless(t, h); !strings.HasPrefix(out, "append: <nil>\nrecover: <nil>\ncreate: create session:") {
		t.Error(out)
	}
	h.write(t, append(h.bytes(t), `{"role":"assis`...))
	h.unchanged(t, func() {
		if out := powerless(t, h); !strings.Contains(out, ErrTorn.Error()) || !strings.Contains(out, "recover: recover session: set aside the torn end:") {
			t.Error(out)
		}
	})
	if n := len(h.beside(t)); n != 0 {
		t.Errorf("%d files beside the session", n)
	}
}

// The bounds of the contract, on both sides of each, for what reads and what writes.
func TestDefaultBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads and writes 64 MiB")
	}
	// 63 messages of a MiB, and one that fills the file up to the last byte.
	h := newHome(t)
	w := openWriter(t, WriterOptions{Path: h.path})
	for n := range 63 {
		if err := w.Append(t.Context(), text(fmt.Sprint("n", n), strings.Repeat("x", 1<<20))); err != nil {
			t.Fatal(err)
		}
	}
	last := func(over int) string {
		room := 64<<20 - len(h.bytes(t)) - len(record(t, text("last", "")))
		return strings.Repeat("x", room+over)
	}
	over, exact := last(1), last(0)
	h.unchanged(t, func() {
		if err := w.Append(t.Context(), text("last", over)); !is(ErrBounds)(err) {
			t.Errorf("a byte over: error %v", err)
		}
	})
	if err := w.Append(t.Context(), text("last", exact)); err != nil {
		t.Errorf("at the bound: %v", err)
	}
	w.Close()
	if s, err := adapter(t, h.options()).SnapshotHistory(t.Context()); err != nil || len(s.Messages) != 64 {
		t.Errorf("snapshot at the bound: %d messages, error %v", len(s.Messages), err)
	}
	if err := Append(t.Context(), h.path, text("more", "")); !is(ErrBounds)(err) {
		t.Errorf("append at the bound: error %v", err)
	}
	h.write(t, append(h.bytes(t), '\n'))
	a := adapter(t, h.options())
	if _, err := a.SnapshotHistory(t.Context()); err != ErrUnavailable || codes(a) != "canonical-history-read-failed:error" {
		t.Errorf("snapshot over the bound: error %v, diagnostics %s", err, codes(a))
	}
	for name, err := range map[string]error{
		"append": Append(t.Context(), h.path, text("more", "")),
		"recover": func() error {
			_, err := Recover(t.Context(), h.path)
			return err
		}(),
	} {
		if !is(ErrBounds)(err) {
			t.Errorf("%s over the bound: error %v", name, err)
		}
	}

	// 100,000 messages, and one more.
	many := make([]byte, 0, 32<<20)
	h = newHome(t)
	many = append(many, h.bytes(t)...)
	for n := range 100_000 {
		many = append(many, record(t, text(fmt.Sprint("n", n), "x"))...)
	}
	h.write(t, many)
	a = adapter(t, h.options())
	if s, err := a.SnapshotHistory(t.Context()); err != nil || len(s.Messages) != 100_000 {
		t.Errorf("snapshot at the bound: %d messages, error %v", len(s.Messages), err)
	}
	h.unchanged(t, func() {
		if err := Append(t.Context(), h.path, text("more", "x")); !is(ErrBounds)(err) {
			t.Errorf("a message over: error %v", err)
		}
	})
	h.write(t, append(bytes.Clone(many), record(t, text("more", "x"))...))
	if _, err := a.SnapshotHistory(t.Context()); err != ErrUnavailable {
		t.Errorf("snapshot over the bound: error %v", err)
	}
	h.unchanged(t, func() {
		if _, err := OpenWriter(t.Context(), WriterOptions{Path: h.path}); !is(ErrBounds)(err) {
			t.Errorf("writer over the bound: error %v", err)
		}
	})
}
