package files

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

// call calls a tool of a directory.
func call(t *testing.T, dir, name, input string) tool.Result {
	t.Helper()
	for _, each := range Tools(dir) {
		if each.Definition().Name == name {
			return each.Call(t.Context(), json.RawMessage(input))
		}
	}
	t.Fatalf("no tool %s", name)
	return tool.Result{}
}

// lay makes files; a name that ends in a slash is a directory.
func lay(t *testing.T, dir string, content map[string]string) {
	t.Helper()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoDirectoryNoTools(t *testing.T) {
	if got := Tools(""); len(got) != 0 {
		t.Errorf("%d tools without a directory", len(got))
	}
}

func TestDefinitions(t *testing.T) {
	var names []string
	for _, each := range Tools(t.TempDir()) {
		d := each.Definition()
		names = append(names, d.Name)
		var schema struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(d.Schema, &schema); err != nil || schema.Type != "object" || d.Description == "" {
			t.Errorf("%s: schema of %q, error %v, description %q", d.Name, schema.Type, err, d.Description)
		}
	}
	if diff := cmp.Diff([]string{"read_file", "write_file", "list_files"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const outside = "path must be a relative path inside the workspace"

func TestCalls(t *testing.T) {
	for _, c := range []struct {
		name, tool, input string
		want              string
		failed            bool
	}{
		{"read", "read_file", `{"path":"a.txt"}`, "alpha\n", false},
		{"read below", "read_file", `{"path":"sub/b.txt"}`, "beta", false},
		{"read cleaned", "read_file", `{"path":"nowhere/../a.txt"}`, "alpha\n", false},
		{"read two dots in a name", "read_file", `{"path":"..c"}`, "gamma", false},
		{"read a directory", "read_file", `{"path":"sub"}`, "not a file", true},
		{"read the workspace", "read_file", `{"path":"sub/.."}`, "not a file", true},
		{"read nothing", "read_file", `{"path":"none"}`, "none: no such file or directory", true},
		{"read empty path", "read_file", `{"path":""}`, outside, true},
		{"read no path", "read_file", `{}`, outside, true},
		{"read a number", "read_file", `{"path":7}`, outside, true},
		{"read above", "read_file", `{"path":"../a.txt"}`, outside, true},
		{"read above from below", "read_file", `{"path":"sub/../../x"}`, outside, true},
		{"read absolute", "read_file", `{"path":"/etc/hostname"}`, outside, true},
		{"read no JSON", "read_file", `{"path":`, "invalid args: expected a JSON object", true},
		{"read an array", "read_file", `["a.txt"]`, "invalid args: expected a JSON object", true},
		{"read no input", "read_file", ``, outside, true},
		{"unknown keys", "read_file", `{"path":"a.txt","why":1}`, "alpha\n", false},

		{"write", "write_file", `{"path":"new.txt","content":"n"}`, "wrote new.txt", false},
		{"write over", "write_file", `{"path":"a.txt","content":"n"}`, "wrote a.txt", false},
		{"write deep", "write_file", `{"path":"x/y/z.txt","content":"n"}`, "wrote x/y/z.txt", false},
		{"write cleaned", "write_file", `{"path":"./sub/../new.txt","content":"n"}`, "wrote new.txt", false},
		{"write a directory", "write_file", `{"path":"sub","content":"n"}`, "sub: is a directory", true},
		{"write below a file", "write_file", `{"path":"a.txt/b","content":"n"}`, "a.txt/b: file exists", true},
		{"write above", "write_file", `{"path":"../n","content":"n"}`, outside, true},
		{"write absolute", "write_file", `{"path":"/tmp/n","content":"n"}`, outside, true},
		{"write no path", "write_file", `{"content":"n"}`, outside, true},

		{"list", "list_files", `{}`, "dir  empty\ndir  sub\nfile ..c\nfile a.txt", false},
		{"list no input", "list_files", ``, "dir  empty\ndir  sub\nfile ..c\nfile a.txt", false},
		{"list empty path", "list_files", `{"path":""}`, "dir  empty\ndir  sub\nfile ..c\nfile a.txt", false},
		{"list a number", "list_files", `{"path":3}`, "dir  empty\ndir  sub\nfile ..c\nfile a.txt", false},
		{"list below", "list_files", `{"path":"sub"}`, "file b.txt", false},
		{"list empty", "list_files", `{"path":"empty"}`, "(empty)", false},
		{"list a file", "list_files", `{"path":"a.txt"}`, "a.txt: not a directory", true},
		{"list nothing", "list_files", `{"path":"none"}`, "none: no such file or directory", true},
		{"list above", "list_files", `{"path":".."}`, outside, true},
		{"list absolute", "list_files", `{"path":"/"}`, outside, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, map[string]string{"a.txt": "alpha\n", "sub/b.txt": "beta", "empty/": "", "..c": "gamma"})
			got := call(t, dir, c.tool, c.input)
			if diff := cmp.Diff(tool.Result{Output: c.want, IsError: c.failed}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What was written is what is there, and nothing else is.
func TestWritten(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"text", `"héllo\n"`, "héllo\n"},
		{"shorter than before", `"x"`, "x"},
		{"empty", `""`, ""},
		{"null", `null`, ""},
		{"number", `12`, "12"},
		{"object", `{"a": [1]}`, `{"a": [1]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, map[string]string{"f": "what was there before"})
			if got := call(t, dir, "write_file", `{"path":"f","content":`+c.content+`}`); got.IsError {
				t.Fatal(got.Output)
			}
			got, err := os.ReadFile(filepath.Join(dir, "f"))
			if err != nil || string(got) != c.want {
				t.Errorf("%q, error %v; want %q", got, err, c.want)
			}
		})
	}
	dir := t.TempDir()
	call(t, dir, "write_file", `{"path":"f"}`)
	if got, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || len(got) != 0 {
		t.Errorf("without content: %q, error %v", got, err)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name, content string
		kept          int // bytes of the content; -1 is all
	}{
		{"at the bound", strings.Repeat("a", maxRead), -1},
		{"over it", strings.Repeat("a", maxRead+1), maxRead},
		{"far over it", strings.Repeat("a", 10*maxRead), maxRead},
		{"two bytes", strings.Repeat("é", maxRead/2+1), maxRead},
		{"two bytes, shifted", "a" + strings.Repeat("é", maxRead/2), maxRead - 1},
		{"three bytes", strings.Repeat("本", maxRead/3+1), maxRead - 1},
		{"four bytes", "abc" + strings.Repeat("🦜", maxRead/4), maxRead - 1},
		{"last one whole", strings.Repeat("a", maxRead-4) + "🦜", -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, map[string]string{"f": c.content})
			want := c.content
			if c.kept >= 0 {
				want = c.content[:c.kept] + "\n…[truncated at 65536 bytes]"
			}
			got := call(t, dir, "read_file", `{"path":"f"}`)
			if got.IsError || got.Output != want {
				t.Errorf("%d bytes, ends in %q; want %d, %q", len(got.Output), tail(got.Output), len(want), tail(want))
			}
		})
	}
}

func tail(s string) string { return s[max(0, len(s)-40):] }

// A file that is no text is answered as text, within the bound too.
func TestReadBytes(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"one byte", "a\xffb", "a\uFFFDb"},
		{"the end of a character is missing", "a\xf0\x9f\xa6", "a\uFFFD"},
		{"only ends of characters", strings.Repeat("\x80", 2*maxRead), "\uFFFD\n…[truncated at 65536 bytes]"},
		{"cut inside a character", strings.Repeat("\x80", 11) + strings.Repeat("é", maxRead), "\uFFFD" + strings.Repeat("é", (maxRead-11)/2) + "\n…[truncated at 65536 bytes]"},
		{"every other byte", strings.Repeat("a\xff", maxRead/2), strings.Repeat("a\uFFFD", maxRead/4) + "\n…[truncated at 65536 bytes]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, map[string]string{"f": c.content})
			got := call(t, dir, "read_file", `{"path":"f"}`)
			if got.IsError || got.Output != c.want || !utf8.ValidString(got.Output) {
				t.Errorf("%d bytes, ends in %q; want %d, %q", len(got.Output), tail(got.Output), len(c.want), tail(c.want))
			}
		})
	}
}

// Only the beginning of a huge file is read.
func TestReadHuge(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "huge")
	lay(t, dir, map[string]string{"huge": "start"})
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skipf("no file with holes of 1 TiB here: %v", err)
	}
	got := call(t, dir, "read_file", `{"path":"huge"}`)
	if got.IsError || len(got.Output) != maxRead+len("\n…[truncated at 65536 bytes]") || !strings.HasPrefix(got.Output, "start\x00") {
		t.Errorf("error %t, %d bytes: %.20q", got.IsError, len(got.Output), got.Output)
	}
}

func TestListMany(t *testing.T) {
	dir := t.TempDir()
	many := filepath.Join(dir, "many")
	if err := os.Mkdir(many, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range maxEntries + 10 {
		if err := os.Mkdir(filepath.Join(many, fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(call(t, dir, "list_files", `{"path":"many"}`).Output, "\n")
	if len(lines) != maxEntries+1 || lines[maxEntries] != "…[truncated at 1000 entries]" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestWorkspaceIsMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "secret-name", "gone")
	for _, each := range Tools(dir) {
		got := each.Call(t.Context(), json.RawMessage(`{"path":"a","content":""}`))
		if !got.IsError || strings.Contains(got.Output, "secret-name") || !strings.HasPrefix(got.Output, "workspace: ") {
			t.Errorf("%s: %+v", each.Definition().Name, got)
		}
	}
}

func TestContextIsDone(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, each := range Tools(dir) {
		if got := each.Call(ctx, json.RawMessage(`{"path":"f","content":"x"}`)); !got.IsError || got.Output != "context canceled" {
			t.Errorf("%s: %+v", each.Definition().Name, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "f")); !os.IsNotExist(err) {
		t.Errorf("a call whose context was done wrote a file (%v)", err)
	}
}

// Whatever the input and wherever it points, a call answers and stays inside.
func FuzzCall(f *testing.F) {
	for _, seed := range []string{`{"path":"a"}`, `{"path":"../a"}`, `{"path":"\u0000"}`, `{"path":"a/../../a"}`, `null`, `{`, `{"path":"\\..\\a"}`, "{\"path\":\"\xff\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		top := t.TempDir()
		dir := filepath.Join(top, "in")
		lay(t, top, map[string]string{"in/": "", "outside": "canary"})
		for _, each := range Tools(dir) {
			got := each.Call(t.Context(), json.RawMessage(input))
			if !utf8.ValidString(got.Output) || strings.Contains(got.Output, "canary") {
				t.Errorf("%s answered %q", each.Definition().Name, got.Output)
			}
		}
		have, err := os.ReadDir(top)
		if err != nil || len(have) != 2 {
			t.Errorf("outside: %v, error %v", have, err)
		}
	})
}
