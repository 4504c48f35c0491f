package remote

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// handle is the subject's side of a run.
type handle struct {
	run  *executor.Run
	name jsontext.Value // the subject's name for the run

	mu sync.Mutex
	at uint64 // the answer that the run shows, in the order of all answers
}

// adopt makes the handle of an answer ours. What is no handle gives none, and one that
// the subject gave out before is the same to us too.
func (a *adapter) adopt(method string, r reply) (*handle, error) {
	m, ok := membersOf(r.Handle)
	if !ok {
		return nil, nil
	}
	if textOf(r.Run) == "" {
		return nil, badReply(method, "run")
	}
	h := &handle{run: executor.NewRun(textOf(m["adapterId"]), textOf(m["sessionKey"])), name: r.Run}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, known := range a.runs {
		if textOf(known.name) == textOf(h.name) {
			known.show(r)
			return known, nil
		}
	}
	h.show(r)
	a.runs[h.run] = h
	return h, nil
}

// show makes the run show what the subject's handle shows, unless a later answer
// has done so already.
func (h *handle) show(r reply) {
	m, ok := membersOf(r.Handle)
	if !ok {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.at < h.at {
		return
	}
	h.at = r.at
	switch id, isText := stringOf(m["runId"]); {
	case isText:
		h.run.Mirror(id, true)
	case absent(m["runId"]):
		h.run.Mirror("", false)
	default: // bound, to something that is no id
		h.run.Mirror(string(m["runId"]), true)
	}
}

// ref names a run in a request: by the subject's name for it, or, for one that the
// subject never gave out, by what the handle shows.
type ref struct {
	Run    jsontext.Value `json:"run"`
	Handle *stranger      `json:"handle,omitzero"`
}

// stranger is a handle that the subject never gave out.
type stranger struct {
	AdapterID  string         `json:"adapterId"`
	SessionKey string         `json:"sessionKey"`
	RunID      jsontext.Value `json:"runId"`
}

func (a *adapter) ref(run *executor.Run) (ref, *handle) {
	a.mu.Lock()
	h := a.runs[run]
	a.mu.Unlock()
	if h != nil {
		return ref{Run: h.name}, h
	}
	null := jsontext.Value("null")
	if run == nil {
		return ref{Run: null, Handle: &stranger{RunID: null}}, nil
	}
	s := &stranger{run.AdapterID(), run.SessionKey(), null}
	if id, bound := run.ID(); bound {
		s.RunID, _ = jsontext.AppendQuote(nil, id)
	}
	return ref{Run: null, Handle: s}, nil
}
