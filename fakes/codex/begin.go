package codex

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/term"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// front plays what comes before a run: argv, the health commands, usage errors. It
// reports the exit code if that was all.
func front(p fakes.Play, v version) (inv invocation, code int, done bool) {
	inv, err := parseArgs(p.Args)
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprint(p.Stderr, usage.text)
		return inv, 2, true
	case inv.command == cmdVersion:
		fmt.Fprintf(p.Stdout, "codex-cli %s\n", v.name)
		return inv, 0, true
	case inv.command == cmdLogin:
		fmt.Fprintln(p.Stderr, "Logged in using an API key - dummy***key")
		return inv, 0, true
	case inv.command == cmdTUI:
		fmt.Fprintln(p.Stderr, "Error: stdin is not a terminal")
		return inv, 1, true
	}
	return inv, 0, false
}

// refusal ends a process before its run. It is what the CLI says on stderr; the exit
// code is 1.
type refusal string

func (r refusal) Error() string { return string(r) }

const noPrompt refusal = "No prompt provided via stdin."

// drainsStdin says whether stdin is read, and announces it as the CLI does.
func drainsStdin(inv invocation, v version, p fakes.Play) bool {
	if f, ok := p.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return false
	}
	switch {
	case inv.prompt == nil:
		fmt.Fprintln(p.Stderr, "Reading prompt from stdin...")
		return true
	case *inv.prompt == "-":
		return true
	case v.drains && !inv.resume && !inv.fork:
		fmt.Fprintln(p.Stderr, "Reading additional input from stdin...")
		return true
	}
	return false
}

// message is the prompt as the model gets it, of argv and what stdin held.
func message(inv invocation, stdin []byte) (string, error) {
	if inv.prompt == nil || *inv.prompt == "-" {
		if strings.TrimSpace(string(stdin)) == "" {
			return "", noPrompt
		}
		return string(stdin), nil
	}
	if len(stdin) == 0 {
		return *inv.prompt, nil
	}
	return fmt.Sprintf("%s\n\n<stdin>\n%s\n</stdin>", *inv.prompt, strings.TrimSuffix(string(stdin), "\n")), nil
}

var isUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`).MatchString

// open finds the thread that a run goes on with, or gives it the fresh id. Asked is
// the id that was asked for, also if nobody knows it.
func open(inv invocation, v version, s threads, fresh string) (id, asked string, spent totals, err error) {
	if !inv.resume && !inv.fork {
		return fresh, "", totals{}, nil
	}
	asked = inv.thread
	if inv.last {
		if asked, err = s.Last(); err != nil {
			return "", "", totals{}, err
		}
	}
	if asked == "" {
		return fresh, "", totals{}, nil
	}
	spent, known, err := s.Load(asked)
	switch {
	case err != nil:
		return "", "", totals{}, err
	case s.Dir == "" && isUUID(asked): // nothing is remembered, so nothing is unknown
		known = true
	case !known && isUUID(asked) && v.knowsThreads:
		return "", asked, totals{}, refusal("Error: thread/resume: thread/resume failed: no rollout found for thread id " + asked + " (code -32600)")
	}
	if !known {
		return fresh, asked, totals{}, nil
	}
	if inv.fork {
		return fresh, asked, spent, nil
	}
	return asked, asked, spent, nil
}

// workDir is the directory that a run works in.
func workDir(inv invocation) string {
	dir, err := os.Getwd()
	if err != nil {
		return inv.dir
	}
	switch {
	case inv.dir == "":
		return dir
	case filepath.IsAbs(inv.dir):
		return inv.dir
	}
	return filepath.Join(dir, inv.dir)
}
