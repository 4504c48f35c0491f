package claudecode

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Init begins a turn, or says the first line of the one that a message began.
func (r *renderer) Init(f fakes.Init) error {
	if r.process != nil && !r.process.Puppet() {
		if err := r.input.await(r); err != nil {
			return err
		}
	}
	if r.quiet() {
		return nil
	}
	if err := r.close("end_turn"); err != nil { // of a turn that had no result
		return err
	}
	if r.turn == nil || r.turn.begun {
		r.turn = &turn{}
	}
	r.turn.begun = true
	if f.Session != "" && f.Session != r.session {
		r.session = f.Session
		if r.process != nil {
			r.process.Session = f.Session
		}
		spent, _, err := r.store.Load(f.Session)
		if err != nil {
			return err
		}
		r.goesOn(spent)
	}
	if f.Model != "" {
		r.model = f.Model
	}
	if err := r.save(); err != nil {
		return err
	}
	if err := r.lifecycle(r.turn.from, "started"); err != nil {
		return err
	}
	if err := r.say(r.firstLine()); err != nil {
		return err
	}
	return r.sayAgain(r.turn.from)
}

// firstLine is system/init.
func (r *renderer) firstLine() object {
	v, things := r.version, r.things
	tools := things.tools
	m, _ := modelOf(r.model)
	if m.tasks && v.shape >= v21332 {
		tools = with(tools, taskTools)
	}
	servers := []object{}
	for _, s := range r.servers {
		o := object{{"name", s.name}, {"status", s.status()}}
		if v.shape >= v21197 {
			o.add("source", "dynamic")
		}
		servers = append(servers, o)
	}
	o := object{{"type", "system"}, {"subtype", "init"}, {"cwd", r.start.Dir}, {"session_id", r.session}, {"tools", tools},
		{"mcp_servers", servers}, {"model", r.model}, {"permissionMode", r.mode}, {"slash_commands", things.commands}}
	if things.terminalCommands != nil {
		o.add("terminal_slash_commands", things.terminalCommands)
	}
	o.add("apiKeySource", r.keySource)
	if v.shape >= v20 {
		o.add("claude_code_version", v.full)
	}
	o.add("output_style", "default")
	o.add("agents", things.agents)
	if v.shape >= v20 {
		o.add("skills", listOf(things.skills))
		o.add("plugins", r.plugins())
	}
	if things.capabilities != nil {
		o.add("capabilities", r.capabilities())
	}
	if v.shape >= v21197 {
		o.add("analytics_disabled", true)
		o.add("product_feedback_disabled", true)
	}
	if v.shape >= v21332 {
		o.add("served_by_anthropic", false)
	}
	o.add("uuid", r.ids.uuid())
	if v.shape < v21197 {
		return o
	}
	memory := object{{"auto", "/home/user/.claude/projects/project/memory/"}}
	if v.shape < v21332 {
		o.add("memory_paths", memory)
		o.add("fast_mode_state", "off")
		return o
	}
	for _, x := range []member{{"sandbox_enabled", false}, {"memory_paths", memory}, {"original_cwd", r.start.Dir}, {"additional_directories", []string{}},
		{"messaging_socket_path", "/tmp/cc-socks/1.sock"}, {"fast_mode_state", "off"}, {"fast_mode_disabled_reason", "sdk_opt_in_required"},
		{"per_turn_effort_active", m.effort}, {"ultrathink_available", false}, {"ultrathink_typed_raises", false}, {"view_mode", "default"}} {
		o.add(x.name, x.value)
	}
	if id := r.turn.from.UUID; id != "" {
		o.add("user_message_uuids", []string{id})
	}
	return o
}

// capabilities lists what the protocol can do; some of it takes a stream.
func (r *renderer) capabilities() []string {
	return slices.DeleteFunc(slices.Clone(r.things.capabilities), func(name string) bool {
		return name == "lifecycle_wakeup_source_v1" && r.inv.output != streamJSON
	})
}

func (r *renderer) plugins() []object {
	all := []object{}
	for _, name := range r.things.plugins {
		all = append(all, object{{"name", name}, {"path", "builtin"}, {"source", name + "@builtin"}})
	}
	return all
}

// listOf is a list that is never null.
func listOf(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

// lifecycle tells what becomes of a message that has a uuid.
func (r *renderer) lifecycle(m userMessage, state string) error {
	if m.UUID == "" || r.version.shape < v21332 {
		return nil
	}
	return r.say(object{{"type", "command_lifecycle"}, {"command_uuid", m.UUID}, {"state", state}, {"uuid", r.ids.uuid()}, {"session_id", r.session}})
}

// sayAgain repeats a message, if that was asked for.
func (r *renderer) sayAgain(m userMessage) error {
	if !r.inv.replay || m.Message.Content == nil {
		return nil
	}
	id := m.UUID
	if id == "" {
		id = r.ids.uuid()
	}
	o := object{{"type", "user"}, {"message", object{{"role", "user"}, {"content", m.Message.Content}}}, {"session_id", r.session},
		{"parent_tool_use_id", nil}, {"uuid", id}}
	if r.version.shape >= v21197 {
		o.add("timestamp", r.clock())
	}
	o.add("isReplay", true)
	return r.say(o)
}
