package check

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Outcome is what one execution of one check found. Details and Fault hold
// content; they are for the local trace and never enter a report.
type Outcome struct {
	ID      string
	State   report.State
	Codes   []Code
	Missing []Feature
	Counts  map[string]int
	Took    time.Duration
	Details []string
	Fault   error

	late bool // it failed after something that was waited for did not come
}

// Runner executes checks against one subject. It may be used from several
// goroutines.
type Runner struct {
	Subject Subject
	// Budgets with zero fields filled from the defaults for the subject.
	Budgets Budgets
	// Seed of everything random; the same seed gives the same run.
	Seed uint64
	// Scratch is where checks make the directories of their fixtures; empty is the
	// system's place, [os.TempDir].
	Scratch string

	mu   sync.Mutex
	late int
}

// impatience is after how many checks that failed for want of an answer a runner
// stops being generous, and patience what is left of its budgets then.
const (
	impatience = 3
	patience   = 0.1
)

// Execute runs one check. It returns within the check's budget, also when the
// subject hangs or panics in a goroutine that the check waits for; what such a
// subject reports afterwards lands nowhere.
func Execute(ctx context.Context, ch Check, s Subject) Outcome {
	return (&Runner{Subject: s}).Execute(ctx, ch)
}

// Execute runs one check of the runner's subject.
func (r *Runner) Execute(ctx context.Context, ch Check) Outcome {
	start := time.Now()
	rec := &record{}
	for _, need := range ch.Needs {
		if !r.Subject.Shows(need) {
			rec.lack(need)
		}
	}
	if len(rec.missing) > 0 {
		return rec.seal(ch)
	}
	budgets := r.budgets()
	c := &C{Subject: r.Subject, Budgets: budgets, Rand: r.random(ch), Seed: r.Seed, Scratch: r.Scratch, check: ch, rec: rec}
	ctx, cancel := context.WithTimeout(ctx, budgets.Check)
	defer cancel()

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				if err, is := p.(error); is && errors.Is(err, ErrNoJudgement) {
					rec.cannot(err)
					rec.detail(err.Error())
					return
				}
				rec.note(ch.Threw())
				rec.detail(fmt.Sprintf("panic: %v\n%s", p, debug.Stack()))
			}
		}()
		ch.Run(ctx, c)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		// A check that heeds its context gets a moment to name what it waited for.
		timer := time.NewTimer(budgets.Check / 10)
		select {
		case <-ended:
		case <-timer.C:
			rec.note(ch.Hung())
			rec.tooLate()
		}
		timer.Stop()
	}
	out := rec.seal(ch)
	c.clean(budgets.Call)
	out.Took = time.Since(start)
	if out.late && out.State == report.Failed {
		r.mu.Lock()
		r.late++
		r.mu.Unlock()
	}
	return out
}

// budgets are the full ones until too many checks have waited in vain.
func (r *Runner) budgets() Budgets {
	b := r.Budgets.Or(DefaultBudgets(r.Subject.Elsewhere || r.Subject.Offers.Has(fakes.Process)))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.late >= impatience {
		b = b.Scale(patience)
	}
	return b
}

// random depends on seed and id alone, so that order and shard change nothing.
func (r *Runner) random(ch Check) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(ch.ID))
	return rand.New(rand.NewPCG(r.Seed, h.Sum64()))
}

// clean runs the cleanups, last first, each inside the budget. It does not wait
// for one that hangs.
func (c *C) clean(budget time.Duration) {
	c.mu.Lock()
	cleanups := c.cleanups
	c.cleanups = nil
	c.mu.Unlock()
	for _, f := range slices.Backward(cleanups) {
		ctx, cancel := context.WithTimeout(context.Background(), budget)
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { _ = recover() }() // a subject's cleanup may do anything
			_ = f(ctx)
		}()
		select {
		case <-done:
		case <-ctx.Done():
			timer := time.NewTimer(budget / 4)
			select {
			case <-done:
			case <-timer.C:
			}
			timer.Stop()
		}
		cancel()
	}
}
