package executormutants

import (
	"context"
	"errors"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// codeMutants are wrong in a way that several checks must name: each check has one
// mutant for each such code, so that no code is only said to be found.
func codeMutants() []Mutant {
	errBroken := errors.New("broken")
	hangs := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	reasons := func(reason executor.Reason) twist {
		return aborted(func(e executor.Done) []executor.Event {
			e.Reason = reason
			return one(e)
		})
	}
	faults := map[check.Code]struct {
		note string
		t    twist
	}{
		"abort-hung": {"an abort never returns", aborts(func(ctx context.Context, _ *right, _ *executor.Run) error { return hangs(ctx) })},
		"abort-failed": {"an abort does its work and fails", aborts(func(ctx context.Context, r *right, run *executor.Run) error {
			return errors.Join(errBroken, r.adapter.Abort(ctx, run))
		})},
		"abort-not-sent":     {"an abort does nothing", aborts(func(context.Context, *right, *executor.Run) error { return nil })},
		"abort-without-done": {"an aborted run has no done", aborted(func(executor.Done) []executor.Event { return nil })},
		"abort-reason-wrong": {"an aborted run has failed", reasons(executor.ReasonError)},
		"done-missing":       {"no run has a done", drop(every[executor.Done])},
		"text-disordered":    {"gives pairs of increments in reverse", rewriting(swapped)},
		"usage-lost":         {"reports no spend", drop(every[executor.Cost])},
		"run-id-unbound":     {"never binds the handle", binds(func(_, _ *executor.Run, _ int) {})},
	}
	var all []Mutant
	for _, row := range []struct {
		check string
		codes []check.Code
	}{
		{"abort.unbound", []check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong"}},
		{"abort.twice", []check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong"}},
		{"abort.after-end", []check.Code{"abort-hung"}},
		{"abort.silent-runtime", []check.Code{"abort-not-sent", "abort-reason-wrong"}},
		{"abort.beats-success", []check.Code{"abort-hung", "abort-failed", "abort-not-sent", "abort-without-done"}},
		{"abort.own-session", []check.Code{"abort-hung", "abort-failed", "abort-not-sent", "abort-without-done", "abort-reason-wrong"}},
		{"abort.next-start", []check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong"}},
		{"abort.summary", []check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong"}},
		{"abort.open-calls", []check.Code{"abort-without-done", "abort-reason-wrong"}},
		{"sessions.fresh-run", []check.Code{"abort-hung", "abort-failed", "abort-reason-wrong"}},
		{"terminal.fatal-is-final", []check.Code{"done-missing"}},
		{"terminal.error-announced", []check.Code{"done-missing"}},
		{"terminal.late-frames", []check.Code{"done-missing"}},
		{"terminal.max-turns", []check.Code{"done-missing"}},
		{"terminal.token-limit", []check.Code{"done-missing"}},
		{"terminal.refusal", []check.Code{"done-missing"}},
		{"text.look-alike", []check.Code{"done-missing"}},
		{"text.nested", []check.Code{"done-missing"}},
		{"terminal.error-flag", []check.Code{"done-missing"}},
		{"terminal.summary", []check.Code{"done-missing"}},
		{"terminal.max-turns-summary", []check.Code{"done-missing"}},
		{"stream.ends", []check.Code{"done-missing"}},
		{"text.snapshots", []check.Code{"text-disordered"}},
		{"text.placed", []check.Code{"text-disordered"}},
		{"text.restated", []check.Code{"text-disordered"}},
		{"cost.numbers", []check.Code{"usage-lost"}},
		{"cost.unknown-money", []check.Code{"usage-lost"}},
		{"binding.native", []check.Code{"run-id-unbound"}},
		{"connected.handles", []check.Code{"abort-hung", "abort-failed", "abort-not-sent", "abort-without-done", "abort-reason-wrong"}},
	} {
		for _, code := range row.codes {
			f := faults[code]
			id := "c-" + strings.ReplaceAll(row.check, ".", "-") + "-" + string(code)
			var changes []change
			if strings.HasPrefix(row.check, "connected.") {
				changes = append(changes, connected)
			}
			all = append(all, mutant(id, "executor."+row.check, code, f.note, f.t, changes...))
		}
	}
	return append(all, oddCodes(errBroken, hangs)...)
}

// oddCodes are those codes that one check alone has.
func oddCodes(errBroken error, hangs func(context.Context) error) []Mutant {
	trimmed := says(strings.TrimSpace)
	health := func(f func(ctx context.Context, r *right) (executor.Health, error)) twist {
		return func(r *right) hooks {
			return hooks{health: func(ctx context.Context) (executor.Health, error) { return f(ctx, r) }}
		}
	}
	return []Mutant{
		mutant("c-health-down-never-well", "executor.health.down", "health-not-ok", "is never well, be the runtime up or down", health(func(context.Context, *right) (executor.Health, error) {
			return executor.Health{}, nil
		})),
		mutant("c-health-message-late", "executor.health.message-clean", "health-late", "waits for ever once something was said", health(func(ctx context.Context, _ *right) (executor.Health, error) {
			return executor.Health{}, hangs(ctx)
		})),
		mutant("c-health-message-rejects", "executor.health.message-clean", "health-rejected", "fails once something was said", health(func(context.Context, *right) (executor.Health, error) {
			return executor.Health{}, errBroken
		})),
		mutant("c-text-restated-trimmed", "executor.text.restated", "text-altered", "trims increments that are restated", trimmed),
		mutant("c-text-placed-trimmed", "executor.text.placed", "text-altered", "trims increments that name their place", trimmed),
		mutant("c-text-reconnect-disordered", "executor.text.reconnect", "text-disordered", "puts what comes after a reconnect before it", rewriting(func() func(executor.Event) []executor.Event {
			var first executor.Event
			return func(e executor.Event) []executor.Event {
				switch before := first; {
				case e.Kind() != executor.KindTextDelta:
					return one(e)
				case before == nil:
					first = e
					return nil
				default:
					return []executor.Event{e, before}
				}
			}
		})),
		mutant("c-text-reconnect-altered", "executor.text.reconnect", "text-altered", "ends what comes around a reconnect in a full stop of its own", says(func(s string) string { return s + "." })),
		mutant("c-whole-doubled", "executor.text.whole-message", "text-doubled", "gives a whole message twice", edit(func(e executor.TextDelta) []executor.Event {
			return []executor.Event{e, e}
		})),
		mutant("c-whole-altered", "executor.text.whole-message", "text-altered", "ends a whole message in a full stop of its own", says(func(s string) string { return s + "." })),
		mutant("c-usage-halved", "executor.cost.second-run", "usage-wrong", "shares the spend of a run between two", bills(func(e *executor.Cost) { e.Usage.InputTokens /= 2 })),
		mutant("c-truncated-text-lost", "executor.terminal.truncated", "text-lost", "drops what came before the wire was cut", hears(func(fakes.Delta) []fakes.Frame { return nil })),
		mutant("c-first-event-missing", "executor.binding.first-event", "first-event-missing", "says nothing before the run is over", rewrites(func(e executor.Event) []executor.Event {
			if e.Kind() == executor.KindDone {
				return one(e)
			}
			return nil
		})),
		mutant("c-key-hung", "executor.write-context.key-jailed", "write-context-hung", "never answers where it should refuse", func(r *right) hooks {
			return hooks{writeContext: func(ctx context.Context, run *executor.Run, key, value string) error {
				if strings.Contains(key, "..") {
					return hangs(ctx)
				}
				return r.adapter.WriteContext(ctx, run, key, value)
			}}
		}),
		mutant("c-clean-unserialized", "executor.codec.clean", "serialize-failed", "cannot write down a session that holds a secret", func(*right) hooks {
			return hooks{serialize: func(context.Context, *executor.Run) (string, error) { return "", errBroken }}
		}),
	}
}
