package mutants

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// DefaultSeeds is under how many seeds a right adapter in this process is tried. One
// whose runtime is a process is tried under one, and so is a host, of which a seed decides
// its keys alone, and any under the checks in [Matrix.Once].
const DefaultSeeds = 50

// Options are the choices of a run. The zero value tries everything that a default
// matrix holds, from the seed 0.
type Options struct {
	// Profiles to try; nil means all that have mutants. The others are left out.
	Profiles []report.Profile
	// Full tries every check of the profile on each mutant, and not only the one
	// that must catch it.
	Full bool
	// Seed of everything random; the same seed gives the same matrix.
	Seed uint64
	// Seeds is under how many seeds right adapters in this process are tried, hosts apart;
	// 0 means [DefaultSeeds].
	Seeds int
	// Floods tries the checks that flood under every seed as well, which takes some
	// ten times as long.
	Floods bool
	// Timeout multiplies every budget; 0 is 1. A machine that is slow or busy needs
	// more time to tell a mutant that hangs from one that answers.
	Timeout float64
	// Parallel is how many subjects of one kind are tried at a time, at most; 0 means
	// a number that keeps the processors busy.
	Parallel int
	// Scratch is where the files of subjects are made; empty is a directory that Run
	// makes and removes, in memory where there is room.
	Scratch string
	// Progress, if not nil, is told how many checks of how many were executed. It is
	// called from one goroutine at a time and holds the run up while it runs.
	Progress func(done, total int)
}

// Run tries the wrong and the right adapters, profile by profile, and makes the
// matrix. It returns when everything that it started has ended or has used up its
// budget. The error is that of the context, if that ended first; there is no matrix
// then, as one that was cut short says nothing about what it does not hold.
//
// The runtime of some adapters is a process: this binary, started again. It must be
// able to play those fakes, see [fakes.Main] and [Mutant.Fake].
func Run(ctx context.Context, o Options) (Matrix, error) {
	var profiles []profile
	if o.Seeds <= 0 {
		o.Seeds = DefaultSeeds
	}
	if o.Scratch == "" {
		dir, remove, err := scratch()
		if err != nil {
			return Matrix{}, fmt.Errorf("try the mutants: %w", err)
		}
		defer remove()
		o.Scratch = dir
	}
	for _, p := range chosen(o.Profiles) {
		profiles = append(profiles, profile{conformance.Checks(p), beyond(), All(p), Right(p)})
	}
	return try(ctx, profiles, o)
}

// profile is what there is to try of one.
type profile struct {
	checks  []check.Check
	beyond  []check.Check // for the mutants that name them
	mutants []Mutant
	right   []Variant
}

// try is Run over the given checks and adapters.
func try(ctx context.Context, profiles []profile, o Options) (Matrix, error) {
	var jobs []*job
	tally := tally{progress: o.Progress}
	for _, p := range profiles {
		own, err := p.jobs(o)
		if err != nil {
			return Matrix{}, err
		}
		jobs = append(jobs, own...)
	}
	for _, j := range jobs {
		tally.total += len(j.checks)
	}
	for _, phase := range phases() {
		var lanes sync.WaitGroup
		for _, l := range phase {
			if o.Parallel > 0 {
				l.width = min(l.width, o.Parallel)
			}
			lanes.Go(func() { work(ctx, jobs, l, &tally) })
		}
		lanes.Wait()
	}
	if err := ctx.Err(); err != nil {
		return Matrix{}, fmt.Errorf("try the mutants: %w", err)
	}
	return judge(profiles, jobs, o), nil
}

// jobs are what is to be done: mutant by mutant, the check that must catch it first,
// then variant by variant, seed by seed. Every adapter has seeds of its own, counted
// up from the first: that tries more of them, and what checks make of a seed, such as
// a name, does not meet that of a check which runs at the same time.
func (p profile) jobs(o Options) ([]*job, error) {
	var jobs []*job
	seed := o.Seed
	for _, m := range p.mutants {
		catches := func(ch check.Check) bool { return ch.ID == m.Check }
		known := slices.Concat(p.checks, p.beyond)
		i := slices.IndexFunc(known, catches)
		if i < 0 {
			return nil, fmt.Errorf("mutant %s: there is no check %q", m.ID, m.Check)
		}
		checks := known[i : i+1]
		if o.Full {
			checks = slices.Concat(checks, slices.DeleteFunc(slices.Clone(p.checks), catches))
		}
		// Each check has a runner of its own: a mutant that hangs would use up the
		// patience of one, and what is seen of it would depend on the order.
		for i := range checks {
			s := m.Subject()
			jobs = append(jobs, &job{mutant: &m, runner: &check.Runner{Subject: s, Budgets: m.budgets(s).Scale(o.timeout()), Seed: seed, Scratch: o.Scratch}, checks: checks[i : i+1]})
		}
		seed++
	}
	for _, v := range p.right {
		s := v.Subject()
		seeds := max(o.Seeds, 1)
		if s.Elsewhere || s.Offers.Has(fakes.Process) || s.Host != nil {
			seeds = 1
		}
		for i := range seeds {
			for _, pace := range []pace{waits, works, floods} {
				var checks []check.Check
				for _, ch := range p.checks {
					if s.Elsewhere && ch.Flood {
						continue // from afar a flood is one of time, and of nothing else
					}
					if paceOf(ch, s) == pace && (i == 0 || !o.once(ch, s)) {
						checks = append(checks, ch)
					}
				}
				if len(checks) > 0 {
					s := v.Subject()
					jobs = append(jobs, &job{variant: &v, runner: &check.Runner{Subject: s, Budgets: v.budgets(s).Scale(o.timeout()), Seed: seed, Scratch: o.Scratch}, checks: checks})
				}
			}
			seed++
		}
	}
	return jobs, nil
}

func (o Options) timeout() float64 {
	if o.Timeout <= 0 {
		return 1
	}
	return o.Timeout
}

// once reports whether the check is tried on right adapters under one seed only.
func (o Options) once(ch check.Check, s check.Subject) bool {
	return paceOf(ch, s) == floods && !o.Floods
}

// job is some checks of one pace, one after the other, on one subject under one seed.
type job struct {
	mutant   *Mutant  // either this
	variant  *Variant // or this
	runner   *check.Runner
	checks   []check.Check
	outcomes []check.Outcome
}

// do executes the job's checks, as long as the context lasts.
func (j *job) do(ctx context.Context, t *tally) {
	for _, ch := range j.checks {
		if ctx.Err() != nil {
			return
		}
		out := j.runner.Execute(ctx, ch)
		out.Details = nil // content, which nobody reads here
		j.outcomes = append(j.outcomes, out)
		t.add()
	}
}

// work does the jobs of a lane and waits for them.
func work(ctx context.Context, jobs []*job, l lane, t *tally) {
	queue := make(chan *job)
	var workers sync.WaitGroup
	for range l.width {
		workers.Go(func() {
			for j := range queue {
				j.do(ctx, t)
			}
		})
	}
	for _, j := range jobs {
		if l.takes(j) {
			queue <- j // someone always takes it: without a context a job is nothing to do
		}
	}
	close(queue)
	workers.Wait()
}

// tally counts the checks that were executed.
type tally struct {
	mu          sync.Mutex
	done, total int
	progress    func(done, total int)
}

func (t *tally) add() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if t.progress != nil {
		t.progress(t.done, t.total)
	}
}
