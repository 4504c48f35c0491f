package codex

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// A tool call is one of the program's own shell: it runs a command that reads what it
// shall do from a pipe. The program does not wait long for a command: it tells the
// provider that it still runs, and goes on. So the call stays open until its result is
// said, or for ever.

// call is a call that was made.
type call struct {
	pipe     string
	session  int // the program's name of the command that runs
	answered bool
}

// shell is the program's function that runs a command.
const shell = "exec_command"

// yield is how long the program waits for a command before it goes on, in milliseconds:
// as short as it can be.
const yield = 250

// patience is how long it waits for the end of one that was told its result.
const patience = 10_000

// ToolCall runs a command. Name and input stand in it as a comment, as the command is the
// input that the program shows.
func (p *planner) ToolCall(f fakes.ToolCall) error {
	switch {
	case f.Parent != "":
		return unplayable("a call of a nested agent")
	case f.ID == "" || f.Name == "":
		return unplayable("a call without an id or a name")
	case p.calls[f.ID] != nil:
		return unplayable("a call that comes again")
	case p.ended:
		return unplayable("a call after the end")
	}
	c := &call{}
	p.calls[f.ID] = c
	id, completed := p.id("call"), p.completed()
	comment := strings.ReplaceAll(f.Name+" "+f.Input, "\n", " ")
	return p.do(func(ctx context.Context, r *Run, receipt *fakes.Receipt) (err error) {
		if c.pipe, err = r.runtime.newPipe(); err != nil {
			return err
		}
		command := "sh " + quote(c.pipe) + " # " + comment
		out, err := r.use(ctx, receipt, id, shell, map[string]any{"cmd": command, "login": false, "yield_time_ms": yield}, completed)
		if err != nil {
			return err
		}
		match := running.FindStringSubmatch(out)
		if match == nil {
			return fmt.Errorf("the command of a tool did not stay: %.200q", out)
		}
		c.session, err = strconv.Atoi(match[1])
		return err
	})
}

// running is how the program says that a command still runs.
var running = regexp.MustCompile(`(?m)^Process running with session ID (\d+)$`)

// Result lets the command print and exit, and the program see it.
func (p *planner) Result(f fakes.Result) error {
	c := p.calls[f.ID]
	switch {
	case f.Parent != "" || f.Run != "" || f.Details != "":
		return unplayable("a result of something else, or with details")
	case c == nil || c.answered || p.ended:
		return unplayable("a result without a call that is open")
	case strings.ContainsRune(f.Out, 0):
		return unplayable("a zero byte in a result")
	}
	after := *c
	after.answered = true
	p.calls[f.ID] = &after
	status := 0
	if f.Error {
		status = 1
	}
	orders := fmt.Sprintf("printf %%s %s\nexit %d\n", quote(f.Out), status)
	id, completed := p.id("call"), p.completed()
	fence, nothing := p.id("call"), p.completed()
	return p.do(func(ctx context.Context, r *Run, receipt *fakes.Receipt) error {
		if err := feed(ctx, c.pipe, orders); err != nil {
			return fmt.Errorf("tell a tool its result: %w", err)
		}
		out, err := r.use(ctx, receipt, id, "write_stdin", map[string]any{"session_id": c.session, "chars": "", "yield_time_ms": patience}, completed)
		if err != nil {
			return err
		}
		if !strings.Contains(out, "Process exited with code "+strconv.Itoa(status)) {
			return fmt.Errorf("the command of a tool did not end with code %d: %.200q", status, out)
		}
		// What hands the output to the provider is not what tells the adapter.
		return r.fence(ctx, receipt, fence, nothing)
	})
}

// fence lets the provider call a function that there is not: when the program comes back
// with what it gave, it has taken in everything before.
func (r *Run) fence(ctx context.Context, receipt *fakes.Receipt, id string, completed []fakes.Frame) error {
	_, err := r.use(ctx, receipt, id, "no_such_function", map[string]any{}, completed)
	return err
}

// Ask lets the provider call for a command that the sandbox does not allow, of which the
// program asks its host. It asks its provider again when it has the answer.
func (p *planner) Ask(f fakes.Ask) error {
	switch {
	case f.ID == "":
		return unplayable("a question without an id")
	case p.ended:
		return unplayable("a question after the end")
	}
	completed := p.completed()
	return p.do(func(ctx context.Context, r *Run, receipt *fakes.Receipt) error {
		arguments, err := json.Marshal(map[string]any{
			"cmd": "true # " + f.Tool, "login": false, "sandbox_permissions": "require_escalated", "justification": "May it run?",
		}, json.Deterministic(true))
		if err != nil {
			return err
		}
		r.ask(f.ID)
		return r.close(ctx, receipt, append([]fakes.Frame{fakes.ToolCall{ID: f.ID, Name: shell, Input: string(arguments)}}, completed...)...)
	})
}

// use lets the provider call a function of the program, and returns what it gave.
func (r *Run) use(ctx context.Context, receipt *fakes.Receipt, id, function string, arguments map[string]any, completed []fakes.Frame) (out string, err error) {
	text, err := json.Marshal(arguments, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	if err := r.close(ctx, receipt, append([]fakes.Frame{fakes.ToolCall{ID: id, Name: function, Input: string(text)}}, completed...)...); err != nil {
		return "", err
	}
	if err := r.await(ctx); err != nil {
		return "", err
	}
	e, err := r.current()
	if err != nil {
		return "", err
	}
	out, ok := e.outputs[id]
	if !ok {
		return "", fmt.Errorf("the program gave no output of its function %s", function)
	}
	return out, nil
}

// quote makes a word of a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
