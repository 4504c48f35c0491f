package subjects

import (
	"context"

	"github.com/adaptercheck/adaptercheck/adapters/codex"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/codex"
)

// Codex is the adapter of codex exec over a child process that prints what the
// real one prints.
//
// A refused start is not offered: the process has started by the time it refuses,
// which a start that waits for nothing cannot see. Nor are increments of text or a
// turn limit, which this wire does not have.
func Codex() check.Subject {
	return check.Subject{
		Name: "codex",
		Offers: fakes.Features{
			fakes.InitFrame, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.TokenLimit, fakes.TerminalFrame,
			fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown, fakes.SilentRun,
			fakes.CutStream, fakes.ExitCodes, fakes.Codec, fakes.Process, fakes.Observers, fakes.UnknownFrames,
			fakes.MildErrors,
		},
		Declares: check.Declarations{SecondStart: check.Refuses, Queue: check.Drop, Blocklist: check.Undeliverable},
		Runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return fake.New(ctx, fake.Options{Version: o.Version, Seed: o.Seed})
		},
		Executor: func(_ context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			a := codex.New(codex.Options{Command: at.Command, Env: at.Env, Home: at.Dir, Dir: at.Dir, Grace: grace})
			return &check.ExecutorInstance{Adapter: a, Close: a.Dispose}, nil
		},
	}
}
