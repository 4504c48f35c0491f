package codex

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// maxArgument is the longest prompt that goes on the command line. Linux takes no
// argument of 128 KiB or more; longer prompts go through stdin.
const maxArgument = 100_000

// exec returns the arguments of a run after the command, and what stdin holds. Flags
// come before resume, where every version takes them. The prompt comes last, after
// --, so that none is read as a flag or as the name of a command. A lone "-" means
// stdin to Codex, and an argument can neither be long nor hold a zero byte: such
// prompts go through stdin. Without them stdin is empty, as an open one makes Codex
// wait for ever.
func (o Options) exec(r oneshot.Request[state]) ([]string, io.Reader) {
	args := []string{"exec", "--json", "--skip-git-repo-check", "--sandbox", o.Sandbox}
	args = append(args, o.config()...)
	if r.Model != "" {
		args = append(args, "--model", r.Model)
	}
	if r.State.Thread != "" {
		args = append(args, "resume", r.State.Thread)
	}
	if r.Prompt == "-" || len(r.Prompt) > maxArgument || strings.ContainsRune(r.Prompt, 0) {
		return append(args, "-"), strings.NewReader(r.Prompt)
	}
	return append(args, "--", r.Prompt), nil
}

// server returns the arguments of an app-server. What a run is about it is told later.
func (o Options) server() []string { return append([]string{"app-server"}, o.config()...) }

// errand is what an app-server is told of a run.
func (o Options) errand(r oneshot.Request[state]) errand {
	e := errand{
		thread: threadParams{ThreadID: r.State.Thread, Sandbox: o.Sandbox, Approval: o.Approval},
		prompt: r.Prompt, model: r.Model,
	}
	if o.Dir != "" {
		if dir, err := filepath.Abs(o.Dir); err == nil { // else the directory of the process, which is the same
			e.thread.Dir = dir
		}
	}
	return e
}

func (o Options) config() []string {
	var args []string
	for _, c := range o.Config {
		args = append(args, "-c", c)
	}
	return args
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
