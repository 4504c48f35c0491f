package codex

import (
	"errors"
	"fmt"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
)

// renderer is a visitor that turns frames into lines of `codex exec --json`. It
// keeps what the real process keeps: item numbers, open calls, the thread's totals.
type renderer struct {
	child.Deeds
	process *child.Process // nil in a trial
	version version
	inv     invocation
	store   thread.Store
	start   fakes.Call // how the run began

	thread    string
	announced bool // the thread was named, and its turn has not begun
	turned    bool // a turn has begun
	spent     thread.Totals
	items     int
	calls     map[string]openCall
	plan      *todoItem // the to-do list of the turn, if it has one
	retries   int
	requests  uint64
	lastText  string
}

// openCall is a call and the item that it is. The call is nil where it has no item.
type openCall struct {
	item string
	call
}

func newRenderer(s child.Stage, v version) *renderer {
	return &renderer{Deeds: child.Deeds{Program: program(), Stage: s}, version: v, inv: invocation{json: true}, calls: map[string]openCall{}}
}

// unplayable says what this wire has no form for.
func unplayable(what string, args ...any) error {
	return program().Unplayable(what, args...)
}

// playable reports the first frame that the wire has no form for.
func playable(frames []fakes.Frame) error {
	r := newRenderer(child.Trial{}, versions[0])
	for i, f := range frames {
		if err := f.Accept(r); err != nil {
			return &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
		}
	}
	return nil
}

// print writes lines, unless nothing more shall come.
func (r *renderer) print(lines ...any) error {
	for _, v := range lines {
		out, err := line(v)
		if err != nil {
			return err
		}
		if r.Muted || !r.inv.json {
			continue
		}
		if err := r.Stage.Frame(out); err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) nextItem() string {
	r.items++
	return fmt.Sprintf("item_%d", r.items-1)
}

func otherRun(run string) error {
	if run != "" {
		return unplayable("a frame of another run")
	}
	return nil
}

func nested(parent string) error {
	if parent != "" {
		return unplayable("what a nested agent says")
	}
	return nil
}

func (r *renderer) Delta(fakes.Delta) error       { return unplayable("text comes whole, not in deltas") }
func (r *renderer) Snapshot(fakes.Snapshot) error { return unplayable("text comes whole, once") }
func (r *renderer) CallPart(fakes.CallPart) error { return unplayable("calls come whole") }
func (r *renderer) Ask(fakes.Ask) error           { return unplayable("approvals") }

func (r *renderer) Think(f fakes.Think) error {
	if err := nested(f.Parent); err != nil {
		return err
	}
	return r.print(itemLine{"item.completed", textItem{r.nextItem(), "reasoning", &f.Text}})
}

func (r *renderer) Final(f fakes.Final) error {
	if err := nested(f.Parent); err != nil {
		return err
	}
	if f.Text != nil {
		r.lastText = *f.Text
	}
	return r.print(itemLine{"item.completed", textItem{r.nextItem(), "agent_message", f.Text}})
}

func (r *renderer) ToolCall(f fakes.ToolCall) error {
	if err := nested(f.Parent); err != nil {
		return err
	}
	input := jsontext.Value(nil)
	if f.Input != "" {
		if input = jsontext.Value(f.Input); !input.IsValid() {
			return unplayable("tool input that is no JSON")
		}
	}
	if f.Name == planTool {
		r.calls[f.ID] = openCall{}
		return r.note(input)
	}
	c, err := callOf(f.Name, input)
	if err != nil {
		return err
	}
	open := openCall{r.nextItem(), c}
	r.calls[f.ID] = open
	return r.print(itemLine{"item.started", c.started(open.item)})
}

func (r *renderer) Result(f fakes.Result) error {
	if err := errors.Join(otherRun(f.Run), nested(f.Parent)); err != nil {
		return err
	}
	open, known := r.calls[f.ID]
	if !known && f.Name != planTool {
		c, err := callOf(f.Name, nil)
		if err != nil {
			return err
		}
		open = openCall{r.nextItem(), c}
	}
	if open.call == nil {
		return nil
	}
	item, err := open.completed(open.item, f)
	if err != nil {
		return err
	}
	return r.print(itemLine{"item.completed", item})
}

func (r *renderer) Usage(f fakes.Usage) error {
	r.spent.Count(f)
	return r.store.Save(r.thread, r.spent)
}

func (r *renderer) usage() usageLine {
	u := usageLine{Input: r.spent.Input, Cached: r.spent.Cached, Output: r.spent.Output}
	if r.version.cacheWrite {
		u.CacheWrite = &r.spent.CacheWrite
	}
	if r.version.reasoning {
		u.Reasoning = &r.spent.Reasoning
	}
	return u
}

func (r *renderer) End(f fakes.End) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	switch {
	case f.Error:
		return r.fail(f.Text)
	case f.Reason == fakes.EndLength:
		return r.fail(r.cause("max_output_tokens", ""))
	case f.Reason == fakes.EndOK:
		return errors.Join(r.closeNote(), r.print(turnCompleted{"turn.completed", r.usage()}), r.end(0))
	}
	return unplayable("an end by %s", f.Reason)
}

// fail prints the pair of lines that ends a turn for good.
func (r *renderer) fail(message string) error {
	return errors.Join(r.print(errorLine{"error", message}), r.closeNote(), r.print(turnFailed{"turn.failed", errorText{message}}), r.end(1))
}

// end lets the process end. Without --json the last message is all of stdout.
func (r *renderer) end(code int) error {
	r.Stage.Leave(code, "")
	if code == 0 && r.inv.message != "" && !r.Muted {
		if err := os.WriteFile(r.inv.message, []byte(r.lastText), 0o600); err != nil {
			return fmt.Errorf("write the last message: %w", err)
		}
	}
	if r.inv.json || r.Muted || code != 0 {
		return nil
	}
	return r.Stage.Raw([]byte(r.lastText + "\n"))
}

func (r *renderer) Failure(f fakes.Failure) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	switch {
	case f.Fatal:
		return r.fail(r.cause(f.Code, f.Message))
	case f.Code == warning:
		return r.warn(f.Message)
	case f.Code == "connection_failed" && r.version.waitsForNetwork:
		return r.notice("waiting for network (Connection failed: error sending request)")
	}
	return r.retry(r.cause(f.Code, f.Message))
}

func (r *renderer) Turn(f fakes.Turn) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	switch f.State {
	case "running":
		r.turned = true
		return r.print(turnStarted{"turn.started"})
	case "retry":
		return r.retry(f.Text)
	}
	return unplayable("turn state %q", f.State)
}

func (r *renderer) Native(f fakes.Native) error {
	line, err := r.Program.NativeLine(f)
	if err != nil || r.Muted || !r.inv.json {
		return err
	}
	return r.Stage.Frame(line)
}
