//go:build unix

package boundary

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in the place of the file is refused; nobody waits for its other end.
func TestPipeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	f := File{path, 1 << 10}
	if _, err := f.Read(t.Context()); !errors.Is(err, ErrNotRegular) {
		t.Errorf("read: %v", err)
	}
	if _, err := f.Holds(t.Context(), nil); !errors.Is(err, ErrNotRegular) {
		t.Errorf("holds: %v", err)
	}
}
