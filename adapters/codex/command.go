package codex

import (
	"io"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/internal/process"
)

// maxArgument is the longest prompt that goes on the command line. Linux takes no
// argument of 128 KiB or more; longer prompts go through stdin.
const maxArgument = 100_000

// request is one run as the command line says it.
type request struct {
	thread string // to resume; empty begins a new one
	model  string // empty leaves it to Codex
	prompt string
}

// arguments returns the arguments after the command, and what stdin holds. Flags
// come before resume, where every version takes them. The prompt comes last, after
// --, so that none is read as a flag or as the name of a command. A lone "-" means
// stdin to Codex, and an argument can neither be long nor hold a zero byte: such
// prompts go through stdin. Without them stdin is empty, as an open one makes Codex
// wait for ever.
func (o Options) arguments(r request) ([]string, io.Reader) {
	args := []string{"exec", "--json", "--skip-git-repo-check", "--sandbox", o.Sandbox}
	for _, c := range o.Config {
		args = append(args, "-c", c)
	}
	if r.model != "" {
		args = append(args, "--model", r.model)
	}
	if r.thread != "" {
		args = append(args, "resume", r.thread)
	}
	if r.prompt == "-" || len(r.prompt) > maxArgument || strings.ContainsRune(r.prompt, 0) {
		return append(args, "-"), strings.NewReader(r.prompt)
	}
	return append(args, "--", r.prompt), nil
}

// child describes the process for the arguments.
func (o Options) child(host []string, args []string, stdin io.Reader) process.Options {
	var allow []string
	extra := slices.Clone(o.Env)
	if o.Home != "" {
		extra = append(extra, "CODEX_HOME="+o.Home)
	} else {
		allow = append(allow, "CODEX_HOME")
	}
	return process.Options{
		Command: slices.Concat(o.Command, args),
		Dir:     o.Dir,
		Env:     process.Environ(host, allow, extra),
		Stdin:   stdin,
	}
}
