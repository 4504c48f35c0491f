package remote

import (
	"context"
	"errors"
	"sync"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

// served is a fake of this process that a suite elsewhere plays.
type served struct {
	runtime fakes.Runtime
	cancel  context.CancelFunc
	done    chan struct{} // closed when no more runs are awaited

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when a run arrives
	arrived []*servedRun
	starts  []*executor.Run // accepted, in their order
	calls   []map[string]any
}

// servedRun is a run that has arrived.
type servedRun struct {
	fakes.Run
	told int // calls of it that are in the list
}

// playing waits for runs until it is closed.
func playing(ctx context.Context, runtime fakes.Runtime) *served {
	ctx, cancel := context.WithCancel(ctx)
	p := &served{runtime: runtime, cancel: cancel, done: make(chan struct{}), changed: make(chan struct{})}
	go func() {
		defer close(p.done)
		for {
			run, err := runtime.Next(ctx)
			if err != nil {
				return
			}
			p.mu.Lock()
			p.sweep()
			p.arrived = append(p.arrived, &servedRun{Run: run})
			if begun := run.Begun(); begun.Method != "" { // else the fake does not show it
				p.calls = append(p.calls, callToWire(begun))
			}
			close(p.changed)
			p.changed = make(chan struct{})
			p.mu.Unlock()
		}
	}()
	return p
}

func (p *served) close() error {
	p.cancel()
	err := p.runtime.Close()
	<-p.done
	return err
}

// started notes a start that the adapter accepted.
func (p *served) started(run *executor.Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starts = append(p.starts, run)
}

// sweep adds what has reached the runs to the list of calls. The lock is held.
func (p *served) sweep() {
	for _, run := range p.arrived {
		all := run.Calls()
		for _, c := range all[run.told:] {
			p.calls = append(p.calls, callToWire(c))
		}
		run.told = len(all)
	}
}

// find waits for the run in the fake that a start led to: the one of the same
// place among those of its session. Without a run it is the latest of the session.
func (p *served) find(ctx context.Context, q request, run *executor.Run) (*servedRun, error) {
	for {
		p.mu.Lock()
		found, changed := p.look(q.Session, run), p.changed
		p.mu.Unlock()
		if found != nil {
			return found, nil
		}
		select {
		case <-changed:
		case <-p.done:
			return nil, fakes.ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look is find without waiting. The lock is held.
func (p *served) look(session string, run *executor.Run) *servedRun {
	// A wire that does not tell sessions apart has them all in one row.
	told := func(r *servedRun) bool { return r.Begun().Session != "" }
	place := 0
	for _, s := range p.starts {
		if s == run {
			break
		}
		if s.SessionKey() == session {
			place++
		}
	}
	var latest *servedRun
	n := 0
	for i, r := range p.arrived {
		if told(r) && r.Begun().Session != session {
			continue
		}
		latest = r
		if run != nil && told(r) && n == place || run != nil && !told(r) && i < len(p.starts) && p.starts[i] == run {
			return r
		}
		n++
	}
	if run != nil {
		return nil
	}
	return latest
}

func (p *served) answer(ctx context.Context, method string, q request, e *servedExecutor) (any, error) {
	if method == "harness/calls" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sweep()
		return map[string]any{"calls": append([]map[string]any{}, p.calls...)}, nil
	}
	var run *executor.Run
	if q.Run != nil && q.Run.Kind() != 'n' {
		var err error
		if run, err = e.run(q); err != nil {
			return nil, err
		}
		q.Session = run.SessionKey()
	}
	fault := fakes.Fault{Kind: fakes.FaultKind(q.Fault), Delay: q.Delay}
	if method == "harness/fault" && run == nil && q.Session == "" {
		return played(p.runtime.Fault(ctx, fault))
	}
	native, err := p.find(ctx, q, run)
	if err != nil {
		return nil, err
	}
	if method == "harness/fault" {
		return played(native.Fault(ctx, fault))
	}
	if q.Frames == nil {
		q.Frames = append(append([]byte{'['}, q.Frame...), ']')
	}
	frames, err := script.DecodeFrames(q.Frames)
	if err != nil {
		return nil, badParams("frames: %v", err)
	}
	_, err = native.Emit(ctx, frames...)
	return played(err)
}

// played is the answer to something that the fake was told to do.
func played(err error) (any, error) {
	if errors.Is(err, fakes.ErrUnplayable) {
		return map[string]bool{"unplayable": true}, nil
	}
	return struct{}{}, err
}

// callToWire writes a call of a fake of ours under its closed name.
func callToWire(c fakes.Call) map[string]any {
	params := map[string]any{}
	put := func(name, s string) {
		if s != "" {
			params[name] = s
		}
	}
	put("session", c.Session)
	put("run", c.Run)
	put("message", c.Message)
	put("model", c.Model)
	put("agent", c.Agent)
	put("resume", c.Resume)
	put("dir", c.Dir)
	put("key", c.Key)
	put("value", c.Value)
	put("question", c.Question)
	put("signal", c.Signal)
	put("code", c.Code)
	if len(c.Blocklist) > 0 {
		params["blocklist"] = c.Blocklist
	}
	if len(c.Args) > 0 {
		params["args"] = c.Args
	}
	if c.Method == fakes.MethodAnswer {
		params["allow"] = c.Allow
	}
	return map[string]any{"method": string(c.Method), "params": params}
}
