package codex

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
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
	if inv.dir != "" {
		if _, err := os.Stat(inv.dir); err != nil {
			fmt.Fprintf(p.Stderr, "Error: %s\n", osError(err))
			return inv, 1, true
		}
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

// checkSchema reads the file that shall describe the last message.
func checkSchema(inv invocation) error {
	if inv.schema == "" {
		return nil
	}
	if _, err := os.ReadFile(inv.schema); err != nil {
		return refusal(fmt.Sprintf("Failed to read output schema file %s: %s", inv.schema, osError(err)))
	}
	return nil
}

// osError says an error of the system as the CLI does.
func osError(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) || errno.Error() == "" {
		return err.Error()
	}
	text := errno.Error()
	return fmt.Sprintf("%s%s (os error %d)", strings.ToUpper(text[:1]), text[1:], int(errno))
}

// opened is the thread that a run goes on with.
type opened struct {
	id    string
	asked string // what was asked for, also if nobody knows it
	spent thread.Totals
}

// open finds the thread that a run goes on with, or gives it the fresh id.
func open(inv invocation, v version, s thread.Store, fresh string) (opened, error) {
	if !inv.resume && !inv.fork {
		return opened{id: fresh}, nil
	}
	asked := inv.thread
	if inv.last {
		var err error
		if asked, err = s.Last(); err != nil {
			return opened{}, err
		}
	}
	if asked == "" {
		return opened{id: fresh}, nil
	}
	spent, known, err := s.Load(asked)
	if err != nil {
		return opened{}, err
	}
	if s.Dir == "" && thread.IsUUID(asked) { // nothing is remembered, so nothing is unknown
		known = true
	}
	switch {
	case !known && thread.IsUUID(asked) && v.knowsThreads:
		return opened{}, v.unknownThread(inv, asked)
	case !known:
		return opened{id: fresh, asked: asked}, nil
	case inv.fork:
		return opened{fresh, asked, spent}, nil
	}
	return opened{asked, asked, spent}, nil
}

func (v version) unknownThread(inv invocation, id string) refusal {
	request := "thread/resume"
	if inv.fork {
		request = "thread/fork"
	}
	text := fmt.Sprintf("Error: %[1]s: %[1]s failed: no rollout found for thread id %[2]s", request, id)
	if v.tellsCode {
		text += " (code -32600)"
	}
	return refusal(text)
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
