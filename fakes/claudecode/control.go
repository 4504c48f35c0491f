package claudecode

import (
	"github.com/adaptercheck/adaptercheck/fakes"
)

// controlRequest is what a client asks of the CLI.
type controlRequest struct {
	Subtype string  `json:"subtype"`
	Model   *string `json:"model"`
	Mode    string  `json:"mode"`
}

// obey carries out a control request.
func (r *renderer) obey(id string, q controlRequest) error {
	switch q.Subtype {
	case "interrupt":
		return r.interrupt(id)
	case "set_model":
		return r.setModel(id, q.Model)
	case "set_permission_mode":
		return r.setMode(id, q.Mode)
	case "initialize":
		return r.grant(id, r.abilities())
	case "set_max_thinking_tokens":
		return r.grant(id, nil)
	}
	r.breach(BreachRequest)
	if !r.version.answersUnknown {
		return nil
	}
	o := object{{"subtype", "error"}, {"request_id", id}, {"error", "Unsupported control request subtype: " + q.Subtype}}
	if r.version.shape >= v21332 {
		o.add("error_code", "unsupported_request")
	}
	return r.answer(o)
}

// grant answers a request.
func (r *renderer) grant(id string, response object) error {
	o := object{{"subtype", "success"}, {"request_id", id}}
	if response != nil {
		o.add("response", response)
	}
	return r.answer(o)
}

func (r *renderer) answer(o object) error {
	if r.process.Silenced() {
		return nil
	}
	return r.say(object{{"type", "control_response"}, {"response", o}})
}

// payload is what an answer says, where it says anything.
func (r *renderer) payload(name string, value any) object {
	if r.version.shape < v21332 {
		return nil
	}
	return object{{name, value}}
}

// interrupt stops the turn; without one it stops nothing.
func (r *renderer) interrupt(id string) error {
	r.process.Heard(fakes.Call{Method: fakes.MethodCancel})
	if r.process.Silenced() || r.process.Deaf("INT") {
		return nil
	}
	obeys := r.process.Obeys("INT") && r.turn != nil
	if obeys {
		r.process.EndChildren()
		if err := r.withdraw(); err != nil {
			return err
		}
	}
	if err := r.grant(id, r.payload("still_queued", []string{})); err != nil || !obeys {
		return err
	}
	r.input.stays = false
	r.input.cutShort = !r.process.Puppet()
	return r.abort()
}

func (r *renderer) setModel(id string, model *string) error {
	name := r.version.model
	if model != nil && *model != "" && *model != "default" {
		name = *model
	}
	r.process.Heard(fakes.Call{Method: fakes.MethodSetModel, Model: name})
	r.model = name
	if r.version.shape >= v21332 && !r.process.Silenced() {
		o := object{{"type", "user"}, {"message", object{{"role", "user"}, {"content", "<local-command-stdout>Set model to `" + name + "`</local-command-stdout>"}}},
			{"session_id", r.session}, {"parent_tool_use_id", nil}, {"uuid", r.ids.uuid()}, {"timestamp", r.clock()}, {"isReplay", true}}
		if err := r.say(o); err != nil {
			return err
		}
	}
	return r.grant(id, r.payload("model", name))
}

func (r *renderer) setMode(id, mode string) error {
	r.mode = mode
	if err := r.grant(id, r.payload("mode", mode)); err != nil || r.process.Silenced() {
		return err
	}
	return r.system("status", member{"status", nil}, member{"permissionMode", mode})
}

// abilities is what the CLI says of itself.
func (r *renderer) abilities() object {
	named := func(names []string, key string) []object {
		all := []object{}
		for _, name := range names {
			all = append(all, object{{key, name}, {"description", name}})
		}
		return all
	}
	known := []object{}
	for _, m := range models {
		known = append(known, object{{"value", m.name}, {"displayName", m.name}, {"description", m.name}})
	}
	o := object{{"commands", named(r.things.commands, "name")}, {"agents", named(r.things.agents, "name")}, {"output_style", "default"},
		{"available_output_styles", r.things.styles}, {"models", known},
		{"account", object{{"tokenSource", "none"}, {"apiKeySource", r.keySource}, {"apiProvider", "firstParty"}}}}
	if r.version.shape >= v21332 {
		o.add("claude_code_version", r.version.full)
		o.add("current_permission_mode", r.mode)
		o.add("session_state", "idle")
	}
	return o
}
