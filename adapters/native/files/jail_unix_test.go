//go:build unix

package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const secret = "what nobody in the workspace may see"

// jail makes a workspace and, beside it, a directory that is outside, with a file.
func jail(t *testing.T) (in, out string) {
	t.Helper()
	top := t.TempDir()
	lay(t, top, map[string]string{"in/sub/": "", "in/inside.txt": "inside", "out/file.txt": secret})
	return filepath.Join(top, "in"), filepath.Join(top, "out")
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// A link that leads out is refused by every tool, and nothing outside changes.
func TestLinksOut(t *testing.T) {
	in, out := jail(t)
	link(t, out, filepath.Join(in, "dir"))
	link(t, filepath.Join(out, "file.txt"), filepath.Join(in, "absolute"))
	link(t, "../out/file.txt", filepath.Join(in, "relative"))
	link(t, "absolute", filepath.Join(in, "link-to-link"))
	link(t, filepath.Join(out, "new.txt"), filepath.Join(in, "dangling"))
	link(t, "..", filepath.Join(in, "sub", "up"))
	link(t, "../..", filepath.Join(in, "sub", "out"))
	link(t, filepath.Join(in, "inside.txt"), filepath.Join(in, "absolute-inside"))
	for _, path := range []string{
		"dir/file.txt", "dir/new.txt", "dir", "absolute", "relative", "link-to-link", "dangling", "dir/deep/new.txt",
		"sub/out/out/file.txt", "sub/up/sub/out/out/file.txt", "absolute-inside",
	} {
		for _, name := range []string{"read_file", "write_file", "list_files"} {
			got := call(t, in, name, fmt.Sprintf(`{"path":%q,"content":"overwritten"}`, path))
			if !got.IsError || strings.Contains(got.Output, secret) {
				t.Errorf("%s of %s: %+v", name, path, got)
			}
			if strings.Contains(got.Output, out) {
				t.Errorf("%s of %s names the directory outside: %q", name, path, got.Output)
			}
		}
	}
	untouched(t, out)
}

func untouched(t *testing.T, out string) {
	t.Helper()
	have, err := os.ReadDir(out)
	if err != nil || len(have) != 1 {
		t.Errorf("outside: %v, error %v", have, err)
	}
	content, err := os.ReadFile(filepath.Join(out, "file.txt"))
	if err != nil || string(content) != secret {
		t.Errorf("the file outside is %q, error %v", content, err)
	}
}

// A link that stays inside is followed, and listed as a file whatever it leads to.
func TestLinksInside(t *testing.T) {
	in, _ := jail(t)
	link(t, "../inside.txt", filepath.Join(in, "sub", "link"))
	link(t, "sub", filepath.Join(in, "to-sub"))
	if got := call(t, in, "read_file", `{"path":"to-sub/link"}`); got.IsError || got.Output != "inside" {
		t.Errorf("read: %+v", got)
	}
	if got := call(t, in, "write_file", `{"path":"to-sub/link","content":"new"}`); got.IsError {
		t.Errorf("write: %+v", got)
	}
	if content, err := os.ReadFile(filepath.Join(in, "inside.txt")); err != nil || string(content) != "new" {
		t.Errorf("the file is %q, error %v", content, err)
	}
	if got := call(t, in, "list_files", `{}`); got.Output != "dir  sub\nfile inside.txt\nfile to-sub" {
		t.Errorf("list: %q", got.Output)
	}
}

// A file with another name is neither read nor written, wherever the other is.
func TestHardLinks(t *testing.T) {
	in, out := jail(t)
	for from, to := range map[string]string{filepath.Join(out, "file.txt"): "hard", filepath.Join(in, "inside.txt"): "sub/twin"} {
		if err := os.Link(from, filepath.Join(in, to)); err != nil {
			t.Skipf("no hard links here: %v", err)
		}
	}
	for _, path := range []string{"hard", "sub/twin", "inside.txt"} {
		for _, name := range []string{"read_file", "write_file"} {
			got := call(t, in, name, fmt.Sprintf(`{"path":%q,"content":"overwritten"}`, path))
			if !got.IsError || !strings.Contains(got.Output, "hard link") {
				t.Errorf("%s of %s: %+v", name, path, got)
			}
		}
	}
	untouched(t, out)
	if content, err := os.ReadFile(filepath.Join(in, "inside.txt")); err != nil || string(content) != "inside" {
		t.Errorf("the file inside is %q, error %v", content, err)
	}
	if err := os.Remove(filepath.Join(in, "sub", "twin")); err != nil {
		t.Fatal(err)
	}
	if got := call(t, in, "read_file", `{"path":"inside.txt"}`); got.IsError || got.Output != "inside" {
		t.Errorf("with one name left: %+v", got)
	}
}

// A pipe has no other end; a call that waited for one would hang this test.
func TestPipe(t *testing.T) {
	in, _ := jail(t)
	if err := syscall.Mkfifo(filepath.Join(in, "pipe"), 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if got := call(t, in, "read_file", `{"path":"pipe"}`); !got.IsError || got.Output != "not a file" {
		t.Errorf("read: %+v", got)
	}
	for _, name := range []string{"write_file", "list_files"} {
		if got := call(t, in, name, `{"path":"pipe","content":"x"}`); !got.IsError {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestModes(t *testing.T) {
	in, _ := jail(t)
	script := filepath.Join(in, "run.sh")
	if err := os.WriteFile(script, []byte("echo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a/b/new.txt", "run.sh"} {
		if got := call(t, in, "write_file", fmt.Sprintf(`{"path":%q,"content":"x"}`, path)); got.IsError {
			t.Fatal(got.Output)
		}
	}
	for path, want := range map[string]os.FileMode{"a": 0o700, "a/b": 0o700, "a/b/new.txt": 0o600, "run.sh": 0o755} {
		info, err := os.Stat(filepath.Join(in, path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, error %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

// A link that is swapped for one that leads out while calls run leads nowhere either.
func TestSwappedLink(t *testing.T) {
	in, out := jail(t)
	lay(t, in, map[string]string{"real/file.txt": "inside"})
	place, fresh := filepath.Join(in, "place"), filepath.Join(in, "fresh")
	link(t, "real", place)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 1000 {
			to := "real"
			if i%2 == 0 {
				to = out
			}
			if err := os.Symlink(to, fresh); err != nil {
				t.Error(err)
				return
			}
			if err := os.Rename(fresh, place); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if got := call(t, in, "read_file", `{"path":"place/file.txt"}`); strings.Contains(got.Output, secret) {
			t.Fatalf("read through a link: %+v", got)
		}
		call(t, in, "write_file", `{"path":"place/file.txt","content":"overwritten"}`)
		call(t, in, "write_file", `{"path":"place/new.txt","content":"new"}`)
	}
	untouched(t, out)
}

func TestRemove(t *testing.T) {
	in, out := jail(t)
	lay(t, in, map[string]string{"sub/deep/file.txt": "x"})
	link(t, out, filepath.Join(in, "dir"))
	link(t, out, filepath.Join(in, "sub", "dir"))
	for _, c := range []struct{ path, want string }{
		{"none", "none: no such file or directory"},
		{"dir/file.txt", "dir/file.txt: path escapes from parent"},
		{"", outside}, {".", outside}, {"sub/..", outside}, {"../out", outside}, {out, outside},
	} {
		if err := Remove(in, c.path); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v; want %s", c.path, err, c.want)
		}
	}
	for _, path := range []string{"inside.txt", "dir", "sub"} {
		if err := Remove(in, path); err != nil {
			t.Error(err)
		}
	}
	untouched(t, out)
	if got := call(t, in, "list_files", `{}`); got.Output != "(empty)" {
		t.Errorf("left: %q", got.Output)
	}
}
