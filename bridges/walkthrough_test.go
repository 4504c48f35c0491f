package bridges_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The pages that walk an author from nothing to a verdict are run as they stand: their
// files are written, their commands typed, and what comes is compared with what they
// show. The directory looks like a clone that is built.
func TestWalkthroughs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages are written for a POSIX shell")
	}
	for _, test := range []struct {
		page string
		in   language
	}{
		{"walkthrough-node.md", node},
		{"walkthrough-python.md", python},
	} {
		t.Run(test.page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "docs", test.page))
			if err != nil {
				t.Fatal(err)
			}
			steps := stepsOf(string(text))
			if n := len(slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.command == "" })); n < 10 {
				t.Errorf("the page has %d commands, want ten", n)
			}
			test.in.need(t)
			t.Parallel()
			clone := cloned(t)
			exit := 0
			for _, s := range steps {
				if s.file != "" {
					if err := os.WriteFile(filepath.Join(clone, s.file), []byte(s.text), 0o600); err != nil {
						t.Fatal(err)
					}
					continue
				}
				got, code := typed(t, clone, s.command, exit)
				exit = code
				if !shown(s.text, got) {
					t.Fatalf("line %d: $ %s\ngot, exit code %d:\n%s\nthe page shows:\n%s", s.line, s.command, code, got, s.text)
				}
			}
		})
	}
}

// step is a file to write or a command to type, with what it prints.
type step struct {
	line    int
	file    string
	command string
	text    string
}

// stepsOf reads the fenced blocks of a page: those named after a file, and those of a
// console, whose commands follow a "$ ".
func stepsOf(page string) []step {
	var steps []step
	var fence []string // the words after the fence that is open
	for i, line := range strings.Split(page, "\n") {
		if words, is := strings.CutPrefix(line, "```"); is {
			fence = strings.Fields(words)
			if len(fence) == 2 {
				steps = append(steps, step{line: i + 1, file: fence[1]})
			}
			continue
		}
		command, is := strings.CutPrefix(line, "$ ")
		switch {
		case len(fence) == 2:
			steps[len(steps)-1].text += line + "\n"
		case len(fence) == 0 || fence[0] != "console":
		case is:
			steps = append(steps, step{line: i + 1, command: command})
		default:
			steps[len(steps)-1].text += line + "\n"
		}
	}
	return steps
}

// cloned is a directory with the program and the bridges where a clone has them. The
// program there is as patient as everywhere in these tests.
func cloned(t *testing.T) string {
	t.Helper()
	clone := t.TempDir()
	bridges, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	patient := fmt.Sprintf("#!/bin/sh\ncase $1 in run) shift; set -- run --timeout %s \"$@\";; esac\nexec '%s' \"$@\"\n", patience, program(t))
	if err := errors.Join(
		os.Symlink(bridges, filepath.Join(clone, "bridges")),
		os.Mkdir(filepath.Join(clone, "bin"), 0o700),
		os.WriteFile(filepath.Join(clone, "bin", "adaptercheck"), []byte(patient), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	return clone
}

// typed runs a command as a shell does after one that ended with the exit code before.
// It returns what was printed on standard output, and the exit code.
func typed(t *testing.T, dir, command string, before int) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf("(exit %d); %s", before, command))
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("$ %s: %v", command, err)
	}
	if code := cmd.ProcessState.ExitCode(); code > 1 {
		t.Fatalf("$ %s: exit code %d\n%s%s", command, code, out, stderr.Bytes())
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// shown reports whether a page shows an output: "…" stands for anything within a line,
// and alone on a line for any lines.
func shown(page, output string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(page) {
		if line == "…\n" {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(output)
}

// The comparison must be able to fail.
func TestShown(t *testing.T) {
	for _, test := range []struct {
		page, output string
		want         bool
	}{
		{"", "", true},
		{"", "x\n", false},
		{"a … c\n", "a b c\n", true},
		{"a … c\n", "a b\nc\n", false},
		{"a\n…\nc\n", "a\nb\nb\nc\n", true},
		{"a\n…\nc\n", "a\nc\n", true},
		{"a\n…\nc\n", "a\nb\n", false},
		{"a\n", "a\nb\n", false},
		{"a.c\n", "abc\n", false},
	} {
		if got := shown(test.page, test.output); got != test.want {
			t.Errorf("shown(%q, %q) = %t", test.page, test.output, got)
		}
	}
}
