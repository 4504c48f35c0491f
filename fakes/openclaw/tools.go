package openclaw

import (
	"cmp"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// tool is a call of a run.
type tool struct {
	id       string
	name     string
	input    []byte
	meta     string // what it does, in the gateway's words
	began    int64
	answered bool
	worked   bool // it gave what it was asked for
	denied   bool // by the configuration: the model is told so at once
	refused  bool // by who was asked
}

// workspace is where tools work.
const workspace = "/srv/openclaw/ws"

// commands reports whether the tool runs a command.
func (t *tool) commands() bool {
	return slices.Contains([]string{"exec", "bash", "shell", "process"}, t.name)
}

func (t *tool) title() string {
	title := t.name
	if title != "" {
		title = strings.ToUpper(title[:1]) + title[1:]
	}
	return strings.TrimSpace(title + " " + t.meta)
}

// summary is what a command does, in the gateway's words.
func summary(input []byte) string {
	members, _ := membersOf("", input)
	words := strings.Fields(text(members["command"]))
	switch {
	case len(words) == 0:
		return ""
	case words[0] == "echo":
		return "print text"
	case words[0] == "touch" && len(words) > 1:
		return "create file " + strings.Replace(words[1], "/srv/openclaw/", "~/", 1)
	}
	return "run " + words[0]
}

// call says that the model calls a tool.
func (v *voice) call(f fakes.ToolCall) {
	v.announce()
	v.flush()
	v.settle()
	modern := v.run.gateway.version.modern
	shown := modern && len(v.text) > 0 && v.preamble == ""
	if shown {
		v.preamble = "commentary-0-" + v.run.gateway.ids.hex(12) + v.run.gateway.ids.hex(12)
		v.commentary("update")
	}
	v.spend()
	if shown {
		v.commentary("end")
	}
	t := &tool{id: f.ID, name: f.Name, input: []byte(cmp.Or(f.Input, "null")), began: now()}
	if t.commands() {
		t.meta = summary(t.input)
	}
	v.tools = append(v.tools, t)
	e := v.entry()
	e.calls = append(e.calls, t)
	v.toolItem(t, "start", "running", func(o *object) { o.num("startedAt", t.began) })
	v.tool(newObject().str("phase", "start").str("name", t.name).str("toolCallId", t.id).raw("args", t.input))
	if slices.Contains(v.run.gateway.config.denied(v.run.session.agent), t.name) {
		v.result(fakes.Result{ID: t.id, Name: t.name, Out: "Tool " + t.name + " not found", Error: true})
		t.denied = true
	}
}

// commentary shows the text before a tool as an item.
func (v *voice) commentary(phase string) {
	v.agent(v.next(), "item", newObject().str("kind", "preamble").str("title", "Preamble").str("phase", phase).
		str("progressText", string(v.text)).str("itemId", v.preamble))
}

// find is the call with the id, or one that nobody made.
func (v *voice) find(id, name string) *tool {
	for _, t := range slices.Backward(v.tools) {
		if t.id == id {
			return t
		}
	}
	return &tool{id: id, name: name, began: now()}
}

// result says what a tool gave.
func (v *voice) result(f fakes.Result) {
	v.quiet()
	t := v.find(f.ID, f.Name)
	if t.denied {
		return
	}
	t.answered, t.worked = true, !f.Error
	if t.commands() && !t.refused {
		v.running(t, f.Out)
	}
	details := t.details(f)
	result := newObject().raw("content", contentOf(f.Out))
	if details != nil {
		result.raw("details", details)
	}
	data := newObject().str("phase", "result").str("name", t.name).str("toolCallId", t.id).opt("meta", t.meta).flag("isError", f.Error)
	if t.commands() {
		data.flag("commandBearing", true)
	}
	v.tool(data.obj("result", result))
	ended := "completed"
	if f.Error {
		ended = "failed"
	}
	v.toolItem(t, "end", ended, func(o *object) {
		o.num("startedAt", t.began).num("endedAt", now())
		if f.Error {
			o.str("error", f.Out)
		}
	})
	if t.commands() {
		v.commandOutput(t, "end", f.Out, ended, func(o *object) {
			exitCode(o, f.Error, t.refused).num("durationMs", now()-t.began).str("cwd", workspace)
		})
	}
	if t.refused {
		v.agent(v.next(), "approval", newObject().str("phase", "resolved").str("kind", "exec").str("status", "denied").
			str("title", "Command approval resolved").str("itemId", "command:"+t.id).str("toolCallId", t.id).opt("message", command(t.input)))
	}
	v.store("toolUse")
	v.storeResult(t, f)
	v.due = true
}

// running says what a command has printed so far.
func (v *voice) running(t *tool, out string) {
	printed := out
	if !strings.HasSuffix(printed, "\n") {
		printed += "\n"
	}
	details := newObject().str("status", "running").str("sessionId", "calm-shoal").num("pid", 1234).num("startedAt", t.began).
		str("cwd", workspace).str("tail", printed)
	v.tool(newObject().str("phase", "update").str("name", t.name).str("toolCallId", t.id).
		obj("partialResult", newObject().raw("content", contentOf(printed)).obj("details", details)))
	v.toolItem(t, "update", "running", nil)
	v.commandOutput(t, "delta", out, "running", nil)
}

func contentOf(out string) []byte {
	return array([][]byte{newObject().str("type", "text").str("text", out).end()})
}

func command(input []byte) string {
	members, _ := membersOf("", input)
	return text(members["command"])
}

// details is what a tool says to programs; nil is nothing.
func (t *tool) details(f fakes.Result) []byte {
	if f.Details != "" {
		return []byte(f.Details)
	}
	if !t.commands() {
		return nil
	}
	o := newObject()
	if f.Error {
		exitCode(o.str("status", "failed"), true, t.refused).num("durationMs", now()-t.began).str("aggregated", f.Out).flag("timedOut", false)
	} else {
		o.str("status", "completed").num("exitCode", 0).null("exitSignal").str("exitReason", "exit").num("durationMs", now()-t.began).
			str("aggregated", f.Out).flag("noOutputTimedOut", false)
	}
	return o.str("cwd", workspace).end()
}

// exitCode adds the exit code of a command, which one that was refused has not.
func exitCode(o *object, failed, refused bool) *object {
	switch {
	case refused:
		return o.null("exitCode")
	case failed:
		return o.num("exitCode", 1)
	}
	return o.num("exitCode", 0)
}

// toolItem says on the item stream, which everyone hears, how a call stands: without its
// input.
func (v *voice) toolItem(t *tool, phase, status string, more func(*object)) {
	o := newObject().str("itemId", "tool:"+t.id).str("toolCallId", t.id).str("name", t.name).str("kind", "tool").str("phase", phase).
		str("title", t.title()).str("status", status).opt("meta", t.meta)
	if t.commands() {
		o.flag("commandBearing", true)
	}
	if more != nil {
		more(o)
	}
	v.agent(v.next(), "item", o)
}

func (v *voice) commandOutput(t *tool, phase, out, status string, more func(*object)) {
	o := newObject().str("itemId", "command:"+t.id).str("phase", phase).str("title", strings.TrimSpace("command "+t.meta)).
		str("toolCallId", t.id).str("name", t.name).str("output", out).str("status", status)
	if more != nil {
		more(o)
	}
	v.agent(v.next(), "command_output", o)
}

// tool says on the tool stream what a tool was given and gave. Only who asked for it
// hears, and who watches the session, as an event of another name.
func (v *voice) tool(data *object) {
	r, s := v.run.gateway, v.run.session
	seq := v.next()
	if !r.heard(toolReaders(s.key)) && !r.heard(watchers(s.key)) {
		return
	}
	payload := r.rowOf(v.agentPayload(seq, "tool", data).raw("session", r.row(s)), s)
	v.say("agent", payload, toolReaders(s.key), r.version.modern)
	v.say("session.tool", payload, watchers(s.key), r.version.modern)
}
