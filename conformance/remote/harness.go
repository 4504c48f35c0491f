package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// How long a start may take to show in the subject's fake. A fake in another
// language may not record starts at all, or in words that the message is not in:
// then a run counts as arrived after a moment. One that offers start options records
// them.
const (
	lookEvery   = 2 * time.Millisecond
	unlikeAfter = 100 * time.Millisecond // something arrived, without the message
	silentAfter = 250 * time.Millisecond // nothing arrived, and never did
)

// harness is the subject's own fake of the runtime, as the suite plays it.
type harness struct {
	a *adapter

	mu       sync.Mutex
	waiting  []*harnessRun // started, not yet asked for
	runs     []*harnessRun // arrived, in their order
	claimed  map[int]bool  // calls that are the start of a run
	acted    []act
	recorded bool // the fake shows starts among its calls
	wake     chan struct{}
	closed   bool
}

var _ fakes.Runtime = (*harness)(nil)

// act is something that the suite did to a run; what reaches the fake then and
// names no run belongs to it.
type act struct {
	at       int // calls that had been made before
	run      *harnessRun
	key      string // written context
	value    string
	question string // answered
}

func newHarness(a *adapter) *harness {
	return &harness{a: a, claimed: map[int]bool{}, wake: make(chan struct{})}
}

// calls asks the fake for everything that reached it.
func (r *harness) calls(ctx context.Context) ([]recorded, error) {
	got, err := r.a.s.ask(ctx, "harness/calls", r.a.self())
	if err != nil {
		return nil, err
	}
	return readCalls(got.Calls), nil
}

// seen counts the calls so far; a fake that cannot tell has none.
func (r *harness) seen(ctx context.Context) int {
	all, _ := r.calls(ctx)
	return len(all)
}

// started notes a start that the adapter accepted.
func (r *harness) started(h *handle, o executor.StartOpts, seen int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, &harnessRun{r: r, h: h, session: o.SessionKey, message: o.Message, seen: seen, start: -1})
	close(r.wake)
	r.wake = make(chan struct{})
}

// acts notes what the suite is about to do to a run.
func (r *harness) acts(ctx context.Context, h *handle, about act) {
	about.at = r.seen(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.runs, func(run *harnessRun) bool { return run.h == h })
	if i >= 0 {
		about.run = r.runs[i]
		r.acted = append(r.acted, about)
	}
}

// Endpoint is empty: the subject knows its fake.
func (r *harness) Endpoint() fakes.Endpoint { return fakes.Endpoint{} }

// Features are those that the subject declares.
func (r *harness) Features() fakes.Features { return slices.Clone(r.a.p.hello.Features) }

// Residue counts what the subject's process holds, so long as that can only be of this
// instance.
func (r *harness) Residue() fakes.Residue { return r.a.p.residue(r.a.name, r.a.s) }

// Next waits for the next start that the adapter accepted, and then until it shows
// in the fake.
func (r *harness) Next(ctx context.Context) (fakes.Run, error) {
	run, err := r.next(ctx)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		all, err := r.calls(ctx)
		if err == nil && r.arrive(run, all, time.Since(begun)) {
			return run, nil
		}
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.mu.Lock()
			r.waiting = slices.Insert(r.waiting, 0, run)
			r.mu.Unlock()
			return nil, fmt.Errorf("waiting for a run to reach the subject's fake: %w", ctx.Err())
		}
	}
}

func (r *harness) next(ctx context.Context) (*harnessRun, error) {
	for {
		r.mu.Lock()
		if len(r.waiting) > 0 {
			run := r.waiting[0]
			r.waiting = r.waiting[1:]
			r.mu.Unlock()
			return run, nil
		}
		wake, closed := r.wake, r.closed
		r.mu.Unlock()
		if closed {
			return nil, fakes.ErrClosed
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for a run: %w", ctx.Err())
		}
	}
}

// arrive looks for the call that is the start of the run and reports whether the
// run is there.
func (r *harness) arrive(run *harnessRun, all []recorded, after time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	// A fake that offers start options shows what a start was given. Of any other one
	// nobody knows whether it would show a message, unless it shows something of it.
	shows := r.Features().Has(fakes.StartOptions)
	like, unlike := -1, -1
	for i := len(all) - 1; i >= min(run.seen, len(all)); i-- {
		switch m := all[i].methodOf(); {
		case r.claimed[i]:
		case all[i].holds(run.message), all[i].holds(lastWord(run.message)):
			like = i
		case m != fakes.MethodCancel && m != fakes.MethodSetModel && m != fakes.MethodAnswer:
			unlike = i
		}
	}
	told := false
	switch {
	case like >= 0:
		run.start, told = like, true
	case unlike >= 0 && after >= unlikeAfter:
		run.start, told = unlike, shows
	case r.recorded || shows || after < silentAfter:
		return false
	}
	if run.start >= 0 {
		r.claimed[run.start] = true
	}
	if told {
		r.recorded = true
		c := all[run.start]
		run.begun = fakes.Call{
			Method: fakes.MethodStart, Session: run.session,
			Message: c.longest(run.message), Model: c.field("model"), Args: []string{string(c.Params)},
		}
		for _, id := range r.a.p.natives() {
			if c.holds(id) {
				run.begun.Resume = id
			}
		}
	}
	r.runs = append(r.runs, run)
	return true
}

// lastWord is the last word of a message, if it is long enough to be no other's: what an
// altered message still has.
func lastWord(message string) string {
	const long = 8
	words := strings.Fields(message)
	if len(words) == 0 || len(words[len(words)-1]) < long {
		return ""
	}
	return words[len(words)-1]
}

type faultParams struct {
	Instance string         `json:"instance"`
	Fault    string         `json:"fault"`
	Delay    int            `json:"delay,omitzero"`
	Session  string         `json:"session,omitzero"`
	Run      jsontext.Value `json:"run,omitzero"`
}

func (r *harness) fault(ctx context.Context, p faultParams) error {
	got, err := r.a.s.ask(ctx, "harness/fault", p)
	if err != nil {
		return err
	}
	if isTrue(got.Unplayable) {
		return fmt.Errorf("fault %s: %w", p.Fault, fakes.ErrUnplayable)
	}
	return nil
}

// Fault makes the subject's fake misbehave as a whole.
func (r *harness) Fault(ctx context.Context, f fakes.Fault) error {
	return r.fault(ctx, faultParams{Instance: r.a.name, Fault: string(f.Kind), Delay: f.Delay})
}

// Close ends what waits for a run; the fake itself ends with its instance.
func (r *harness) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.wake)
		r.wake = make(chan struct{})
	}
	return nil
}
