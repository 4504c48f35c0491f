package boundary_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// BenchmarkHolds looks at a file of 38 MB that has not changed.
func BenchmarkHolds(b *testing.B) {
	content := bytes.Repeat([]byte("a line of a long session\n"), 1_520_000)
	f := boundary.File{Path: filepath.Join(b.TempDir(), "file"), MaxBytes: 1 << 30}
	if err := os.WriteFile(f.Path, content, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if same, err := f.Holds(b.Context(), content); !same || err != nil {
			b.Fatal(same, err)
		}
	}
}
