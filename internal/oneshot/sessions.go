package oneshot

import (
	"runtime"
	"weak"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// handle is what a handle stands for. The run is nil for a restored one.
type handle[S any, W Wire[S]] struct {
	session *session[S, W]
	run     *run[S, W]
}

// session is what is kept of a conversation between its runs. It is guarded by the
// host's mu.
type session[S any, W Wire[S]] struct {
	key    string
	taken  bool       // a run is starting or live
	live   *run[S, W] // nil while none is live
	state  S
	model  string
	pieces []piece
}

// session returns the session of that key, a new one if there is none. The caller
// holds mu.
func (h *Host[S, W]) session(key string) *session[S, W] {
	s := h.sessions[key]
	if s == nil {
		s = &session[S, W]{key: key}
		h.sessions[key] = s
	}
	return s
}

// reserve takes the session for a run and says what it asks of the runtime. What
// the prompt took of the session is returned too, to be put back if the start
// fails.
func (h *Host[S, W]) reserve(opts executor.StartOpts) (*session[S, W], Request[S], []piece, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.disposed {
		return nil, Request[S]{}, nil, executor.ErrDisposed
	}
	s := h.session(opts.SessionKey)
	if s.taken {
		return nil, Request[S]{}, nil, executor.ErrBusy
	}
	s.taken = true
	h.busy.Add(1)
	req := Request[S]{State: s.state, Model: opts.Model, Prompt: prompt(s.pieces, opts.Context, opts.Message), Blocklist: opts.ChildToolBlocklist}
	if req.Model == "" {
		req.Model = s.model
	}
	pieces := s.pieces
	s.pieces = nil
	return s, req, pieces, nil
}

// giveUp puts the session back to what it was before reserve.
func (h *Host[S, W]) giveUp(s *session[S, W], pieces []piece) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.taken = false
	for _, late := range s.pieces { // written while the start was under way
		pieces = put(pieces, late)
	}
	s.pieces = pieces
	h.busy.Done()
}

// admit makes the run known, unless the host has been disposed of meanwhile.
func (h *Host[S, W]) admit(handed *executor.Run, r *run[S, W]) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.disposed {
		return executor.ErrDisposed
	}
	h.live[r] = struct{}{}
	r.session.live = r
	h.know(handed, handle[S, W]{session: r.session, run: r})
	return nil
}

// know remembers what a handle stands for until its owner lets go of it. The caller
// holds mu.
func (h *Host[S, W]) know(run *executor.Run, what handle[S, W]) {
	key := weak.Make(run)
	h.handles[key] = what
	runtime.AddCleanup(run, func(key weak.Pointer[executor.Run]) {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.handles, key)
	}, key)
}

// keep lets the wire write down what it knows of the session by now.
func (h *Host[S, W]) keep(r *run[S, W]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.wire.Keep(&r.session.state)
}

// release frees the session after a run.
func (h *Host[S, W]) release(r *run[S, W]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.wire.Keep(&r.session.state)
	r.session.taken, r.session.live = false, nil
	delete(h.live, r)
}

func (h *Host[S, W]) lookup(run *executor.Run) (handle[S, W], error) {
	if run == nil {
		return handle[S, W]{}, executor.ErrUnknownRun
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.handles[weak.Make(run)]
	if !ok {
		return handle[S, W]{}, executor.ErrUnknownRun
	}
	return known, nil
}
