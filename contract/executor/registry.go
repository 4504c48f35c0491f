package executor

import (
	"slices"
	"sync"
)

// Registry holds adapters by id, in the order in which their ids first came. The
// zero value is empty and ready. It may be used from several goroutines.
type Registry struct {
	mu    sync.RWMutex
	order []string
	byID  map[string]Adapter
}

// Register adds the adapter under the id it gives now. An adapter with a known
// id replaces the earlier one and keeps its place.
func (r *Registry) Register(a Adapter) {
	id := a.ID()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil {
		r.byID = map[string]Adapter{}
	}
	if _, known := r.byID[id]; !known {
		r.order = append(r.order, id)
	}
	r.byID[id] = a
}

// Unregister removes the adapter with this id; an unknown id changes nothing.
func (r *Registry) Unregister(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, id)
	r.order = slices.DeleteFunc(r.order, func(s string) bool { return s == id })
}

// Get returns the adapter with this id, or nil and false.
func (r *Registry) Get(id string) (Adapter, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	a, ok := r.byID[id]
	return a, ok
}

// Has reports whether the id is known.
func (r *Registry) Has(id string) bool { _, ok := r.Get(id); return ok }

// IDs returns the ids in order. The slice is the caller's.
func (r *Registry) IDs() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.order)
}

// List returns the adapters in order. The slice is the caller's.
func (r *Registry) List() []Adapter {
	r.mu.RLock()
	defer r.mu.RUnlock()
	list := make([]Adapter, 0, len(r.order))
	for _, id := range r.order {
		list = append(list, r.byID[id])
	}
	return list
}
