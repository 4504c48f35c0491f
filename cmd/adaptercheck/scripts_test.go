package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// before are the steps that an example needs before it.
var before = map[string]string{
	"result": "  - call: {id: t1, name: read}\n",
	"ask":    "  - call: {id: q1, name: Bash, input: {}}\n",
}

// playsAlone lets a fake play steps, without a client. A fake that cannot says why, and
// that nothing was played.
func playsAlone(t *testing.T, f processFake, steps string) (plays bool, said string) {
	t.Helper()
	s, err := script.Parse(t.Name(), []byte("schema: "+script.Schema+"\nsteps:\n"+steps))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // only a script that waits takes notice
	var out, errs bytes.Buffer
	code := f.script(ctx, s.Frames, fakes.Play{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}, "", 1)
	if unplayable := strings.Contains(errs.String(), fakes.ErrUnplayable.Error()); unplayable != (code == 2) || unplayable && out.Len() > 0 {
		t.Errorf("%s: exit code %d, %d bytes said, stderr %q", steps, code, out.Len(), &errs)
	}
	return code != 2, errs.String()
}

// The page says which fake plays which word.
func TestScriptsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "scripts.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		example, rest, found := strings.Cut(strings.TrimPrefix(line, "| `"), "` |")
		cells := strings.Split(rest, "|")
		if !found || len(cells) != 2+len(processFakes()) {
			continue
		}
		rows++
		word, _, _ := strings.Cut(example, ":")
		if word == "exit" || word == "child" {
			continue // what they do to the process of a test is no matter of words
		}
		for i, f := range processFakes() {
			plays, said := playsAlone(t, f, before[word]+"  - "+example+"\n")
			if want := strings.TrimSpace(cells[i+1]) == "yes"; plays != want {
				t.Errorf("%s: %s plays it: %t, on the page %t; it said %q", example, f.player.Name, plays, want, said)
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d words on the page", rows)
	}
}

// Every fake plays the scripts of the module, or says what it cannot play.
func TestScriptsOfTheModule(t *testing.T) {
	found, err := fs.Glob(fixtures.Scripts(), "*.yaml")
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	unplayable := map[string]string{
		"codex text-then-tool.yaml":      "text comes whole, not in deltas",
		"codex subagent.yaml":            "what a nested agent says",
		"codex refusal.yaml":             "an end by refusal",
		"codex budget.yaml":              "an end by budget",
		"codex-app-server subagent.yaml": "what a nested agent says",
		"codex-app-server refusal.yaml":  "an end by refusal",
		"codex-app-server budget.yaml":   "an end by budget",
		"acp subagent.yaml":              "what a nested agent says",
		"acp budget.yaml":                "an end by budget",
		"acp error.yaml":                 "an error that does not end the run",
		"hermes budget.yaml":             "an end by budget",
		"hermes error.yaml":              "an error that does not end the run",
		"hermes subagent.yaml":           "what a subagent does",
		"pi subagent.yaml":               "what a nested agent says",
		"pi budget.yaml":                 "an end by budget",
		"openclaw subagent.yaml":         "nested agents do not speak",
		"openclaw refusal.yaml":          "no run ends by refusal",
		"openclaw budget.yaml":           "no run ends by budget",
	}
	for _, name := range found {
		data, err := fs.ReadFile(fixtures.Scripts(), name)
		if err != nil {
			t.Fatal(err)
		}
		_, steps, _ := strings.Cut(string(data), "steps:\n")
		steps, _, _ = strings.Cut(steps, "expect:\n")
		for _, f := range processFakes() {
			why := unplayable[f.player.Name+" "+name]
			if plays, said := playsAlone(t, f, steps); plays != (why == "") || !strings.Contains(said, why) {
				t.Errorf("%s by %s: %q, want %q", name, f.player.Name, said, why)
			}
		}
	}
}
