package pi

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Init is the first life sign of a run: the agent starts on the prompt that waits.
func (r *renderer) Init(fakes.Init) error {
	if err := r.awaitPrompt(); err != nil || r.quiet() {
		return err
	}
	if r.run == nil {
		r.run = &agentRun{}
	}
	return r.begin()
}

// accept takes a prompt: the agent is about to work on it.
func (r *renderer) accept(prompt string) { r.run = &agentRun{prompt: &prompt} }

// begin starts the agent, if it has not. What comes after its end is said without a
// beginning.
func (r *renderer) begin() error {
	if r.run == nil {
		r.run = &agentRun{late: r.over, begun: r.over, turn: r.over}
	}
	run := r.run
	if run.begun {
		return nil
	}
	run.begun, run.waits = true, false
	if err := r.event("agent_start"); err != nil {
		return err
	}
	if err := r.beginTurn(); err != nil {
		return err
	}
	if run.prompt == nil {
		return nil
	}
	text := *run.prompt
	run.prompt = nil
	if r.version.system && !r.prompts {
		r.prompts = true
		if len(r.session.messages) == 0 {
			if _, err := r.tell("system", r.systemMessage()); err != nil {
				return err
			}
		}
	}
	_, err := r.tell("user", r.userMessage(text))
	return err
}

// systemMessage is what the model is told about itself.
func (r *renderer) systemMessage() object {
	return object{
		{"role", "system"}, {"content", ""}, {"sections", object{{"preamble", "You are a coding assistant."}}}, {"timestamp", r.clock.now()},
		{"toolsAdded", []object{}},
	}
}

func (r *renderer) userMessage(text string) object {
	return object{{"role", "user"}, {"content", textContent(text)}, {"timestamp", r.clock.now()}}
}

// beginTurn opens a turn, if none is open. A message that waits for one is taken into it.
func (r *renderer) beginTurn() error {
	if r.run.turn {
		return nil
	}
	r.run.turn = true
	if err := r.event("turn_start"); err != nil {
		return err
	}
	if len(r.run.news) == 0 {
		return nil // the prompt is what it is about
	}
	return r.deliver()
}

// deliver takes a message that waits into the turn: one that steers before one that
// follows.
func (r *renderer) deliver() error {
	in := &r.input
	var text string
	switch {
	case len(in.steering) > 0:
		text, in.steering = in.steering[0], in.steering[1:]
	case len(in.following) > 0 && r.resting():
		text, in.following = in.following[0], in.following[1:]
	default:
		return nil
	}
	if err := r.queueUpdate(); err != nil {
		return err
	}
	_, err := r.tell("user", r.userMessage(text))
	return err
}

// resting reports whether the agent would stop: nothing waits for an answer.
func (r *renderer) resting() bool { return len(r.run.results) == 0 }

func (r *renderer) queueUpdate() error {
	return r.event("queue_update", member{"steering", list(r.input.steering)}, member{"followUp", list(r.input.following)})
}

func list(texts []string) []string { return append([]string{}, texts...) }

// endTurn closes the turn.
func (r *renderer) endTurn() error {
	run := r.run
	if !run.turn {
		return nil
	}
	results := run.results
	if results == nil {
		results = []jsontext.Value{}
	}
	run.turn, run.calls = false, nil
	return r.event("turn_end", member{"message", run.last}, member{"toolResults", results})
}

// finish ends the agent's work: for good, or until it tries again.
func (r *renderer) finish(aborted bool) error {
	run := r.run
	news := run.news
	if news == nil {
		news = []jsontext.Value{}
	}
	end := object{{"type", "agent_end"}, {"messages", news}}
	if r.version.settles {
		end.add(member{"willRetry", false})
	}
	if err := r.say(end); err != nil {
		return err
	}
	r.run, r.over = nil, true
	if r.stop == "length" && r.version.settles {
		if err := r.contextEdit(); err != nil {
			return err
		}
	}
	if r.attempt > 0 && r.failed != "" && !aborted {
		attempt := r.attempt
		r.attempt = 0
		if err := r.event("auto_retry_end", member{"success", false}, member{"attempt", attempt}, member{"finalError", r.failed}); err != nil {
			return err
		}
	}
	return r.settle(aborted)
}

// settle says that nothing more comes of the run. What is not RPC ends with it.
func (r *renderer) settle(aborted bool) error {
	if r.session.written {
		if err := r.session.flush(); err != nil {
			return err
		}
	}
	if r.version.settles {
		if err := r.event("agent_settled", member{"aborted", aborted}); err != nil {
			return err
		}
	}
	switch r.inv.mode {
	case modeJSON:
		r.Stage.Leave(0, "")
	case modeText:
		return r.printAnswer()
	}
	return nil
}

// printAnswer is what text mode has of a run: the last answer, or why there is none.
func (r *renderer) printAnswer() error {
	if r.failed != "" {
		r.Stage.Leave(1, "")
		return r.Stage.Stderr([]byte(r.failed + "\n"))
	}
	r.Stage.Leave(0, "")
	if r.answered == "" {
		return nil
	}
	return r.Stage.Raw([]byte(r.answered + "\n"))
}
