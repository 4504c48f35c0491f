package executor

import "sync"

// Run is the handle of one run. It is born unbound; the adapter binds the run id
// when the runtime first names it, and from then on it never changes
// (executor#late-binding). A Run may be read and bound from several goroutines.
type Run struct {
	adapterID  string
	sessionKey string

	mu    sync.Mutex
	id    string
	bound bool
	done  chan struct{}
}

// NewRun returns an unbound handle.
func NewRun(adapterID, sessionKey string) *Run {
	return &Run{adapterID: adapterID, sessionKey: sessionKey, done: make(chan struct{})}
}

// AdapterID is the id of the adapter that gave out the handle.
func (r *Run) AdapterID() string { return r.adapterID }

// SessionKey is the session key of the start request.
func (r *Run) SessionKey() string { return r.sessionKey }

// ID returns the run id, and false while the handle is unbound.
func (r *Run) ID() (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.id, r.bound
}

// Bind gives the handle its run id, once. It reports whether the handle now has
// this id: false means that it already had another one, which stays.
func (r *Run) Bind(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.bound {
		r.set(id, true)
	}
	return r.id == id
}

// Bound is closed when the handle has got its run id.
func (r *Run) Bound() <-chan struct{} { return r.done }

// Mirror makes the handle show what a handle kept elsewhere shows, whatever that
// is: bound to nothing again, or to another id. It is for proxies of adapters in
// other processes and for wrong adapters; an adapter calls Bind.
func (r *Run) Mirror(id string, bound bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(id, bound)
}

// set closes done the first time the handle is bound; a mirrored handle can be
// bound more than once.
func (r *Run) set(id string, bound bool) {
	if bound {
		select {
		case <-r.done:
		default:
			close(r.done)
		}
	}
	r.id, r.bound = id, bound
}
