package property_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/property"
	"github.com/adaptercheck/adaptercheck/subjects"
)

func TestConversationsHoldForTheMemoryAdapter(t *testing.T) {
	property.Conversations(t, subjects.Memory(), property.Options{Should: true, Cases: 500})
}

// planted is a memory adapter with a bug of its own in each method that has a function.
type planted struct {
	*memory.Adapter
	start  func(ctx context.Context, o executor.StartOpts) (executor.StartOpts, error)
	events func(*executor.Run, executor.Stream) executor.Stream
	abort  func(context.Context, *executor.Run) error
}

func (p *planted) Start(ctx context.Context, task executor.TaskHandle, o executor.StartOpts) (*executor.Run, error) {
	if p.start != nil {
		var err error
		if o, err = p.start(ctx, o); err != nil {
			return nil, err
		}
	}
	return p.Adapter.Start(ctx, task, o)
}

func (p *planted) Events(r *executor.Run) executor.Stream {
	s := p.Adapter.Events(r)
	if p.events != nil {
		s = p.events(r, s)
	}
	return s
}

func (p *planted) Abort(ctx context.Context, r *executor.Run) error {
	if p.abort != nil {
		return p.abort(ctx, r)
	}
	return p.Adapter.Abort(ctx, r)
}

// changing passes each event of each stream through a function of that stream.
func changing(bend func() func(executor.Event) []executor.Event) func(*planted) {
	return func(p *planted) {
		p.events = func(_ *executor.Run, s executor.Stream) executor.Stream { return &bentStream{Stream: s, bend: bend()} }
	}
}

// without leaves out the events that a function names.
func without(lost func(executor.Event) bool) func(*planted) {
	return changing(func() func(executor.Event) []executor.Event {
		return func(e executor.Event) []executor.Event {
			if lost(e) {
				return nil
			}
			return []executor.Event{e}
		}
	})
}

// Ten kinds of bugs that need more than a stream to be seen, or a stream of more than one
// run, each as a host would meet it.
func TestConversationsFindPlantedBugs(t *testing.T) {
	for _, c := range []struct {
		name  string
		plant func(*planted)
		code  string
	}{
		{"an abort that says success", changing(func() func(executor.Event) []executor.Event {
			return func(e executor.Event) []executor.Event {
				if d, ok := e.(executor.Done); ok && d.Reason == executor.ReasonAborted {
					d.Reason = executor.ReasonSuccess
					e = d
				}
				return []executor.Event{e}
			}
		}), "done-reason-wrong"},
		{"an abort that does nothing", func(p *planted) {
			p.abort = func(context.Context, *executor.Run) error { return nil }
		}, "done-missing"},
		{"an abort that ends all sessions", func(p *planted) {
			var mu sync.Mutex
			var all []*executor.Run
			p.events = func(r *executor.Run, s executor.Stream) executor.Stream {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, r)
				return s
			}
			p.abort = func(ctx context.Context, _ *executor.Run) error {
				mu.Lock()
				defer mu.Unlock()
				for _, r := range all {
					if err := p.Adapter.Abort(ctx, r); err != nil {
						return err
					}
				}
				return nil
			}
		}, "done-reason-wrong"},
		{"text that is said twice", changing(func() func(executor.Event) []executor.Event {
			last := ""
			return func(e executor.Event) []executor.Event {
				if d, ok := e.(executor.TextDelta); ok {
					last, d.Text = last+d.Text, last+d.Text // cumulative
					e = d
				}
				return []executor.Event{e}
			}
		}), "text-wrong"},
		{"text of the run before", func(p *planted) {
			var mu sync.Mutex
			before := ""
			p.events = func(_ *executor.Run, s executor.Stream) executor.Stream {
				return &bentStream{Stream: s, bend: func() func(executor.Event) []executor.Event {
					return func(e executor.Event) []executor.Event {
						mu.Lock()
						defer mu.Unlock()
						if d, ok := e.(executor.TextDelta); ok && !strings.Contains(before, d.Text) {
							before += d.Text
							d.Text = before
							e = d
						}
						return []executor.Event{e}
					}
				}()}
			}
		}, "text-wrong"},
		{"calls that are lost", without(func(e executor.Event) bool {
			k := e.Kind()
			return k == executor.KindToolCall || k == executor.KindToolResult
		}), "calls-wrong"},
		{"a bill of nothing", without(func(e executor.Event) bool { return e.Kind() == executor.KindCost }), "tokens-wrong"},
		{"a start that goes to another session", func(p *planted) {
			var mu sync.Mutex
			first := ""
			p.start = func(_ context.Context, o executor.StartOpts) (executor.StartOpts, error) {
				mu.Lock()
				defer mu.Unlock()
				if first == "" {
					first = o.SessionKey
				}
				o.SessionKey = first
				return o, nil
			}
		}, "events-round-trip-threw"}, // the session is free, and refuses
		{"a second listener that hears nothing", func(p *planted) {
			var mu sync.Mutex
			seen := map[*executor.Run]bool{}
			p.events = func(r *executor.Run, s executor.Stream) executor.Stream {
				mu.Lock()
				defer mu.Unlock()
				if seen[r] {
					return executor.Ended{}
				}
				seen[r] = true
				return s
			}
		}, "observers-disagree"},
		{"streams that count from where another stopped", func(p *planted) {
			var mu sync.Mutex
			seq := int64(0)
			p.events = func(_ *executor.Run, s executor.Stream) executor.Stream {
				return &bentStream{Stream: s, bend: func(e executor.Event) []executor.Event {
					mu.Lock()
					defer mu.Unlock()
					if e.Kind() == executor.KindDone {
						seq = 0
					}
					seq++
					return []executor.Event{at(e, seq)}
				}}
			}
		}, "seq-not-increasing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := subjects.Memory()
			s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
				runtime := fake.New()
				p := &planted{Adapter: memory.New(runtime, memory.Options{Grace: time.Millisecond})}
				c.plant(p)
				return &check.ExecutorInstance{Adapter: p, Runtime: runtime}, nil
			}
			r := outcome(t, func(tb property.TB) {
				property.Conversations(tb, s, property.Options{
					Seed: 7, Cases: 1000, Should: true,
					Budgets: check.Budgets{FirstEvent: 200 * time.Millisecond, Terminal: 200 * time.Millisecond, Abort: 200 * time.Millisecond},
				})
			})
			if !r.failed || !strings.Contains(r.log.String(), c.code) {
				t.Fatalf("failed = %v, want a failure by %s:\n%s", r.failed, c.code, r.log.String())
			}
			if acts := r.shown(); len(acts) == 0 || len(acts) > 6 {
				t.Errorf("%d acts:\n%s", len(acts), strings.Join(acts, "\n"))
			}
		})
	}
}
