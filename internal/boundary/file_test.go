package boundary

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
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
			again, state, onceErr := c.file.ReadOnce(c.ctx)
			if !errors.Is(err, c.want) || !errors.Is(onceErr, c.want) {
				t.Fatalf("errors %v, %v, want %v", err, onceErr, c.want)
			}
			if c.want == nil && (string(data) != content || string(again) != content || state.Size() != int64(len(content))) {
				t.Errorf("read %q, then %q, state %v", data, again, state)
			}
		})
	}
	if _, err := os.Stat(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading made a file")
	}
}

func TestHolds(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), 50_000)
	for _, c := range []struct {
		name            string
		content, wanted []byte
		same            bool
	}{
		{"empty", nil, nil, true},
		{"the same", long, long, true},
		{"another byte at the end", long, append(slices.Clip(long[:len(long)-1]), 'x'), false},
		{"another byte in the middle", long, slices.Concat(long[:400_001], []byte("x"), long[400_002:]), false},
		{"shorter", long[:len(long)-1], long, false},
		{"longer", long, long[:len(long)-1], false},
		{"emptied", nil, long, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if same, err := (File{Path: path}).Holds(t.Context(), c.wanted); same != c.same || err != nil {
				t.Errorf("%t, %v; want %t", same, err, c.same)
			}
		})
	}
}

func TestHoldsRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name, path string
		ctx        context.Context
		want       error
	}{
		{"directory", filepath.Dir(path), t.Context(), ErrNotRegular},
		{"missing", path + "x", t.Context(), fs.ErrNotExist},
		{"context over", path, over, context.Canceled},
	} {
		if same, err := (File{Path: c.path}).Holds(c.ctx, []byte("x")); same || !errors.Is(err, c.want) {
			t.Errorf("%s: %t, %v; want %v", c.name, same, err, c.want)
		}
	}
}

// A record that is half there is waited for, where it may be on its way.
func TestReadWaitsForTheRest(t *testing.T) {
	for _, c := range []struct {
		name    string
		written time.Duration // ago
		after   time.Duration // the rest comes; 0 is never
		want    string
		takes   time.Duration // at most
	}{
		{"it comes", 0, 20 * time.Millisecond, "one\ntwo\n", 40 * time.Millisecond},
		{"it does not come", 0, 0, "one\ntw", 2 * settling},
		{"torn long ago", time.Minute, 0, "one\ntw", 0},
		{"written in the future", -time.Hour, 0, "one\ntw", 2 * settling},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			synctest.Test(t, func(t *testing.T) {
				write := func(content string, at time.Time) {
					if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chtimes(path, at, at)); err != nil {
						t.Error(err)
					}
				}
				start := time.Now()
				write("one\ntw", start.Add(-c.written))
				var rest sync.WaitGroup
				if c.after > 0 {
					rest.Go(func() {
						time.Sleep(c.after)
						write("one\ntwo\n", time.Now())
					})
				}
				data, err := File{path, 1 << 10}.Read(t.Context())
				if err != nil || string(data) != c.want {
					t.Errorf("read %q, %v; want %q", data, err, c.want)
				}
				if took := time.Since(start); took > c.takes {
					t.Errorf("took %v, want %v at most", took, c.takes)
				}
				rest.Wait()
			})
		})
	}
}

// Nobody waits for the rest of a record under a context that ends.
func TestReadStopsWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		if err := errors.Join(os.WriteFile(path, []byte("tw"), 0o600), os.Chtimes(path, now, now)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := (File{path, 1 << 10}).Read(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}
