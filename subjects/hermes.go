package subjects

import (
	"context"
	"slices"

	"github.com/adaptercheck/adaptercheck/adapters/hermes"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/hermes"
)

// Hermes is the adapter of hermes chat in its quiet format, which every version has,
// over a child process that prints what the real one prints and writes the real one's
// database.
//
// The wire has an answer and, beside it, the name of the session, both at the end. So
// what is offered is what can be seen then, tools and spend among it, as the adapter
// reads them in the database. A refused start is not offered, as with [ClaudeCode].
func Hermes() check.Subject {
	return overHermes("hermes", hermes.FormatQuiet, hermesOffers)
}

// HermesStream is the adapter of hermes chat in its stream format, over a child
// process that prints what the real one prints and writes the real one's database.
//
// A refused start is not offered, as with [ClaudeCode].
func HermesStream() check.Subject {
	return overHermes("hermes-stream", hermes.FormatStream, append(fakes.Features{
		fakes.InitFrame, fakes.Deltas, fakes.LiveText, fakes.TerminalFrame, fakes.Framed, fakes.UnknownFrames,
	}, hermesOffers...))
}

// hermesOffers is what both formats show.
var hermesOffers = fakes.Features{
	fakes.Tools, fakes.UsageFrames, fakes.Money, fakes.TokenLimit, fakes.SecondRun, fakes.Sessions, fakes.NativeSession, fakes.StartOptions,
	fakes.HealthDown, fakes.SilentRun, fakes.CutStream, fakes.ExitCodes, fakes.Codec, fakes.Process, fakes.Observers,
}

func overHermes(name, format string, offers fakes.Features) check.Subject {
	return check.Subject{
		Name: name, Offers: offers,
		Declares: check.Declarations{SecondStart: check.Refuses, Queue: check.Drop, Blocklist: check.Undeliverable},
		Runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return fake.New(ctx, fake.Options{Version: o.Version, Seed: o.Seed})
		},
		Executor: func(_ context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			a := hermes.New(hermes.Options{
				Command: at.Command, Format: format, Home: at.Dir, Dir: at.Dir, Grace: grace,
				// Hermes waits so long for its tools before it obeys a signal; 1.5 s by itself.
				Env: slices.Concat(at.Env, []string{"HERMES_SIGTERM_GRACE=0.01"}),
			})
			return &check.ExecutorInstance{Adapter: a, Close: a.Dispose}, nil
		},
	}
}
