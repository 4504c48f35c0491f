package supervise

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// process runs the job for a subject that is a process of its own. The process ends
// with the job or with ctx, whichever is first.
func (w Worker) process(ctx context.Context, job Job, to *sender) (err error) {
	var trace io.Writer
	if job.Process.Trace != "" {
		file, err := CreateTrace(job.Process.Trace)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // a trace is no reason to fail
		trace = file
	}
	s, p, err := job.Process.Start(ctx, w.Fakes, trace)
	if err != nil {
		lost := &lostSubject{Reason: report.CutNotStarted, Why: tidy(err.Error())}
		if e, ok := errors.AsType[*remote.Error](err); ok {
			lost.Stderr = tidy(e.Stderr)
		}
		to.say(message{Lost: lost})
		to.say(message{Finished: true})
		return to.failed()
	}
	// A check that waits for the subject ends with it.
	stop := context.AfterFunc(ctx, func() { _ = p.Close(context.Background()) })
	defer stop()
	seen := &processGuard{process: p, to: to, ctx: ctx}
	err = w.suite(s, job, to, seen)
	seen.look()
	err = errors.Join(err, p.Close(context.Background()))
	if err != nil {
		return err
	}
	if counts := breaches(maps.Clone(p.Breaches())); len(counts) > 0 {
		to.say(message{Breaches: counts})
	}
	to.say(message{Finished: true})
	return to.failed()
}

// processGuard sees the end of a subject's process. The check that it did not
// survive has no judgement, and there is none after it.
type processGuard struct {
	ctx     context.Context
	process *remote.Process
	to      *sender
	told    bool
}

func (g *processGuard) before() bool {
	if g.ctx.Err() != nil {
		return false
	}
	return !g.look()
}

func (g *processGuard) after(o check.Outcome) check.Outcome {
	if !g.gone() {
		return g.masked(o)
	}
	return check.Outcome{ID: o.ID, State: report.InconclusiveCheck, Took: o.Took}
}

// masked takes the values of variables that were passed on out of the texts of an
// outcome, which quote the subject.
func (g *processGuard) masked(o check.Outcome) check.Outcome {
	o.Details = slices.Clone(o.Details)
	for i, d := range o.Details {
		o.Details[i] = g.process.Mask(d)
	}
	if o.Fault != nil {
		o.Fault = errors.New(g.process.Mask(o.Fault.Error()))
	}
	return o
}

func (g *processGuard) gone() bool {
	select {
	case <-g.process.Done():
		return true
	default:
		return false
	}
}

// look reports whether the process is gone, and says so once.
func (g *processGuard) look() bool {
	if !g.gone() {
		return false
	}
	if !g.told && g.ctx.Err() == nil {
		g.told = true
		text, _ := g.process.Stderr()
		g.to.say(message{Lost: &lostSubject{Reason: report.CutWorkerDied, Why: "its process ended before the run did: " + g.process.Exit(), Stderr: tidy(text)}})
	}
	return true
}
