package acp

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// Stop is what a stop signal does: TERM ends the process in order, without a word about
// the turn; the others kill it, and leave its tools.
func (r *renderer) Stop(signal string) (code int, ended bool) {
	switch {
	case signal == "TERM":
		r.process.EndChildren()
		return 0, true
	case signal == "INT" && r.scripted(): // it may be the context of whoever plays the script
		return 130, true
	}
	return child.DieBy(signal), true
}

// Broken ends the process in order: without its client it has nothing to do.
func (r *renderer) Broken(err error) int {
	r.process.LastWord(fmt.Sprintf("Error: cannot write to the client: %v\n", err))
	return 0
}

// Over ends the process within the turn that a script leaves open. Else it stays as long
// as its input is open.
func (r *renderer) Over() {
	r.input.over = true
	open := r.turn != nil && r.turn.begun
	if (open || r.input.closed) && !r.input.stays && !r.process.Leaving() {
		r.Stage.Leave(0, "")
	}
}

// Silent ends what frames say. The process still obeys; after the end of a turn it stays
// when its input ends. A script goes on when its turn is cancelled.
func (r *renderer) Silent(f fakes.Silent) error {
	if err := r.Deeds.Silent(f); err != nil || r.process == nil {
		return err
	}
	r.input.stays = r.turn == nil
	if !r.scripted() {
		return nil
	}
	if code, ended := r.process.Await(func() bool { return r.input.cutShort }); ended {
		return &child.Ended{Code: code}
	}
	return nil
}
