package pi

import (
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// End is the end of the agent's work.
func (r *renderer) End(f fakes.End) error {
	if err := own(f.Run, ""); err != nil {
		return err
	}
	stop, why := "stop", ""
	switch {
	case f.Error:
		stop, why = "error", f.Text
	case f.Reason == fakes.EndMaxTurns, f.Reason == fakes.EndBudget:
		return unplayable("an end by %s", f.Reason)
	case f.Reason == fakes.EndLength:
		stop = "length"
	case f.Reason == fakes.EndRefusal:
		stop, why = "error", f.Text
		if why == "" {
			why = "The model refused to complete the request"
		}
	}
	if r.quiet() {
		return nil
	}
	if f.Reason == fakes.EndAborted && !f.Error {
		return r.abort()
	}
	if err := r.begin(); err != nil {
		return err
	}
	if stop == "error" {
		if why == "" {
			why = "the provider gave no reason"
		}
		return r.fail(why)
	}
	if err := r.lastAnswer(f.Text); err != nil {
		return err
	}
	if err := r.closeMessage(stop, ""); err != nil {
		return err
	}
	if err := r.cancelCalls("The tool was stopped"); err != nil {
		return err
	}
	if err := r.endTurn(); err != nil {
		return err
	}
	return r.conclude()
}

// lastAnswer has the agent end with an answer of the model. The text is that of a run
// that has said nothing else.
func (r *renderer) lastAnswer(text string) error {
	run := r.run
	if run.message != nil || r.owed == nil && run.last != nil && len(run.calls)+len(run.results) == 0 {
		return nil
	}
	m, b, err := r.textBlock("", "")
	if err != nil || text != "" && r.answered == "" {
		if err == nil {
			err = r.grow(m, b, text)
		}
		return err
	}
	m.blocks = m.blocks[:len(m.blocks)-1]
	return nil
}

// conclude ends the agent's work. What waits for it is answered before, with nothing.
func (r *renderer) conclude() error {
	for len(r.input.steering)+len(r.input.following) > 0 {
		r.run.results = nil
		if err := r.beginTurn(); err != nil {
			return err
		}
		r.run.last = nil
		if _, err := r.openMessage(""); err != nil {
			return err
		}
		if err := r.closeMessage("stop", ""); err != nil {
			return err
		}
		if err := r.endTurn(); err != nil {
			return err
		}
	}
	return r.finish(false)
}

// Failure says an error: of the model for good, or of an extension.
func (r *renderer) Failure(f fakes.Failure) error {
	if err := own(f.Run, ""); err != nil || r.quiet() {
		return err
	}
	if !f.Fatal {
		return r.event("extension_error", member{"extensionPath", filepath.Join(r.session.dir, "gate.ts")}, member{"event", "agent_start"}, member{"error", f.Message})
	}
	if err := r.begin(); err != nil {
		return err
	}
	return r.fail(f.Message)
}

// fail ends the agent's work with an answer that failed.
func (r *renderer) fail(why string) error {
	if err := r.failAnswer(why); err != nil {
		return err
	}
	return r.finish(false)
}

// failAnswer fails the answer that is being given, or one that never came.
func (r *renderer) failAnswer(why string) error {
	if err := r.cancelCalls("The tool was stopped"); err != nil {
		return err
	}
	if r.run.message != nil {
		if err := r.closeMessage("error", why); err != nil {
			return err
		}
	} else if err := r.failEmpty("error", why); err != nil {
		return err
	}
	return r.endTurn()
}

// cancelCalls ends the work of tools that still work.
func (r *renderer) cancelCalls(why string) error {
	for _, c := range append([]*call(nil), r.run.calls...) {
		if c.over {
			continue
		}
		if err := r.hello(); err != nil {
			return err
		}
		if err := r.answer(c, fakes.Result{Out: why, Error: true}, true); err != nil {
			return err
		}
	}
	return nil
}

// Turn says how the run stands.
func (r *renderer) Turn(f fakes.Turn) error {
	if err := own(f.Run, ""); err != nil {
		return err
	}
	switch f.State {
	case "retry":
		if r.quiet() {
			return nil
		}
		why := f.Text
		if why == "" {
			why = "terminated"
		}
		return r.retry(why)
	case "compact":
		if r.quiet() {
			return nil
		}
		return r.compact()
	case "text-end":
		if r.quiet() || r.run == nil || r.run.message == nil {
			return nil
		}
		m := r.run.message
		for _, b := range m.blocks {
			if b.kind == "text" {
				if err := r.finishBlock(m, b); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return unplayable("turn state %q", f.State)
}

// retry fails the answer, and has the agent try again.
func (r *renderer) retry(why string) error {
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.failAnswer(why); err != nil {
		return err
	}
	end := object{{"type", "agent_end"}, {"messages", r.run.news}}
	if r.version.settles {
		end.add(member{"willRetry", true})
	}
	if err := r.say(end); err != nil {
		return err
	}
	r.forgetAnswer()
	r.attempt++
	const first = 2000
	err := r.event("auto_retry_start", member{"attempt", r.attempt}, member{"maxAttempts", max(3, r.attempt)}, member{"delayMs", first << min(r.attempt-1, 20)},
		member{"errorMessage", why})
	if err != nil {
		return err
	}
	if r.version.settles {
		if err := r.contextEdit(); err != nil {
			return err
		}
	}
	r.run = &agentRun{waits: true}
	return nil
}

// forgetAnswer takes the answer that failed out of what the model is told.
func (r *renderer) forgetAnswer() {
	if all := r.session.messages; len(all) > 0 {
		r.session.messages = all[:len(all)-1]
	}
}

// contextEdit writes down that an answer was taken out of what the model is told.
func (r *renderer) contextEdit() error {
	target := r.session.leaf
	members := []member{{"targetId", target}, {"replacement", nil}}
	if r.process != nil {
		if err := r.record("context_edit", members...); err != nil {
			return err
		}
	}
	entry := append(object{{"type", "context_edit"}, {"id", r.session.leaf}, {"parentId", target}, {"timestamp", iso(r.clock.now())}}, members...)
	return r.event("entry_appended", member{"entry", entry})
}

// compact shortens what the model is told.
func (r *renderer) compact() error {
	if err := r.event("compaction_start", member{"reason", "threshold"}); err != nil {
		return err
	}
	result := object{{"summary", "What was said so far."}, {"firstKeptEntryId", r.session.leaf}, {"tokensBefore", r.session.spent.tokens()}, {"details", object{}}}
	return r.event("compaction_end", member{"reason", "threshold"}, member{"result", result}, member{"aborted", false}, member{"willRetry", false})
}

// Native says a line of a type that no word covers. A question that it asks may be
// answered.
func (r *renderer) Native(f fakes.Native) error {
	line, err := r.Program.NativeLine(f)
	if err != nil || r.quiet() || r.inv.mode == modeText {
		return err
	}
	r.input.expect(line)
	return r.Stage.Frame(line)
}
