package remote

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// owner finds the run that a call belongs to: one whose id it names, else the latest
// of a session that it names, else the one that the suite acted on last, else the
// latest. The lock is held.
func (r *harness) owner(i int, c recorded) *harnessRun {
	var byID, bySession, latest *harnessRun
	for _, run := range r.runs {
		if i < run.seen || run.start > i {
			continue
		}
		latest = run
		ids, sessions := run.known()
		if slices.ContainsFunc(ids, c.is) {
			byID = run
		}
		if slices.ContainsFunc(sessions, c.is) {
			bySession = run
		}
	}
	switch {
	case byID != nil:
		return byID
	case bySession != nil:
		return bySession
	}
	for _, act := range slices.Backward(r.acted) {
		if act.at <= i {
			return act.run
		}
	}
	return latest
}

// known lists the run ids and the session ids of a run.
func (run *harnessRun) known() (ids, sessions []string) {
	run.mu.Lock()
	defer run.mu.Unlock()
	ids = slices.Clone(run.ids)
	if id, bound := run.h.run.ID(); bound {
		ids = append(ids, id)
	}
	// A harness may start runs under a session key of its own.
	return ids, append(slices.Clone(run.natives), run.session, run.h.run.SessionKey())
}

// call puts a call of the fake's into the words of the suite. The lock is held.
func (r *harness) call(c recorded, run *harnessRun) fakes.Call {
	out := fakes.Call{Method: c.methodOf(), Args: []string{string(c.Params)}}
	for _, other := range r.runs {
		if c.is(other.session) {
			out.Session = other.session
		}
	}
	switch out.Method {
	case fakes.MethodSetModel:
		out.Model = c.field("model")
	case fakes.MethodContext:
		out.Key = c.field("key", "name", "path", "file")
		for _, act := range r.acted {
			if act.key != "" && c.holds(act.key) && c.holds(act.value) {
				out.Key, out.Value = act.key, act.value
			}
		}
	case fakes.MethodAnswer:
		out.Question, out.Allow = c.field("question", "id", "requestId", "approvalId"), c.allows()
		run.mu.Lock()
		for _, id := range run.asked {
			if c.holds(id) {
				out.Question = id
			}
		}
		run.mu.Unlock()
	case fakes.MethodInput:
		out.Value = c.longest("")
	}
	return out
}
