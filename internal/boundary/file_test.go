package boundary

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	const content = "one\ntwo\n"
	if err := os.WriteFile(path, []byte(content), 0o400); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		file File
		want error
	}{
		{"whole", t.Context(), File{path, 1 << 10}, nil},
		{"equal to the bound", t.Context(), File{path, int64(len(content))}, nil},
		{"over the bound", t.Context(), File{path, int64(len(content)) - 1}, ErrTooLarge},
		{"directory", t.Context(), File{filepath.Dir(path), 1 << 10}, ErrNotRegular},
		{"missing", t.Context(), File{path + "x", 1 << 10}, fs.ErrNotExist},
		{"context over", over, File{path, 1 << 10}, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := c.file.Read(c.ctx)
			hash, hashErr := c.file.Hash(c.ctx)
			if !errors.Is(err, c.want) || !errors.Is(hashErr, c.want) {
				t.Fatalf("read: %v, hash: %v, want %v", err, hashErr, c.want)
			}
			if c.want == nil && (string(data) != content || hash != history.RevisionOf(data)) {
				t.Errorf("read %q, hash %s", data, hash)
			}
		})
	}
	if _, err := os.Stat(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading made a file")
	}
}

// A file that is being written is read again until it ends with a line, and not
// for ever.
func TestStill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write := func(content string) fs.FileInfo {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	short, long := write("one\ntw"), write("one\ntwo\n")
	for _, c := range []struct {
		name  string
		steps []reading
		want  string
		reads int
	}{
		{"whole", []reading{{[]byte("one\ntwo\n"), long, long}}, "one\ntwo\n", 1},
		{"torn and standing still", []reading{{[]byte("one\ntw"), short, short}}, "one\ntw", 1},
		{"grows while it is read", []reading{{[]byte("one\ntw"), short, long}, {[]byte("one\ntwo\n"), long, long}}, "one\ntwo\n", 2},
		{"never still", []reading{{[]byte("one\ntw"), short, long}}, "one\ntw", maxReads},
	} {
		t.Run(c.name, func(t *testing.T) {
			reads := 0
			data, err := still(func() (reading, error) {
				r := c.steps[min(reads, len(c.steps)-1)]
				reads++
				return r, nil
			})
			if err != nil || string(data) != c.want || reads != c.reads {
				t.Errorf("read %q in %d reads, %v; want %q in %d", data, reads, err, c.want, c.reads)
			}
		})
	}
}
