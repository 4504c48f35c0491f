package openclaw

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// ending decides how a run ended. Two streams tell of it, in either order, more than
// once, and not always in agreement: the chat stream, whose word is the verdict, and
// the lifecycle, which is a hint that counts where no chat event follows it.
type ending struct {
	verdict outcome
	hinted  outcome
	// exhausted: there is no other model to ask. What failed has failed for good.
	exhausted bool
}

// outcome is how a run ended. The zero value is not yet.
type outcome struct {
	reason        executor.Reason
	code, message string // of an error
}

// over reports whether the verdict stands: what comes now changes nothing.
func (e *ending) over() bool { return e.verdict.reason != "" }

// hinting reports whether the run is over unless something follows.
func (e *ending) hinting() bool { return !e.over() && e.hinted.reason != "" }

// settle makes the hint the verdict: nothing has followed it.
func (e *ending) settle() {
	if e.hinting() {
		e.verdict = e.hinted
	}
}

// failing reports whether the run has failed for good, though its chat has not said so.
func (e *ending) failing() bool { return e.exhausted && e.hinted.reason == executor.ReasonError }

// resumed takes a hint back: the model is asked again, or another one is.
func (e *ending) resumed() {
	if !e.failing() {
		e.hinted = outcome{}
	}
}

func (e *ending) aborted() { e.verdict = outcome{reason: executor.ReasonAborted} }

func (e *ending) failed(code, message string) {
	e.verdict = failure(code, message)
}

// failure is a failed outcome with the code and the words that there are.
func failure(code, message string) outcome {
	if code == "" {
		code = executor.CodeRuntime
	}
	if message == "" {
		message = "the gateway reported a failure"
	}
	return outcome{executor.ReasonError, code, message}
}

// hint notes what the lifecycle says. That a run failed or was stopped is not taken
// back by its end.
func (e *ending) hint(reason executor.Reason, code, message string) {
	if reason != executor.ReasonError {
		e.hinted = outcome{reason: reason}
		return
	}
	if e.hinted.reason != executor.ReasonAborted {
		e.hinted = failure(code, message)
	}
}

// hintEnd notes the end that the lifecycle has for a run which was not stopped.
func (e *ending) hintEnd(stop string) {
	if e.hinted.reason == "" {
		e.hinted = stopped(stop)
	}
}

// finished takes the chat stream's final event. It has no message where the run said
// nothing, was swallowed, or failed without a word.
func (e *ending) finished(stop string, message, working bool) {
	switch {
	case e.failing(), !message && e.hinted.reason != "" && e.hinted.reason != executor.ReasonSuccess:
		e.verdict = e.hinted
	case !working:
		e.verdict = outcome{executor.ReasonError, executor.CodeEmptyOutput,
			"the gateway ended the run before it began: its message was dropped, or taken into another run of the session"}
	case stop == "" && e.hinted.reason == executor.ReasonError && e.hinted.code == executor.CodeTokenLimit:
		e.verdict = e.hinted
	default:
		e.verdict = stopped(stop)
	}
}

// stopped is the outcome of a run that its model ended for a reason.
func stopped(reason string) outcome {
	switch reason {
	case "length", "max_tokens":
		return outcome{executor.ReasonError, executor.CodeTokenLimit, "the answer was cut by a length limit"}
	case "refusal", "content_filter", "sensitive":
		return outcome{executor.ReasonError, executor.CodeRuntime, "the model would not answer"}
	case "error":
		return failure("", "")
	case "aborted", "rpc":
		return outcome{reason: executor.ReasonAborted}
	}
	return outcome{reason: executor.ReasonSuccess}
}

// cause is the class that the gateway gives a failure, empty where it gives none.
func cause(detail jsontext.Value) string {
	var d struct {
		Reason text `json:"failoverReason"`
	}
	read(detail, &d)
	return string(d.Reason)
}
