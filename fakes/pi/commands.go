package pi

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// obey carries out a command.
func (r *renderer) obey(c command) error {
	switch c.Type {
	case "prompt":
		return r.prompt(c)
	case "steer":
		return r.queue(c, &r.input.steering)
	case "follow_up":
		return r.queue(c, &r.input.following)
	case "abort":
		return r.hearAbort(c)
	case "abort_retry":
		return r.abortRetry(c)
	case "get_state":
		return r.grant(c, r.state()...)
	case "get_messages":
		return r.grant(c, member{"messages", append([]jsontext.Value{}, r.session.messages...)})
	case "get_session_stats":
		return r.grant(c, r.stats()...)
	case "get_available_models":
		models := []object{}
		for _, m := range r.known.listed {
			models = append(models, m.object())
		}
		return r.grant(c, member{"models", models})
	case "set_model":
		return r.setModel(c)
	case "set_thinking_level":
		r.level = c.Level
		return r.grant(c)
	case "new_session":
		return r.freshSession(c)
	case "set_auto_retry", "set_auto_compaction", "set_steering_mode", "set_follow_up_mode", "set_session_name", "abort_bash":
		return r.grant(c)
	}
	r.breach(BreachCommand)
	return r.refuse(c, "Unknown command: "+c.Type)
}

// grant answers a command. What the answer tells is in its data.
func (r *renderer) grant(c command, data ...member) error {
	o := r.response(c, true)
	if len(data) > 0 {
		o.add(member{"data", object(data)})
	}
	return r.say(o)
}

// refuse answers a command that is not carried out.
func (r *renderer) refuse(c command, why string) error {
	if strings.HasPrefix(why, "Unknown command") && !r.version.echoes {
		c.ID = nil
	}
	o := r.response(c, false)
	o.add(member{"error", why})
	return r.say(o)
}

func (r *renderer) response(c command, success bool) object {
	o := object{}
	if len(c.ID) > 0 {
		o.add(member{"id", c.ID})
	}
	o.add(member{"type", "response"}, member{"command", c.Type}, member{"success", success})
	return o
}

// prompt begins a run, or queues a message for the one that goes on.
func (r *renderer) prompt(c command) error {
	in := &r.input
	if r.run == nil && len(in.prompts) == 0 {
		return r.beginPrompt(c)
	}
	switch c.Behavior {
	case "steer":
		return r.queue(c, &in.steering)
	case "followUp":
		return r.queue(c, &in.following)
	}
	r.breach(BreachBusy)
	return r.refuse(c, "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.")
}

func (r *renderer) beginPrompt(c command) error {
	if r.input.begun {
		r.process.Heard(fakes.Call{Method: fakes.MethodStart, Message: c.Message})
	}
	if r.process.Silenced() {
		return nil
	}
	switch {
	case r.input.over:
		return r.refuse(c, "the script has no run for this prompt")
	case r.scripted() && r.input.begun:
		r.input.prompts = append(r.input.prompts, c.Message)
	default:
		r.accept(c.Message)
	}
	return r.accepted(c, "started")
}

func (r *renderer) accepted(c command, how string) error {
	if !r.version.disposition || c.Type != "prompt" {
		return r.grant(c)
	}
	return r.grant(c, member{"disposition", how})
}

// queue keeps a message for the run that goes on.
func (r *renderer) queue(c command, to *[]string) error {
	r.process.Heard(fakes.Call{Method: fakes.MethodInput, Value: c.Message})
	if r.process.Silenced() {
		return nil
	}
	if r.run != nil && len(r.input.asked) == 0 { // what works has begun by now
		if err := r.hello(); err != nil {
			return err
		}
	}
	*to = append(*to, c.Message)
	r.input.steered++
	if err := r.queueUpdate(); err != nil {
		return err
	}
	return r.accepted(c, "queued")
}

// abortRetry stops waiting for another attempt, and the run with it.
func (r *renderer) abortRetry(c command) error {
	r.process.Heard(fakes.Call{Method: fakes.MethodCancel})
	if r.run != nil && r.run.waits {
		r.input.cutShort = !r.process.Puppet()
		if err := r.abort(); err != nil {
			return err
		}
	}
	return r.grant(c)
}

func (r *renderer) setModel(c command) error {
	name := c.Model
	if c.Provider != r.model.provider {
		name = c.Provider + "/" + c.Model
	}
	r.process.Heard(fakes.Call{Method: fakes.MethodSetModel, Model: name})
	m, known := r.known.find(c.Provider, c.Model)
	if !known {
		return r.refuse(c, fmt.Sprintf("Model not found: %s/%s", c.Provider, c.Model))
	}
	r.model = m
	if err := r.record("model_change", member{"provider", m.provider}, member{"modelId", m.ID}); err != nil {
		return err
	}
	if level := m.level(); level != r.level {
		r.level = level
		if err := r.record("thinking_level_change", member{"thinkingLevel", level}); err != nil {
			return err
		}
		if r.version.slim {
			if err := r.event("thinking_level_changed", member{"level", level}); err != nil {
				return err
			}
		}
	}
	return r.grant(c, m.object()...)
}

func (r *renderer) freshSession(c command) error {
	r.session.path = ""
	if err := r.newSession(); err != nil {
		return err
	}
	r.process.Session = r.session.id
	return r.grant(c, member{"cancelled", false})
}

// state is how the process stands.
func (r *renderer) state() []member {
	s := r.session
	o := object{
		{"model", r.model.object()}, {"thinkingLevel", r.level}, {"isStreaming", r.run != nil && (r.version.settles || !r.run.waits)}, {"isCompacting", false},
		{"steeringMode", "one-at-a-time"}, {"followUpMode", "one-at-a-time"},
	}
	if s.path != "" {
		o.add(member{"sessionFile", s.path})
	}
	o.add(member{"sessionId", s.id}, member{"autoCompactionEnabled", true}, member{"messageCount", len(s.messages)},
		member{"pendingMessageCount", len(r.input.steering) + len(r.input.following)})
	return o
}

// stats is what the session has spent.
func (r *renderer) stats() []member {
	s := r.session
	o := object{}
	if s.path != "" {
		o.add(member{"sessionFile", s.path})
	}
	used := int64(0)
	if n := s.counts["assistant"]; n > 0 {
		used = s.spent.tokens() / int64(n)
	}
	o.add(
		member{"sessionId", s.id}, member{"userMessages", s.counts["user"]}, member{"assistantMessages", s.counts["assistant"]},
		member{"toolCalls", s.counts["toolResult"]}, member{"toolResults", s.counts["toolResult"]}, member{"totalMessages", len(s.messages)},
		member{"tokens", object{{"input", s.spent.in}, {"output", s.spent.out}, {"cacheRead", s.spent.cacheRead}, {"cacheWrite", s.spent.cacheWrite},
			{"total", s.spent.tokens()}}},
		member{"cost", s.spent.money.total},
		member{"contextUsage", object{{"tokens", used}, {"contextWindow", r.model.Window}, {"percent", float64(used) / float64(max(r.model.Window, 1)) * 100}}},
	)
	return o
}
