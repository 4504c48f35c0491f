package host

import (
	"context"
	"sync"
)

// places lets one run at a time into each place, in which there is something that runs
// would spoil for each other. The zero value is ready.
type places struct {
	mu   sync.Mutex
	open map[string]*place
	dirs map[string]string // where sessions work, by key
}

type place struct {
	turn    chan struct{}
	waiting int
}

// enter waits for the place and returns how to leave it.
func (p *places) enter(ctx context.Context, name string) (leave func(), err error) {
	p.mu.Lock()
	if p.open == nil {
		p.open = map[string]*place{}
	}
	at := p.open[name]
	if at == nil {
		at = &place{turn: make(chan struct{}, 1)}
		p.open[name] = at
	}
	at.waiting++
	p.mu.Unlock()
	gone := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if at.waiting--; at.waiting == 0 {
			delete(p.open, name)
		}
	}
	select {
	case at.turn <- struct{}{}:
		return func() { <-at.turn; gone() }, nil
	case <-ctx.Done():
		gone()
		return nil, ctx.Err()
	}
}

// work notes where a session works.
func (p *places) work(key, dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dirs == nil {
		p.dirs = map[string]string{}
	}
	p.dirs[key] = dir
}

// forget forgets it.
func (p *places) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.dirs, key)
}

// dir is where a session works; empty is nowhere.
func (p *places) dir(key string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dirs[key]
}
