package openclaw

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// event gives an event of the gateway to the run that it is of. Runs of others, and
// events that nobody knows, are nothing.
func (a *Adapter) event(c *conn, f *frame) {
	switch f.Event {
	case "chat":
		var e chatEvent
		if !read(f.Payload, &e) {
			return
		}
		if r := a.find(e.Run, e.Session); r != nil && e.Run != "" {
			r.take(c, func(m *mapper) []executor.Event { return m.chat(&e) })
		}
	case "agent":
		var e agentEvent
		if !read(f.Payload, &e) {
			return
		}
		if r := a.find(e.Run, e.Session); r != nil && e.Run != "" {
			r.take(c, func(m *mapper) []executor.Event { return m.agent(&e) })
		}
	case "exec.approval.requested":
		var e approvalEvent
		if read(f.Payload, &e) {
			a.question(c, &e)
		}
	case "exec.approval.resolved":
		var e approvalEvent
		if read(f.Payload, &e) && e.ID != "" {
			a.each(func(r *run) { r.unask(string(e.ID)) })
		}
	}
}

// find is the live run of that name, or, for what names none, of the session.
func (a *Adapter) find(id, session text) *run {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id != "" {
		return a.routes[string(id)]
	}
	for r := range a.live {
		if session != "" && strings.EqualFold(r.send.Session, string(session)) {
			return r
		}
	}
	return nil
}

// each calls f with every live run.
func (a *Adapter) each(f func(*run)) {
	a.mu.Lock()
	live := make([]*run, 0, len(a.live))
	for r := range a.live {
		live = append(live, r)
	}
	a.mu.Unlock()
	for _, r := range live {
		f(r)
	}
}
