package subjects

import (
	"context"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/claudecode"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/claudecode"
)

// ClaudeCode is the adapter of claude -p over a child process that prints what the
// real one prints and obeys what the real one obeys.
//
// A refused start is not offered: the process has started by the time it refuses,
// which a start that waits for nothing cannot see.
func ClaudeCode() check.Subject {
	return check.Subject{
		Name: "claude-code",
		Offers: fakes.Features{
			fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.PartialInput, fakes.UsageFrames, fakes.Money,
			fakes.MaxTurns, fakes.TokenLimit, fakes.Retract, fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions,
			fakes.StartOptions, fakes.HealthDown, fakes.SilentRun, fakes.CutStream, fakes.ExitCodes, fakes.Approvals, fakes.Steer,
			fakes.Codec, fakes.Process, fakes.Observers, fakes.UnknownFrames, fakes.MildErrors,
			fakes.LiveText, fakes.NativeSession, fakes.Nested,
		},
		Declares: check.Declarations{SecondStart: check.Refuses, Queue: check.Drop, Blocklist: check.Delivered},
		Runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return fake.New(ctx, fake.Options{Version: o.Version, Seed: o.Seed})
		},
		Executor: func(_ context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			a := claudecode.New(claudecode.Options{
				Command: at.Command, Env: at.Env, Home: at.Dir, Dir: at.Dir, Grace: grace, ApprovalTimeout: time.Second,
				Args: []string{"--forward-subagent-text"}, // so that it can be seen that this is no answer
			})
			return &check.ExecutorInstance{Adapter: a, Close: a.Dispose}, nil
		},
	}
}
