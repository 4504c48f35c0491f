package appserver

import (
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
)

// window is how many tokens the model takes.
const window = 258400

// Usage tells what a call of the model has spent, and ends what it said.
func (r *renderer) Usage(f fakes.Usage) error {
	if r.quiet() {
		return nil
	}
	t := r.current()
	if err := r.settle(t); err != nil {
		return err
	}
	t.speaking = false
	before := t.of.spent
	t.of.spent.Count(f)
	last := thread.Totals{}
	if f.Kind == fakes.UsageTotal { // the difference is what the call has spent
		last = since(before, t.of.spent)
	} else {
		last.Count(fakes.Usage{In: f.In, Out: f.Out, CacheRead: f.CacheRead, CacheWrite: f.CacheWrite, Reasoning: f.Reasoning})
	}
	t.of.record.Last = last
	if err := r.save(t.of); err != nil {
		return err
	}
	if err := r.tell("thread/tokenUsage/updated", usageUpdated{t.of.id, t.id, usageOf(t.of.spent, last)}); err != nil {
		return err
	}
	return r.rateLimits()
}

func (r *renderer) rateLimits() error {
	return r.tell("account/rateLimits/updated", rateLimitsUpdated{rateLimits{ID: "codex"}})
}

// since is what was spent from one total to the next.
func since(before, now thread.Totals) thread.Totals {
	return thread.Totals{
		Input: max(now.Input-before.Input, 0), Cached: max(now.Cached-before.Cached, 0), CacheWrite: max(now.CacheWrite-before.CacheWrite, 0),
		Output: max(now.Output-before.Output, 0), Reasoning: max(now.Reasoning-before.Reasoning, 0),
	}
}

func usageOf(total, last thread.Totals) tokenUsage {
	count := func(t thread.Totals) tokenCount {
		return tokenCount{t.Input + t.Output, t.Input, t.Cached, t.CacheWrite, t.Output, t.Reasoning}
	}
	return tokenUsage{count(total), count(last), window}
}
