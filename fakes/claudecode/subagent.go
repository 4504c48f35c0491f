package claudecode

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// subagent is an agent that a tool call started. It works in the foreground: the call is
// answered when it is done.
type subagent struct {
	call        *call
	task, run   string
	kind        string
	description string
	prompt      string
	asked       string // whether it was asked to work in the background: background, foreground, unset
	message     *message
	tools       int // calls so far
	done        bool
	failed      bool
}

// parent is what lines of the agent say they are of; nil is the main agent.
func (a *subagent) parent() any {
	if a == nil {
		return nil
	}
	return a.call.id
}

// of is what lines of a subagent say beside.
func (v version) of(a *subagent) []member {
	if a == nil || v.shape < v21197 {
		return nil
	}
	members := []member{{"subagent_type", a.kind}, {"task_description", a.description}}
	if v.shape >= v21332 {
		members = append(members, member{"agent_id", a.task})
	}
	return members
}

// agentOf is the agent that a call has started, nil if it has not.
func (r *renderer) agentOf(id string) *subagent {
	i := slices.IndexFunc(r.agents, func(a *subagent) bool { return a.call.id == id })
	if i < 0 {
		return nil
	}
	return r.agents[i]
}

// subagent finds the agent of a call, or starts it as the call's input says.
func (r *renderer) subagent(id string) (*subagent, error) {
	if a := r.agentOf(id); a != nil {
		if a.done {
			return nil, unplayable("a word of a subagent whose call %q is answered", id)
		}
		return a, nil
	}
	c := r.calls[id]
	if c == nil || c.answered {
		return nil, unplayable("a subagent of call %q, which is not open", id)
	}
	if err := r.close("tool_use"); err != nil {
		return nil, err
	}
	var input struct {
		Description string `json:"description"`
		Prompt      string `json:"prompt"`
		Kind        string `json:"subagent_type"`
		Background  *bool  `json:"run_in_background"`
	}
	if err := json.Unmarshal([]byte(c.input), &input); err != nil {
		return nil, unplayable("a subagent of call %q, whose input is no task", id)
	}
	a := &subagent{call: c, task: r.ids.api("task"), run: r.ids.api("run"), kind: input.Kind, description: input.Description, prompt: input.Prompt, asked: "unset"}
	if a.kind == "" {
		a.kind = "general-purpose"
	}
	if b := input.Background; b != nil {
		a.asked = map[bool]string{true: "background", false: "foreground"}[*b]
	}
	r.agents = append(r.agents, a)
	members := []member{{"description", a.description}, {"subagent_type", a.kind}, {"task_type", "local_agent"}, {"prompt", a.prompt}}
	if r.version.shape >= v21332 {
		members = append(members, member{"is_backgrounded", false}, member{"spawn_depth", 1})
	}
	if err := r.task("task_started", a, true, members...); err != nil {
		return nil, err
	}
	return a, r.userOf(a, []object{textBlock(a.prompt)})
}

// task tells of an agent's work, where the version does.
func (r *renderer) task(subtype string, a *subagent, call bool, members ...member) error {
	if r.version.shape < v21197 {
		return nil
	}
	head := []member{{"task_id", a.task}}
	if r.version.shape >= v21332 {
		head = append(head, member{"run_id", a.run})
	}
	if call {
		head = append(head, member{"tool_use_id", a.call.id})
	}
	return r.system(subtype, append(head, members...)...)
}

// nestedMessage is the message that a subagent is in, or a new one.
func (r *renderer) nestedMessage(parent string) (*message, error) {
	a, err := r.subagent(parent)
	if err != nil || a.message != nil {
		return a.current(), err
	}
	a.message = &message{id: r.ids.api("msg"), request: r.ids.api("req"), agent: a}
	a.message.begin, _ = r.foreseen()
	return a.message, nil
}

func (a *subagent) current() *message {
	if a == nil {
		return nil
	}
	return a.message
}

// nestedText says what a subagent says or thinks, where that was asked for.
func (r *renderer) nestedText(parent string, content object) error {
	m, err := r.nestedMessage(parent)
	if err != nil || !r.inv.forwards {
		return err
	}
	return r.assistant(m, content)
}

func (r *renderer) nestedFinal(f fakes.Final) error {
	var text any
	if f.Text != nil {
		text = *f.Text
	}
	return r.nestedText(f.Parent, object{{"type", "text"}, {"text", text}})
}

// nestedCall says a call of a subagent.
func (r *renderer) nestedCall(f fakes.ToolCall, input string) error {
	m, err := r.nestedMessage(f.Parent)
	if err != nil {
		return err
	}
	a, c := m.agent, &call{id: f.ID, name: f.Name, input: input, agent: m.agent}
	r.calls[f.ID] = c
	r.order = append(r.order, c)
	a.tools++
	var about struct {
		Description string `json:"description"`
	}
	_ = json.Unmarshal([]byte(input), &about) // input need not be a map
	if about.Description == "" {
		about.Description = f.Name
	}
	if err := r.task("task_progress", a, true, member{"description", "Running " + about.Description}, member{"subagent_type", a.kind},
		member{"usage", a.usage()}, member{"last_tool_name", f.Name}); err != nil {
		return err
	}
	return r.assistant(m, object{{"type", "tool_use"}, {"id", f.ID}, {"name", f.Name}, {"input", jsontext.Value(input)}})
}

// usage is what an agent has used: the window of its last message, and its calls.
func (a *subagent) usage() object {
	total := int64(0)
	if m := a.message; m != nil {
		total = m.begin.Input + m.begin.CacheRead + m.begin.CacheWrite + m.begin.Output
	}
	return object{{"total_tokens", total}, {"tool_uses", a.tools}, {"duration_ms", 0}}
}

// finishAgent tells that a subagent is done, before its call is answered.
func (r *renderer) finishAgent(a *subagent, f fakes.Result) error {
	a.done, a.failed = true, f.Error
	status := "completed"
	if f.Error {
		status = "failed"
	}
	if err := r.task("task_updated", a, false, member{"patch", object{{"status", status}, {"end_time", 0}}}); err != nil {
		return err
	}
	return r.task("task_notification", a, true, member{"status", status}, member{"output_file", ""}, member{"summary", f.Out}, member{"usage", a.usage()})
}

// agentStats is what a result says of all subagents.
func (r *renderer) agentStats() object {
	requested, kinds, kindOrder := map[string]int{}, map[string]int{}, []string{}
	completed, failed, depth := 0, 0, 0
	for _, a := range r.agents {
		requested[a.asked]++
		if kinds[a.kind] == 0 {
			kindOrder = append(kindOrder, a.kind)
		}
		kinds[a.kind]++
		depth = 1
		switch {
		case a.failed:
			failed++
		case a.done:
			completed++
		}
	}
	counts := func(of map[string]int, names ...string) object {
		o := object{}
		for _, name := range names {
			o.add(name, of[name])
		}
		return o
	}
	return object{{"spawned", len(r.agents)}, {"requested", counts(requested, "background", "foreground", "unset")}, {"started_in_background", 0},
		{"max_depth", depth}, {"spawned_by_subagents", 0}, {"completed", completed}, {"failed", failed},
		{"killed", counts(nil, "parent", "user", "system")}, {"refused", counts(nil, "depth_limit", "concurrency_limit", "budget")},
		{"by_type", counts(kinds, kindOrder...)}}
}
