package openclaw

import (
	"cmp"
	"fmt"
	"slices"
)

// end says that the run came to its end. The agent stream says so before the chat does.
func (v *voice) end(stop string) {
	v.flush()
	v.spend()
	answer := v.text
	if v.due {
		answer = nil // nothing was said after the last tool
	}
	v.due = false
	v.store("stop")
	version := v.run.gateway.version
	if version.modern {
		v.lifecycle(v.working(newObject().str("phase", "finishing").str("stopReason", stop).flag("aborted", false).str("livenessState", "working")).num("endedAt", now()))
		v.model("", "")
	}
	seq := v.lifecycle(v.ended(stop, answer))
	if len(v.owed) > 0 {
		v.chatDelta(seq)
	}
	v.chat(seq, "final", func(o *object) {
		o.str("stopReason", stop)
		if text := v.whole(); len(text) > 0 {
			o.obj("message", said(text))
		}
	})
	if v.own() {
		v.run.finish(statusOK, "")
	}
}

// working adds that a run with tools cannot be played again.
func (v *voice) working(o *object) *object {
	if len(v.tools) > 0 {
		o.flag("replayInvalid", true)
	}
	return o
}

// ended is the lifecycle event of a run that came to its end.
func (v *voice) ended(stop string, answer []byte) *object {
	o := newObject()
	if !v.run.gateway.version.modern {
		return o.str("phase", "end").num("startedAt", v.run.startedAt).num("endedAt", now())
	}
	if v.run.viaChat {
		v.working(o.str("stopReason", stop).flag("aborted", false).str("livenessState", "working")).
			str("phase", "end").num("endedAt", now()).num("startedAt", v.run.startedAt)
		if len(v.tools) == 0 {
			o.flag("replayInvalid", false)
		}
	} else {
		o.str("phase", "end").num("startedAt", v.run.startedAt).num("endedAt", now()).flag("aborted", false).str("stopReason", stop).str("livenessState", "working")
	}
	if len(answer) > 0 {
		o.obj("terminalReply", newObject().str("disposition", "visible").str("text", string(answer)))
	}
	return o.obj("terminalReceipt", v.receipt().str("terminalDisposition", "visible")).flag("executionSettled", true)
}

// receipt is what a run was, in short.
func (v *voice) receipt() *object {
	s := v.run.session
	used := []string{}
	for _, t := range v.tools {
		if t.worked && !slices.Contains(used, t.name) {
			used = append(used, t.name)
		}
	}
	asked := newObject().str("provider", s.provider).str("model", s.model)
	return newObject().str("runId", v.id).opt("sessionId", s.id).str("turnId", v.id).obj("requested", asked).
		obj("effective", newObject().str("provider", s.provider).str("model", s.model).str("responseModel", s.model)).
		list("successfulToolNames", used).flag("rerouted", false)
}

// observation is what the gateway makes of an error of a provider.
func (v *voice) observation(code string) *object {
	kind := "unclassified"
	if code == "rate_limit" {
		kind = code
	}
	s := v.run.session
	return newObject().str("provider", s.provider).str("model", s.model).str("failoverReason", cmp.Or(code, "unknown")).str("providerRuntimeFailureKind", kind)
}

// finishing says that a call of the model failed. It is no end.
func (v *voice) finishing(code, message string) {
	v.lifecycle(newObject().str("phase", "finishing").str("error", message).obj("errorObservation", v.observation(code)).
		flag("aborted", false).str("livenessState", "blocked").num("endedAt", now()))
}

// fail says that the run failed.
func (v *voice) fail(code, message string) {
	v.quiet()
	v.store("error")
	s, r := v.run.session, v.run.gateway
	fallback := newObject().str("phase", "fallback_step").str("fallbackStepType", "fallback_step").
		str("fallbackStepFromModel", s.provider+"/"+s.model).str("fallbackStepFromFailureReason", code).
		str("fallbackStepFromFailureDetail", message).num("fallbackStepChainPosition", 1).str("fallbackStepFinalOutcome", "chain_exhausted")
	failed := newObject()
	if r.version.modern {
		v.finishing(code, message)
		v.model("", "")
		v.lifecycle(fallback)
		failed.flag("aborted", false).str("livenessState", "blocked").obj("errorObservation", v.observation(code))
	}
	failed.str("phase", "error").num("endedAt", now()).num("startedAt", v.run.startedAt).str("error", message)
	if r.version.modern {
		failed.flag("executionSettled", true)
	}
	seq := v.lifecycle(failed)
	if r.version.unreported {
		v.lifecycle(fallback)
		if v.own() {
			v.run.finish(statusFailed, message)
		}
		return
	}
	v.chat(seq, "error", func(o *object) {
		o.str("errorMessage", message)
		if code == "rate_limit" {
			o.str("errorKind", code)
		}
		o.obj("errorDetail", v.observation(code))
	})
	summary := "⚠️ Agent failed before reply: " + message + "\nTo view logs, run `openclaw logs --follow` in a terminal."
	if code == "rate_limit" {
		summary = "⚠️ The model request was rate-limited. Please try again in a few minutes."
	}
	if v.run.viaChat { // who started it is told again, and not as the run
		v.chatAs("", 1, "error", func(o *object) { o.str("errorMessage", summary) })
	}
	if v.own() {
		v.run.finish(statusFailed, summary)
	}
}

// retry says that a call of the model failed and is made again: what it had said is
// thrown away.
func (v *voice) retry(code, message string) {
	v.quiet()
	if v.due { // what was said before a tool stays
		v.due = false
		v.fold()
	}
	s := v.run.session
	if v.run.gateway.version.modern {
		v.finishing(code, message)
		v.retrying(code)
	}
	v.retract()
	v.attempt(s.provider, s.model)
}

// retrying says which attempt comes next, and after how long.
func (v *voice) retrying(code string) {
	v.retries++
	seq, n := v.next(), int64(v.retries)
	reason := cmp.Or(code, "unknown")
	most := int64(8)
	text := fmt.Sprintf("Provider temporarily unavailable. Retrying in 2s (%d/%d).", n, most)
	limited := code == "rate_limit"
	if limited {
		most = 9
		text = fmt.Sprintf("Retrying… %d/%d", n+1, most+1)
	}
	if v.run.viaChat {
		v.chat(seq, "status", func(o *object) {
			o.str("phase", "starting_model")
			if limited {
				o.obj("retry", newObject().num("attempt", n+1).num("maxAttempts", most+1).str("reason", reason))
			}
		})
	}
	v.agent(seq, "run_status", newObject().str("phase", "retrying").str("message", text).num("retryAttempt", n).num("maxRetries", most).
		num("delayMs", 1033).num("attempt", n+1).num("maxAttempts", most+1).str("reason", reason))
}
