package acp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
)

// An agent reads and writes regular files in the directory, as far as it may.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	put("a.txt", "one\ntwo\nthree")
	put("long", strings.Repeat("x", maxFile+1))
	if err := os.Mkdir(in("sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	links := os.Symlink(outside, in("link")) == nil
	const read, write = sdk.ClientMethodFsReadTextFile, sdk.ClientMethodFsWriteTextFile
	for _, c := range []struct {
		name, method string
		params       map[string]any
		want         string // content, or the code of the refusal
	}{
		{"whole", read, map[string]any{"path": in("a.txt")}, "one\ntwo\nthree"},
		{"from a line", read, map[string]any{"path": in("a.txt"), "line": 2}, "two\nthree"},
		{"some lines", read, map[string]any{"path": in("a.txt"), "line": 1, "limit": 2}, "one\ntwo\n"},
		{"beyond the end", read, map[string]any{"path": in("a.txt"), "line": 9, "limit": 2}, ""},
		{"a path with steps back", read, map[string]any{"path": in("sub") + "/../a.txt", "limit": 1}, "one\n"},
		{"what is not there", read, map[string]any{"path": in("no")}, "-32002"},
		{"outside", read, map[string]any{"path": outside}, "-32602"},
		{"steps out", read, map[string]any{"path": dir + "/../../etc/passwd"}, "-32602"},
		{"relative", read, map[string]any{"path": "a.txt"}, "-32602"},
		{"no path", read, map[string]any{}, "-32602"},
		{"the directory", read, map[string]any{"path": dir}, "-32602"},
		{"a directory", read, map[string]any{"path": in("sub")}, "-32602"},
		{"too long", read, map[string]any{"path": in("long")}, "-32602"},
		{"no parameters", read, nil, "-32602"},
		{"of another kind", read, map[string]any{"path": 7}, "-32602"},
		{"a new file", write, map[string]any{"path": in("new/deep.txt"), "content": "x"}, ""},
		{"over a file", write, map[string]any{"path": in("a.txt"), "content": "y"}, ""},
		{"over a directory", write, map[string]any{"path": in("sub"), "content": "y"}, "-32602"},
		{"out of it", write, map[string]any{"path": outside, "content": "y"}, "-32602"},
		{"too much", write, map[string]any{"path": in("big"), "content": strings.Repeat("x", maxFile+1)}, "-32602"},
		{"through a link", read, map[string]any{"path": in("link")}, "-32603"},
		{"over a link", write, map[string]any{"path": in("link"), "content": "y"}, "-32603"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !links && strings.Contains(c.name, "link") {
				t.Skip("no symbolic links here")
			}
			params, err := json.Marshal(c.params)
			if err != nil {
				t.Fatal(err)
			}
			result, refused := files{dir: dir, may: FilesWrite}.serve(c.method, params)
			got := ""
			switch r := result.(type) {
			case sdk.ReadTextFileResponse:
				got = r.Content
			case nil:
				code, _ := json.Marshal(refused.Code) // a number has a JSON text
				got = string(code)
				if said, _ := json.Marshal(refused); strings.Contains(string(said), dir) {
					t.Errorf("the refusal names paths: %s", said)
				}
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if data, err := os.ReadFile(in("new/deep.txt")); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := os.ReadFile(in("a.txt")); err != nil || string(data) != "y" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "secret" {
		t.Errorf("%q, %v", data, err)
	}
	for _, c := range []struct{ may, method string }{{FilesNone, read}, {FilesNone, write}, {FilesRead, write}} {
		if _, refused := (files{dir: dir, may: c.may}).serve(c.method, []byte(`{}`)); refused == nil || refused.Code != -32601 {
			t.Errorf("%q %s: %v", c.may, c.method, refused)
		}
	}
}
