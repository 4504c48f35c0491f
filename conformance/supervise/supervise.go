package supervise

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Options says how jobs are run. The zero value runs them one after the other in
// children of this very program, which must have a command worker.
type Options struct {
	// Self is the argument vector of a worker; nil is this program with the
	// argument worker.
	Self []string
	// Parallel is how many workers run at the same time; 0 is one.
	Parallel int
	// Grace is how long a worker that was told to stop has for its cleanups, and
	// how much beyond its budgets it may stay silent; 0 is five seconds.
	Grace time.Duration
	// Kill, when closed, takes away every grace: workers are killed at once.
	Kill <-chan struct{}
	// Progress, if not nil, is told what happens, one call at a time.
	Progress func(Event)
}

// EventKind says what happened.
type EventKind string

// The closed set of events. Each job has Began first and Ended last.
const (
	Began        EventKind = "began"
	CheckStarted EventKind = "check-started"
	CheckEnded   EventKind = "check-ended"
	Ended        EventKind = "ended"
)

// Event is progress of one job.
type Event struct {
	Kind EventKind
	// Index of the job in the list.
	Index int
	Job   Job
	// Checks is how many checks the job has selected.
	Checks int
	// Check is the id, for CheckStarted and CheckEnded.
	Check string
	// Outcome is set for CheckEnded.
	Outcome check.Outcome
	// Result is set for Ended.
	Result Result
}

// Result is what one job came to.
type Result struct {
	Job Job
	// Outcomes of the checks that ended, and of the one that was running when the
	// worker was lost, in that order.
	Outcomes []check.Outcome
	// Cut says why the run ended early; nil if it did not.
	Cut *report.Cut
	// Breaches counts the lines of a subject's process that broke its protocol, by
	// code.
	Breaches map[remote.Breach]int
	// Err says why in words that are for the local user only.
	Err error
	// Stderr is the end of what the worker printed, or the subject's process if that
	// was lost. It may hold content.
	Stderr string
}

// Supervise runs the jobs and returns their results in the order of the jobs. When
// ctx ends, the workers are told to stop and what they found so far is returned;
// jobs that had not begun are cut as interrupted. No worker outlives the call.
func Supervise(ctx context.Context, jobs []Job, o Options) []Result {
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	s := &supervisor{options: o}
	results := make([]Result, len(jobs))
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, min(o.Parallel, len(jobs))) {
		workers.Go(func() {
			for i := range next {
				results[i] = s.job(ctx, i, jobs[i])
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

type supervisor struct {
	options Options
	mu      sync.Mutex // held while Progress is told
}

func (s *supervisor) tell(e Event) {
	if s.options.Progress == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Progress(e)
}

// job runs one job from first to last event.
func (s *supervisor) job(ctx context.Context, index int, j Job) Result {
	event := Event{Index: index, Job: j}
	r := Result{Job: j}
	selected, err := selection(j)
	if err != nil {
		r.Cut, r.Err = &report.Cut{Reason: report.CutNothingFound}, err
	}
	event.Checks = len(selected)
	event.Kind = Began
	s.tell(event)
	if err == nil {
		r = s.work(ctx, j, newLedger(selected, j.Process != nil), func(kind EventKind, id string, o check.Outcome) {
			e := event
			e.Kind, e.Check, e.Outcome = kind, id, o
			s.tell(e)
		})
	}
	event.Kind, event.Result = Ended, r
	s.tell(event)
	return r
}

func selection(j Job) ([]check.Check, error) {
	if err := j.validate(); err != nil {
		return nil, err
	}
	return j.Selection.Of(conformance.Checks(j.Profile))
}

// self is the worker's argument vector.
func (o Options) self() ([]string, error) {
	if len(o.Self) > 0 {
		return o.Self, nil
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return []string{program, "worker"}, nil
}
