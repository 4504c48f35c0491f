package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// canaries are what no report may hold: words that the suite and these tests put
// wherever something can be said.
var canaries = regexp.MustCompile(`(?i)canary|\bsk-`)

// TestReportsHoldNoContent runs subjects that put canaries everywhere, and writes
// down what the suite said to one of them.
func TestReportsHoldNoContent(t *testing.T) {
	program, err := exec.LookPath("adaptercheck")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	words := filepath.Join(dir, "words")
	args := []string{"run", "test-loud", "test-recorded", "codex", "-v", "--seed", "3", "--timeout", "5"}
	reports := []string{"report.json", "report.md", "report.xml"}
	for _, name := range reports {
		args = append(args, "--report", name)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), recordVar+"="+words)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if !canaries.MatchString(stderr.String()) {
		t.Error("no canary was seen at all: the test looks at the wrong place")
	}
	said := map[string]string{"the summary": stdout.String()}
	for _, name := range reports {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		said[name] = string(text)
	}
	given, err := os.ReadFile(words)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for w := range strings.FieldsSeq(string(given)) {
		if len(w) >= 12 {
			list = append(list, w)
		}
	}
	if len(list) < 100 {
		t.Fatalf("only %d words were written down", len(list))
	}
	for where, text := range said {
		if found := canaries.FindString(text); found != "" {
			t.Errorf("%s holds %q", where, found)
		}
		for _, w := range list {
			if strings.Contains(text, w) {
				t.Errorf("%s holds %q", where, w)
				break
			}
		}
	}
}
