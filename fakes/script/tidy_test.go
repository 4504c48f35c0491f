package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

func TestFormatKeepsWhatAPersonWrote(t *testing.T) {
	for _, c := range []struct{ name, from, want string }{
		{"canonical", head + "  - init\n  - end: ok\n", head + "  - init\n  - end: ok\n"},
		{"order of the keys", "expect: [{done: error}]\nsteps:\n- cut\nschema: adaptercheck-script-v1\n", head + "  - cut\nexpect:\n  - done: error\n"},
		{"comments above, beside and below", "# What it shows.\n\nschema: adaptercheck-script-v1 # v1\nsteps: # two\n  # first\n  - init:   # hello\n\n\n  # second\n\n  - cut\n# over\n",
			"# What it shows.\n\nschema: adaptercheck-script-v1 # v1\nsteps: # two\n  # first\n  - init # hello\n\n  # second\n\n  - cut\n# over\n"},
		{"a step of several lines", head + "\n  # the call\n  - call:\n      id: t1 # its id\n      # and its name\n      name: read\n\n      input:\n        p: a # a path\n  - cut\n",
			head + "\n  # the call\n  # its id\n  # and its name\n  # a path\n  - call: {id: t1, name: read, input: {p: \"a\"}}\n  - cut\n"},
		{"one comment in a step of several lines", head + "  - result:\n      id: t1 # of the call\n      out: x\n", head + "  - result: {id: t1, out: x} # of the call\n"},
		{"a flow of several lines", head + "  - call: {\n      id: t1, # why\n      name: read,\n    }\n", head + "  - call: {id: t1, name: read} # why\n"},
		{"marks that are no comments", head + "  - delta: |\n      # a\n      b # c\n  # real\n  - delta: 'x # y'\n  - delta: a#b\n",
			head + "  - delta: \"# a\\nb # c\\n\"\n  # real\n  - delta: \"x # y\"\n  - delta: \"a#b\"\n"},
		{"no steps", "schema: adaptercheck-script-v1\nsteps: # none\n", "schema: adaptercheck-script-v1\nsteps: [] # none\n"},
		{"no last line end", head + "  - cut # so", head + "  - cut # so\n"},
		{"CRLF", "# a\r\n" + strings.ReplaceAll(head, "\n", "\r\n") + "  # b\r\n  - cut # c\r\n\r\n  - cut\r\n", "# a\n" + head + "  # b\n  - cut # c\n\n  - cut\n"},
		{"a case", head + "  - host: {start: {msg: x, session: s1}}\n  - host:\n      wait: 5s\n  - host: abort\n  - file: {mode: a}\n  - expect: {envAbsent: [A, \"B C\"]}\n",
			head + "  - host: {start: {session: s1, msg: x}}\n  - host: {wait: \"5s\"}\n  - host: abort\n  - file: {mode: \"a\"}\n  - expect: {envAbsent: [A, \"B C\"]}\n"},
		{"a byte order mark", "\ufeff" + head + "  - cut\n", head + "  - cut\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := script.Source{Name: "s.yaml", Data: []byte(c.from)}.Format()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			again, err := script.Source{Name: "s.yaml", Data: got}.Format()
			if err != nil || string(again) != string(got) {
				t.Errorf("a second time: %v\n%s", err, again)
			}
		})
	}
}

func TestFormatRefusesWhatCannotBeRead(t *testing.T) {
	_, err := script.Source{Name: "s.yaml", Data: []byte(head + "  - emitt: 1 # x\n")}.Format()
	if err == nil || !strings.HasPrefix(err.Error(), `s.yaml:3:5: unknown step "emitt"`) {
		t.Errorf("%v", err)
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRawBytesOfAFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "half.bin", "\xff{\"half")
	path := write(t, dir, "s.yaml", head+"  - raw: {file: half.bin, piece: 1} # torn\n")
	source, err := script.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := source.Script()
	if err != nil {
		t.Fatal(err)
	}
	want := []fakes.Frame{fakes.Raw{Line: "\xff{\"half", EOL: fakes.EOLNone, Piece: 1}}
	if diff := cmp.Diff(want, got.Frames); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text, err := source.Format(); err != nil || string(text) != head+"  - raw: {file: half.bin, piece: 1} # torn\n" {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestRawBytesOfAnArchive(t *testing.T) {
	path := write(t, t.TempDir(), "s.txtar", "A torn stream.\n-- a.jsonl --\n{\"type\":\"x\"}\n-- s.yaml --\n"+head+"  - raw: {file: a.jsonl}   # whole\n  - cut\n-- b.txt --\n-- other\n")
	source, err := script.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := source.Case()
	if err != nil {
		t.Fatal(err)
	}
	want := []script.Step{{Line: 7, Col: 5, Do: script.Say{Frame: fakes.Raw{Line: "{\"type\":\"x\"}\n", EOL: fakes.EOLNone}}}, {Line: 8, Col: 5, Do: script.Say{Frame: fakes.Cut{}}}}
	if diff := cmp.Diff(want, got.Steps); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, err := source.Format()
	if want := "A torn stream.\n-- a.jsonl --\n{\"type\":\"x\"}\n-- s.yaml --\n" + head + "  - raw: {file: a.jsonl} # whole\n  - cut\n-- b.txt --\n-- other\n"; err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "secret.txt", "canary")
	for _, c := range []struct{ name, file, text, want string }{
		{"a file that is not there", "a.yaml", head + "  - raw: {file: none.bin}\n", `a.yaml:3:17: raw: field "file": file "none.bin": no such file or directory`},
		{"a file outside", "in/b.yaml", head + "  - raw: {file: ../secret.txt}\n", `b.yaml:3:17: raw: field "file": file "../secret.txt": path escapes from parent`},
		{"a directory", "c.yaml", head + "  - raw: {file: in}\n", `c.yaml:3:17: raw: field "file": file "in": no regular file`},
		{"line end of a file", "d.yaml", head + "  - raw: {file: secret.txt, eol: lf}\n", `d.yaml:3:5: raw: want only one of the fields file, eol`},
		{"an archive without a script", "e.txtar", "-- a.txt --\n", `e.txtar:1:1: no script, want one file that ends in .yaml in the archive`},
		{"an archive of two", "f.txtar", "-- a.yaml --\nx\n-- b.yaml --\n", `f.txtar:3:1: second script "b.yaml", want one per archive`},
		{"a mistake in an archive", "g.txtar", "note\n-- a.yaml --\n" + head + "  - emitt\n", `g.txtar:5:5: unknown step "emitt"`},
		{"no file of an archive", "h.txtar", "-- a.yaml --\n" + head + "  - raw: {file: b}\n", `h.txtar:4:17: raw: field "file": file "b": no file "b" in the archive`},
	} {
		source, err := script.Open(write(t, dir, c.file, c.text))
		if err == nil {
			_, err = source.Script()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	if _, err := script.Parse("s.yaml", []byte(head+"  - raw: {file: a}\n")); err == nil || !strings.Contains(err.Error(), "a script that stands alone has no files beside it") {
		t.Errorf("%v", err)
	}
}
