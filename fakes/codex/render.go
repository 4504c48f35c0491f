package codex

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// maxRetries is what the CLI prints as the limit of its reconnects.
const maxRetries = 5

// renderer is a visitor that turns frames into lines of `codex exec --json`. It
// keeps what the real process keeps: item numbers, open calls, the thread's totals.
type renderer struct {
	child.Deeds
	process *child.Process // nil in a trial
	version version
	store   threads
	asJSON  bool       // --json was given
	start   fakes.Call // how the run began

	thread   string
	spent    totals
	items    int
	calls    map[string]*call
	retries  int
	lastText string
	lastFile string // gets the last message at the end, where one is named
}

// totals is what a thread has spent. Input includes what came from the cache.
type totals struct {
	Input      int64 `json:"input"`
	Cached     int64 `json:"cached"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"`
}

// threads remembers what threads have spent.
type threads = child.Store[totals]

// call is an item that a tool call opened.
type call struct {
	item    string
	tool    string
	input   jsontext.Value // nil is null
	command string
}

// unplayable says what this wire has no form for.
func unplayable(what string, args ...any) error {
	return program().Unplayable(what, args...)
}

// playable reports the first frame that the wire has no form for.
func playable(frames []fakes.Frame) error {
	r := renderer{Deeds: child.Deeds{Program: program(), Stage: child.Trial{}}, calls: map[string]*call{}, asJSON: true}
	for i, f := range frames {
		if err := f.Accept(&r); err != nil {
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
		if r.Muted || !r.asJSON {
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

func (r *renderer) Init(f fakes.Init) error {
	if f.Session != "" && f.Session != r.thread {
		r.thread = f.Session
		if r.process != nil {
			r.process.Session = f.Session
		}
		var err error
		if r.spent, _, err = r.store.Load(f.Session); err != nil {
			return err
		}
	}
	if err := r.store.Save(r.thread, r.spent); err != nil {
		return err
	}
	return r.print(threadStarted{"thread.started", r.thread}, turnStarted{"turn.started"})
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
	c := &call{item: r.nextItem(), tool: f.Name, command: commandOf(f.Input)}
	if f.Input != "" {
		c.input = jsontext.Value(f.Input)
		if !c.input.IsValid() {
			return unplayable("tool input that is no JSON")
		}
	}
	r.calls[f.ID] = c
	return r.print(itemLine{"item.started", c.started()})
}

func (r *renderer) Result(f fakes.Result) error {
	if err := errors.Join(otherRun(f.Run), nested(f.Parent)); err != nil {
		return err
	}
	c := r.calls[f.ID]
	if c == nil {
		c = &call{item: r.nextItem(), tool: f.Name}
	}
	var details *jsontext.Value
	if f.Details != "" {
		v := jsontext.Value(f.Details)
		if !v.IsValid() || isCommand(c.tool) {
			return unplayable("details of tool %q", c.tool)
		}
		details = &v
	}
	return r.print(itemLine{"item.completed", c.completed(f.Out, f.Error, details)})
}

func (c *call) started() any {
	if isCommand(c.tool) {
		return commandItem{ID: c.item, Type: "command_execution", Command: c.command, Status: "in_progress"}
	}
	return mcpItem{ID: c.item, Type: "mcp_tool_call", Server: "fake", Tool: c.tool, Arguments: c.input, Status: "in_progress"}
}

func (c *call) completed(out string, failed bool, details *jsontext.Value) any {
	code, status := 0, "completed"
	if failed {
		code, status = 1, "failed"
	}
	if isCommand(c.tool) {
		return commandItem{c.item, "command_execution", c.command, out, &code, status}
	}
	return mcpItem{ID: c.item, Type: "mcp_tool_call", Server: "fake", Tool: c.tool, Arguments: c.input,
		Result: &mcpResult{Content: []mcpText{{"text", out}}, Structured: details}, Status: status}
}

func (r *renderer) Usage(f fakes.Usage) error {
	if f.Kind == fakes.UsageTotal {
		set(&r.spent.Input, f.In)
		set(&r.spent.Output, f.Out)
		set(&r.spent.Cached, f.CacheRead)
		set(&r.spent.CacheWrite, f.CacheWrite)
		set(&r.spent.Reasoning, f.Reasoning)
	} else {
		add(&r.spent.Input, f.In)
		add(&r.spent.Output, f.Out)
		add(&r.spent.Cached, f.CacheRead)
		add(&r.spent.CacheWrite, f.CacheWrite)
		add(&r.spent.Reasoning, f.Reasoning)
	}
	if f.Kind == fakes.UsageLast {
		set(&r.spent.Input, f.TotalIn)
		set(&r.spent.Output, f.TotalOut)
	}
	return r.store.Save(r.thread, r.spent)
}

func set(total, n *int64) {
	if n != nil {
		*total = *n
	}
}

func add(total, n *int64) {
	if n != nil {
		*total += *n
	}
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
		return r.fail("Incomplete response returned, reason: max_output_tokens")
	case f.Reason == fakes.EndOK:
		return errors.Join(r.print(turnCompleted{"turn.completed", r.usage()}), r.end(0))
	}
	return unplayable("an end by %s", f.Reason)
}

// fail prints the pair of lines that ends a turn for good.
func (r *renderer) fail(message string) error {
	return errors.Join(r.print(errorLine{"error", message}, turnFailed{"turn.failed", errorText{message}}), r.end(1))
}

// end lets the process end. Without --json the last message is all of stdout.
func (r *renderer) end(code int) error {
	r.Stage.Leave(code, "")
	if code == 0 && r.lastFile != "" && !r.Muted {
		if err := os.WriteFile(r.lastFile, []byte(r.lastText), 0o600); err != nil {
			return fmt.Errorf("write the last message: %w", err)
		}
	}
	if r.asJSON || r.Muted || code != 0 {
		return nil
	}
	return r.Stage.Raw([]byte(r.lastText + "\n"))
}

func (r *renderer) Failure(f fakes.Failure) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if f.Fatal {
		return r.fail(f.Message)
	}
	return r.retry(f.Message)
}

func (r *renderer) Turn(f fakes.Turn) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	switch f.State {
	case "running":
		return r.print(turnStarted{"turn.started"})
	case "retry":
		return r.retry(f.Text)
	}
	return unplayable("turn state %q", f.State)
}

// retry prints a reconnect notice. A text that is one already is taken as it is.
func (r *renderer) retry(cause string) error {
	const notice = "Reconnecting..."
	if strings.HasPrefix(cause, notice) {
		return r.print(errorLine{"error", cause})
	}
	if cause == "" {
		cause = "stream disconnected before completion"
	}
	r.retries++
	return r.print(errorLine{"error", fmt.Sprintf("%s %d/%d (%s)", notice, r.retries, maxRetries, cause)})
}

func (r *renderer) Native(f fakes.Native) error {
	line, err := r.Program.NativeLine(f)
	if err != nil || r.Muted || !r.asJSON {
		return err
	}
	return r.Stage.Frame(line)
}
