//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/realruntimes/codex"
)

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, codex.Player())) }

// file writes a file of the test's own.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRun(t *testing.T) {
	// A program that can do no more than tell its version.
	program := file(t, "codex", "#!/bin/sh\n[ \"$1\" = --version ] && echo codex-cli 0.0.0\n")
	known := file(t, "known.yaml", `schema: adaptercheck-baseline-v1
known:
  - subject: real-codex
    check: executor.identity.id-stable
    code: id-unstable
    issue: "1"
    expires: 2999-01-01
`)
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"nothing to judge", nil, 2, []string{"realruntimes: no --codex and no --claude: nothing to judge"}},
		{"a flag that is none", []string{"--what"}, 2, []string{"flag provided but not defined: -what"}},
		{"help", []string{"--help"}, 0, []string{"-baseline file"}},
		{"no program", []string{"--codex", "/none/codex"}, 2, []string{"realruntimes: ask codex for its version"}},
		{"no claude", []string{"--claude", "/none/claude"}, 2, []string{"realruntimes: ask claude for its version"}},
		{"a claude that can tell no more", []string{"--claude", program}, 1, []string{"codex-cli 0.0.0\nFAIL story chat: done error, want success", "FAIL story refused: "}},
		{"no baseline", []string{"--codex", program, "--baseline", "/none/known.yaml"}, 2, []string{"realruntimes:", "known.yaml"}},
		{"no glob", []string{"--codex", program, "--check", "["}, 2, []string{`realruntimes: --check: check pattern "["`}},
		{"no check", []string{"--codex", program, "--check", "executor.none.*"}, 2, []string{"realruntimes: --check: the selection matches no check"}},
		{"checks that start nothing", []string{"--codex", program, "--check", "executor.identity.*"}, 0, []string{
			"codex-cli 0.0.0\n", "passed       MUST   executor.identity.id-stable", "conforms (partial)  real-codex executor", "conforms (partial)  real-codex-app-server executor",
		}},
		{"a known failure that passes", []string{"--codex", program, "--check", "executor.identity.*", "--baseline", known}, 1, []string{"fails (partial)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), c.args, &out, &errs)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, w := range c.want {
				if !strings.Contains(out.String()+errs.String(), w) {
					t.Errorf("no %q in\n%s%s", w, out.String(), errs.String())
				}
			}
		})
	}
}
