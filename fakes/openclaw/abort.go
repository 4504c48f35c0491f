package openclaw

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// abort says that the run was stopped: the chat says so, then the agent stream.
func (v *voice) abort() {
	v.quiet()
	v.storeAborted()
	seq := v.next()
	v.chat(seq, "aborted", func(o *object) {
		o.str("stopReason", "rpc")
		if text := v.whole(); len(text) > 0 {
			o.obj("message", said(text))
		}
	})
	v.lifecycleAs(seq, newObject().str("phase", "end").str("status", "cancelled").flag("aborted", true).str("stopReason", "rpc").
		num("startedAt", v.run.asked).num("endedAt", now()))
	if v.run.viaChat && v.run.startedAt > 0 {
		v.model(v.run.session.provider, v.run.session.model)
	}
}

// aborted says how the run ended under the stop: as an error, although nothing is
// wrong.
func (v *voice) aborted() {
	switch {
	case v.run.startedAt == 0: // there was nothing to stop yet
	case !v.run.gateway.version.modern:
		v.seq = 0
		v.lifecycle(newObject().str("phase", "end").num("startedAt", v.run.startedAt).num("endedAt", now()).flag("aborted", true))
	case v.run.viaChat:
		v.model("", "")
		v.stopped("This operation was aborted")
	default:
		v.seq = 0 // it is counted anew
		v.stopped("This operation was aborted")
	}
	if v.own() {
		v.run.finish(statusAborted, "aborted")
	}
}

func (v *voice) stopped(why string) int64 {
	return v.lifecycle(newObject().str("phase", "error").num("endedAt", now()).num("startedAt", v.run.startedAt).str("error", why).
		flag("aborted", true).str("stopReason", "aborted").flag("executionSettled", true))
}

// interrupt ends a run for another one of its session.
func (run *Run) interrupt() {
	v := run.voice
	v.quiet()
	v.storeAborted()
	var seq int64
	if run.startedAt > 0 {
		v.model(run.session.provider, run.session.model)
		v.model("", "")
		seq = v.stopped("Reply operation aborted by user")
	} else {
		seq = v.next()
	}
	v.chat(seq, "aborted", func(o *object) {
		o.str("stopReason", "aborted")
		if text := v.whole(); len(text) > 0 {
			o.obj("message", said(text))
		}
	})
	run.finish(statusAborted, "aborted")
}

// targets are the runs of a session that a cancel is for: one by its id, or all.
func (s *session) targets(id string) []*Run {
	var all []*Run
	if s.live != nil {
		all = append(all, s.live)
	}
	all = slices.Concat(all, s.steered, s.waiting)
	if id == "" {
		return all
	}
	return slices.DeleteFunc(all, func(run *Run) bool { return run.voice.id != id })
}

// stop cancels runs, answers, and lets what follows the answer follow.
func (r *Runtime) stop(key string, runs []*Run, answer func()) {
	var ending []*Run
	for _, run := range runs {
		run.record(fakes.Call{Method: fakes.MethodCancel, Session: run.session.view(key)})
	}
	for _, run := range runs {
		switch {
		case run.session.live != run: // its turn had not come
			s := run.session
			s.steered = slices.DeleteFunc(s.steered, func(other *Run) bool { return other == run })
			run.dissolve()
		case run.passive || run.deaf:
		default:
			run.settleQuestions()
			run.voice.abort()
			ending = append(ending, run)
		}
	}
	answer()
	for _, run := range ending {
		run.voice.aborted()
	}
}

// abortChat stops a run, or all of a session.
func (r *Runtime) abortChat(q *request) {
	var p struct {
		Key string `json:"sessionKey"`
		Run string `json:"runId"`
	}
	read(q.params, &p)
	runs := r.session(p.Key).targets(p.Run)
	names := []string{}
	for _, run := range runs {
		names = append(names, run.voice.id)
	}
	r.stop(p.Key, runs, func() {
		q.ok(newObject().flag("ok", true).flag("aborted", len(runs) > 0).list("runIds", names))
	})
}

// abortSession does the same, and tells of the last one only.
func (r *Runtime) abortSession(q *request) {
	var p struct {
		Key string `json:"key"`
		Run string `json:"runId"`
	}
	read(q.params, &p)
	if p.Key == "" {
		r.breach(BreachParams)
		q.fail(invalid("key required"))
		return
	}
	runs := r.session(p.Key).targets(p.Run)
	r.stop(p.Key, runs, func() {
		o := newObject().flag("ok", true)
		if len(runs) == 0 {
			q.ok(o.null("abortedRunId").str("status", "no-active-run"))
			return
		}
		q.ok(o.str("abortedRunId", runs[len(runs)-1].voice.id).str("status", "aborted"))
	})
}
