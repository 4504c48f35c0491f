package pi

import (
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// hearAbort stops the agent. An extension that waits for an answer is not stopped, and
// holds it up. The answer comes last.
func (r *renderer) hearAbort(c command) error {
	r.process.Heard(fakes.Call{Method: fakes.MethodCancel})
	if r.process.Silenced() || !r.process.Obeys("INT") {
		return nil
	}
	r.input.aborting = append(r.input.aborting, c)
	r.process.EndChildren()
	if len(r.input.asked) > 0 {
		return nil
	}
	return r.aborted()
}

// aborted stops the agent, and says so to who asked for it.
func (r *renderer) aborted() error {
	if r.run != nil {
		r.input.cutShort = !r.process.Puppet()
		if err := r.abort(); err != nil {
			return err
		}
	}
	asked := r.input.aborting
	r.input.aborting = nil
	for _, c := range asked {
		if err := r.grant(c); err != nil {
			return err
		}
	}
	return nil
}

// abort ends the agent's work as its client does.
func (r *renderer) abort() error {
	if r.run != nil && r.run.waits {
		attempt := r.attempt
		r.attempt, r.run, r.over = 0, nil, true
		if err := r.event("auto_retry_end", member{"success", false}, member{"attempt", attempt}, member{"finalError", "Retry cancelled"}); err != nil {
			return err
		}
		return r.settle(true)
	}
	if err := r.begin(); err != nil {
		return err
	}
	if m := r.run.message; m != nil && r.run.last == nil && len(r.run.calls) == 0 {
		r.responded(m)
		if err := r.closeMessage("aborted", "Request was aborted"); err != nil {
			return err
		}
	} else {
		if err := r.cancelCalls("Command aborted"); err != nil {
			return err
		}
		if err := r.failEmpty("aborted", r.version.stopped); err != nil {
			return err
		}
	}
	if err := r.endTurn(); err != nil {
		return err
	}
	return r.finish(true)
}

// Stop is what a stop signal does: TERM and HUP end the process in order, without a word
// about the run; INT kills it, and leaves its tools.
func (r *renderer) Stop(signal string) (code int, ended bool) {
	r.leave()
	switch {
	case signal == "TERM":
		r.process.EndChildren()
		return 143, true
	case signal == "HUP":
		r.process.EndChildren()
		return 129, true
	case r.scripted(): // it may be the context of whoever plays the script
		return 130, true
	}
	return child.DieBy(signal), true
}

// Broken ends the process: nobody reads what it says.
func (r *renderer) Broken(error) int {
	r.leave()
	return 0
}

// Over ends the process within the run that a script leaves open. Else it stays as long
// as its input is open.
func (r *renderer) Over() {
	r.input.over = true
	open := r.run != nil && (r.run.begun || r.run.waits)
	if (open || r.input.closed || len(r.process.Play.Args) == 0) && !r.input.stays && !r.process.Leaving() {
		r.Stage.Leave(0, "")
	}
}

// Silent ends what frames say. The process still obeys. A script goes on when its run is
// aborted, or steered.
func (r *renderer) Silent(f fakes.Silent) error {
	if err := r.Deeds.Silent(f); err != nil || r.process == nil {
		return err
	}
	r.input.stays = true
	if !r.scripted() {
		return nil
	}
	before := r.input.steered
	code, ended := r.process.Await(func() bool { return r.input.cutShort || r.input.steered > before })
	if ended {
		return &child.Ended{Code: code}
	}
	r.Muted, r.input.stays = false, false
	return nil
}
