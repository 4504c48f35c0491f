package hermes

import (
	"cmp"
	"errors"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// outcome is how a turn ended.
type outcome int

const (
	completed outcome = iota
	partial           // it stopped on the way
	failed
	interrupted
)

// ending is the end of a turn.
type ending struct {
	outcome outcome
	text    string // the answer
	failure string // what went wrong
	cause   string // its code
	finish  string // the finish_reason of the last message
	reason  string // the end_reason of the session
}

// End ends the turn.
func (r *renderer) End(f fakes.End) error {
	if err := own(f.Run, ""); err != nil {
		return err
	}
	text := cmp.Or(f.Text, r.answer())
	switch {
	case f.Error:
		return r.fail(f.Text, "")
	case f.Reason == fakes.EndOK:
		return r.finish(ending{text: text, finish: "stop"})
	case f.Reason == fakes.EndLength:
		return r.finish(ending{outcome: partial, text: text, failure: "Response truncated due to output length limit", finish: "length"})
	case f.Reason == fakes.EndRefusal:
		return r.finish(ending{outcome: failed, text: cmp.Or(text, "The model declined to answer."), failure: "The model declined to answer.",
			cause: "content_filter", finish: "content_filter"})
	case f.Reason == fakes.EndAborted:
		return r.interrupt()
	}
	return unplayable("an end by %s", f.Reason)
}

// Failure ends the turn, if it is fatal.
func (r *renderer) Failure(f fakes.Failure) error {
	if err := own(f.Run, ""); err != nil {
		return err
	}
	if !f.Fatal {
		return unplayable("an error that does not end the run")
	}
	return r.fail(f.Message, f.Code)
}

func (r *renderer) fail(message, code string) error {
	return r.finish(ending{outcome: failed, text: r.answer(), failure: cmp.Or(message, "API call failed"), cause: code, finish: "error"})
}

func (r *renderer) interrupt() error {
	return r.finish(ending{outcome: interrupted, failure: "Interrupted", reason: "keyboard_interrupt"})
}

// finish writes the end to state.db, prints what there is to print, and lets the process
// end.
func (r *renderer) finish(e ending) error {
	code := r.exitCode(e)
	r.over = true
	r.Stage.Leave(code, "")
	if r.mute() {
		return nil
	}
	err := errors.Join(r.keep(e.finish), r.state.end(r.session, cmp.Or(e.reason, "cli_close")))
	if err != nil {
		return err
	}
	if r.inv.stream {
		err = r.printResult(code, e.text, e.failure)
	} else {
		err = r.printAnswer(e)
	}
	return errors.Join(err, r.printSession())
}

// printAnswer says the answer of a quiet run, or why there is none.
func (r *renderer) printAnswer(e ending) error {
	switch {
	case e.outcome == interrupted:
		return nil
	case e.text != "":
		return r.Stage.Frame([]byte(e.text))
	case e.failure != "" && r.version.tellsError:
		return r.Stage.Stderr([]byte("Error: " + e.failure + "\n"))
	}
	return nil
}

// printSession says how the session can be gone on with.
func (r *renderer) printSession() error {
	if !r.inv.quiet && !r.inv.stream {
		return r.Stage.Frame([]byte("\nResume this session with:\n  hermes --resume " + r.session))
	}
	return r.note("\nsession_id: " + r.session)
}

// note says a line beside the answer.
func (r *renderer) note(text string) error {
	if r.version.stdoutNotes {
		return r.Stage.Frame([]byte(text))
	}
	return errors.Join(r.Stage.Flush(), r.Stage.Stderr([]byte(text+"\n")))
}

// Exit codes for who runs Hermes as a worker: try again later, and never.
const (
	exitLater = 75
	exitNever = 78
)

// workerExit is the exit code of a worker whose turn failed by the provider's doing.
var workerExit = map[string]int{
	"rate_limit": exitLater, "billing": exitLater, "overloaded": exitLater,
	"auth": exitNever, "auth_permanent": exitNever, "model_not_found": exitNever,
}

func (r *renderer) exitCode(e ending) int {
	switch {
	case e.outcome == completed, r.version.verdict == tellsNothing, r.version.verdict == tellsFailure && e.outcome != failed:
		return 0
	case e.outcome == interrupted:
		return exitInterrupted
	}
	if r.process != nil && r.version.verdict == tellsAll && r.process.Play.Getenv("HERMES_KANBAN_TASK") != "" {
		return cmp.Or(workerExit[e.cause], 1)
	}
	return 1
}
