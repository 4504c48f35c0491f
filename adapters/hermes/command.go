package hermes

import (
	"io"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/internal/oneshot"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// maxArgument is the longest prompt that goes on the command line. Linux takes no
// argument of 128 KiB or more.
const maxArgument = 100_000

// arguments returns the arguments after the command, and what stdin holds. The prompt
// is an argument, as all versions take it. One that begins with a dash stands in one
// argument with its flag, or it would be read as a flag itself. One that no argument can
// hold goes through stdin, which newer versions can read; others fail the run and say
// so. Without it stdin is empty: what Hermes might ask there is answered by the end,
// which it takes for no.
func (o Options) arguments(r oneshot.Request[state]) (args []string, stdin io.Reader) {
	switch {
	case len(r.Prompt) > maxArgument || strings.ContainsRune(r.Prompt, 0):
		args, stdin = []string{"chat", "--query-file", "-"}, strings.NewReader(r.Prompt)
	case strings.HasPrefix(r.Prompt, "-"):
		args = []string{"chat", "--query=" + r.Prompt}
	default:
		args = []string{"chat", "-q", r.Prompt}
	}
	switch o.Format {
	case FormatStream:
		args = append(args, "--format", FormatStream)
	default:
		args = append(args, "-Q")
	}
	if r.Model != "" {
		args = append(args, "-m", r.Model)
	}
	if r.State.Session != "" {
		args = append(args, "--resume", r.State.Session)
	}
	return append(args, o.Args...), stdin
}

// child describes the process for the arguments.
func (o Options) child(environ, args []string, stdin io.Reader) process.Options {
	return process.Options{Command: slices.Concat(o.Command, args), Dir: o.Dir, Env: environ, Stdin: stdin}
}
