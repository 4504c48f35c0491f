package openclaw

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func (a *Adapter) start(ctx context.Context, opts executor.StartOpts) (*executor.Run, error) {
	if err := a.options.check(); err != nil {
		return nil, err
	}
	if opts.SessionKey == "" {
		return nil, errors.New("the session key is empty")
	}
	s, pieces, err := a.reserve(opts.SessionKey)
	if err != nil {
		return nil, err
	}
	defer a.busy.Done()
	r, c, err := a.prepare(ctx, s, opts, prompt(pieces, opts.Context, opts.Message))
	if err != nil {
		a.giveBack(s, pieces, true)
		return nil, err
	}
	handed := executor.NewRun(ID, opts.SessionKey)
	r.chapter = s.feed.Begin(handed)
	if err := a.admit(handed, r); err != nil {
		r.permit()
		a.giveBack(s, pieces, true)
		return nil, err
	}
	a.busy.Go(func() { r.launch(c) })
	if err := r.await(ctx); err != nil {
		r.discard()
		a.giveBack(s, pieces, false)
		return nil, err
	}
	r.chapter.Reveal()
	return handed, nil
}

// reserve takes the session for a run, and what was written for it.
func (a *Adapter) reserve(key string) (*session, []piece, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disposed {
		return nil, nil, executor.ErrDisposed
	}
	s := a.session(key)
	if s.taken {
		return nil, nil, executor.ErrBusy
	}
	s.taken = true
	a.busy.Add(1)
	pieces := s.pieces
	s.pieces = nil
	return s, pieces, nil
}

// giveBack puts the session back to what it was before reserve: its pieces, and, where
// no run has been admitted, its place.
func (a *Adapter) giveBack(s *session, pieces []piece, place bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	late := s.pieces // written while the start was under way
	s.pieces = pieces
	for _, p := range late {
		_ = s.put(p)
	}
	if place {
		s.taken = false
	}
}

// prepare readies the gateway for a run: its agent, its model and what it may not use.
func (a *Adapter) prepare(ctx context.Context, s *session, opts executor.StartOpts, prompt string) (*run, *conn, error) {
	c, err := a.link.get(ctx)
	if err != nil {
		return nil, nil, err
	}
	native, err := a.native(ctx, c, s, opts.AgentID)
	if err != nil {
		return nil, nil, err
	}
	a.sweep(ctx, c, s)
	a.mu.Lock()
	model, patched := opts.Model, s.patched
	if model == "" {
		model = s.model
	}
	a.mu.Unlock()
	if model != patched {
		if err := a.patchModel(ctx, c, s, native, model); err != nil {
			return nil, nil, err
		}
	}
	var denied []string
	if a.options.PatchConfig && len(opts.ChildToolBlocklist) > 0 {
		denied = slices.Clone(opts.ChildToolBlocklist)
		if err := a.blocks.forbid(ctx, c, denied); err != nil {
			return nil, nil, err
		}
	}
	r := &run{
		adapter: a, session: s, mapper: newMapper(a.options.clean), id: newKey(), epoch: c.epoch, denied: denied,
		begun: make(chan struct{}), asks: map[string]*time.Timer{}, asked: map[string]bool{},
	}
	r.send = chatSend{Session: native, Message: prompt, Key: r.id}
	r.on.Store(c)
	return r, c, nil
}

// newKey is a name for a run that nobody else has, shaped as the gateway's own.
func newKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// native is the gateway's key for the session.
func (a *Adapter) native(ctx context.Context, c *conn, s *session, agent string) (string, error) {
	a.mu.Lock()
	known := s.native
	a.mu.Unlock()
	switch {
	case agentOf(s.key) != "":
		agent = agentOf(s.key)
	case a.options.Agent != "":
		agent = a.options.Agent
	case agent == "" && known != "":
		agent = agentOf(known)
	case agent == "":
		payload, err := c.call(ctx, "agents.list", struct{}{}, 0)
		if err != nil {
			return "", err
		}
		var list struct {
			Default text `json:"defaultId"`
		}
		if !read(payload, &list) || list.Default == "" {
			return "", errors.New("the gateway has no default agent, and neither the session key nor the options name one")
		}
		agent = string(list.Default)
	}
	native := nativeKey(s.key, agent)
	a.mu.Lock()
	defer a.mu.Unlock()
	s.native = native
	return native, nil
}

// admit makes a run known, unless the adapter has been disposed of meanwhile.
func (a *Adapter) admit(handed *executor.Run, r *run) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disposed {
		return executor.ErrDisposed
	}
	a.runs.Add(1)
	a.live[r] = struct{}{}
	a.routes[r.id] = r
	r.session.live = r
	a.know(handed, handle{session: r.session, run: r})
	return nil
}

// route leads frames of another name to a run.
func (a *Adapter) route(id string, r *run) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, live := a.live[r]; live {
		a.routes[id] = r
	}
}

// release frees the session after a run, and remembers one that may go on.
func (a *Adapter) release(r *run, stale bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.live, r)
	delete(a.routes, r.send.Key)
	delete(a.routes, r.id)
	r.session.taken, r.session.live = false, nil
	if stale {
		r.session.stale = append(r.session.stale, r.id)
	}
}

// await waits until it is known whether there is a run.
func (r *run) await(ctx context.Context) error {
	timer := time.NewTimer(r.adapter.options.RequestTimeout)
	defer timer.Stop()
	select {
	case <-r.begun:
	case <-timer.C:
		r.refuse(fmt.Errorf("chat.send: %w", errUnanswered))
	case <-ctx.Done():
		r.refuse(fmt.Errorf("chat.send: %w", ctx.Err()))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusal
}

// discard lets go of a run that was not handed out. The gateway may have begun it, and
// is told to stop it.
func (r *run) discard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.concluding {
		return // it ends by itself
	}
	r.over = true
	for _, t := range []*time.Timer{r.settling, r.checking, r.grace} {
		if t != nil {
			t.Stop()
		}
	}
	for _, t := range r.asks {
		t.Stop()
	}
	var refused *GatewayError
	began := !errors.As(r.refusal, &refused)
	r.adapter.release(r, began)
	go func() {
		defer r.adapter.runs.Done()
		if c := r.adapter.link.current(); c != nil && began {
			r.adapter.sweep(context.Background(), c, r.session)
		}
		r.permit()
	}()
}

// permit takes back what the configuration forbids for the run.
func (r *run) permit() {
	if len(r.denied) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.adapter.options.Grace)
	defer cancel()
	r.adapter.blocks.permit(ctx, r.adapter.link.current(), r.denied)
}
