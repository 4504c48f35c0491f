package subjects

import (
	"context"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/codex"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
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
			fakes.InitFrame, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.TokenLimit, fakes.Retract, fakes.TerminalFrame,
			fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown, fakes.SilentRun,
			fakes.CutStream, fakes.ExitCodes, fakes.Codec, fakes.Process, fakes.Observers, fakes.UnknownFrames,
			fakes.MildErrors, fakes.LiveText, fakes.NativeSession,
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

// CodexAppServer is the same adapter in its other mode: codex app-server over a child
// process that says what the real one says, asks what it asks and obeys what it obeys.
//
// A refused start is not offered, as with [Codex]. Nor is a turn limit, which this wire
// does not have either.
func CodexAppServer() check.Subject {
	return check.Subject{
		Name: "codex-app-server",
		Offers: fakes.Features{
			fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.TokenLimit, fakes.Retract,
			fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown,
			fakes.SilentRun, fakes.CutStream, fakes.ExitCodes, fakes.Approvals, fakes.Steer, fakes.Codec, fakes.Process,
			fakes.Observers, fakes.UnknownFrames, fakes.MildErrors, fakes.LiveText, fakes.NativeSession,
		},
		Declares: check.Declarations{SecondStart: check.Refuses, Queue: check.Drop, Blocklist: check.Undeliverable},
		Runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return appserver.New(ctx, appserver.Options{Version: o.Version, Seed: o.Seed})
		},
		Executor: func(_ context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			a := codex.New(codex.Options{
				Mode: codex.ModeAppServer, Command: at.Command, Env: at.Env, Home: at.Dir, Dir: at.Dir,
				Grace: grace, ApprovalTimeout: time.Second,
			})
			return &check.ExecutorInstance{Adapter: a, Close: a.Dispose}, nil
		},
	}
}
