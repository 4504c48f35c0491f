package codex

import (
	"runtime"
	"weak"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// handle is what a handle stands for. The run is nil for a restored one.
type handle struct {
	session *session
	run     *run
}

// session is what is kept of a conversation between its runs. It is guarded by the
// adapter's mu.
type session struct {
	key     string
	started bool // a run is starting or live
	thread  string
	totals  totals
	model   string
	pieces  []piece
}

// piece is context that waits for the next run.
type piece struct{ key, value string }

// reserve takes the session for a run and says what it asks of the runtime.
func (a *Adapter) reserve(opts executor.StartOpts) (*session, *run, request, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disposed {
		return nil, nil, request{}, executor.ErrDisposed
	}
	s := a.sessions[opts.SessionKey]
	if s == nil {
		s = &session{key: opts.SessionKey}
		a.sessions[s.key] = s
	}
	if s.started {
		return nil, nil, request{}, executor.ErrBusy
	}
	s.started = true
	a.busy.Add(1)
	req := request{thread: s.thread, model: opts.Model, prompt: prompt(s.pieces, opts.Context, opts.Message), pieces: s.pieces}
	s.pieces = nil
	if req.model == "" {
		req.model = s.model
	}
	return s, &run{
		adapter: a,
		session: s,
		mapper:  &mapper{clean: a.clean, resumed: s.thread, before: s.totals},
		grace:   a.options.Grace,
		stop:    make(chan struct{}),
	}, req, nil
}

// giveUp puts the session back to what it was before reserve.
func (a *Adapter) giveUp(s *session, req request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.started = false
	for _, late := range s.pieces { // written while the start was under way
		req.pieces = put(req.pieces, late)
	}
	s.pieces = req.pieces
	a.busy.Done()
}

// admit makes the run known, unless the adapter has been disposed of meanwhile.
func (a *Adapter) admit(run *executor.Run, r *run) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disposed {
		return executor.ErrDisposed
	}
	a.live[r] = struct{}{}
	a.know(run, handle{session: r.session, run: r})
	return nil
}

// know remembers what a handle stands for until the host lets go of it. The caller
// holds mu.
func (a *Adapter) know(run *executor.Run, h handle) {
	key := weak.Make(run)
	a.handles[key] = h
	runtime.AddCleanup(run, func(key weak.Pointer[executor.Run]) {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.handles, key)
	}, key)
}

// release frees the session after a run. A thread that the runtime says it does
// not have is forgotten, or the session could never start again: the failed run has
// told the host, and the next one begins a new thread.
func (a *Adapter) release(s *session, r *run, lost bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.started = false
	if lost {
		s.thread, s.totals = "", totals{}
	}
	delete(a.live, r)
}

// remember keeps what the wire told about the thread.
func (a *Adapter) remember(s *session, m *mapper) {
	if !isThread(m.thread) {
		return // nothing that can be resumed safely
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.thread, s.totals = m.thread, m.before
}

func (a *Adapter) lookup(run *executor.Run) (handle, error) {
	if run == nil {
		return handle{}, executor.ErrUnknownRun
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	h, ok := a.handles[weak.Make(run)]
	if !ok {
		return handle{}, executor.ErrUnknownRun
	}
	return h, nil
}

// put replaces the piece of that key, or adds it at the end.
func put(pieces []piece, p piece) []piece {
	for i := range pieces {
		if pieces[i].key == p.key {
			pieces[i] = p
			return pieces
		}
	}
	return append(pieces, p)
}
