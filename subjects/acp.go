package subjects

import (
	"context"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/acp"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/acp"
)

// ACP is the adapter of agents of the Agent Client Protocol over a child process that
// says what recorded agents say, asks what they ask and obeys what they obey.
//
// A refused start is not offered, as with [Codex]. Nor are a first life sign of a turn,
// text that is taken back, and errors that do not end a turn, which this wire does not
// have.
func ACP() check.Subject {
	return check.Subject{
		Name: "acp",
		Offers: fakes.Features{
			fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.Money, fakes.MaxTurns, fakes.TokenLimit,
			fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown,
			fakes.SilentRun, fakes.CutStream, fakes.ExitCodes, fakes.Approvals, fakes.Codec, fakes.Process, fakes.Observers,
			fakes.UnknownFrames, fakes.LiveText, fakes.NativeSession,
		},
		Declares: check.Declarations{SecondStart: check.Refuses, Queue: check.Drop, Blocklist: check.Undeliverable},
		Runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return fake.New(ctx, fake.Options{Version: o.Version, Seed: o.Seed})
		},
		Executor: func(_ context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			a := acp.New(acp.Options{Command: at.Command, Env: at.Env, Dir: at.Dir, Grace: grace, ApprovalTimeout: time.Second, HealthTimeout: 2 * time.Second})
			return &check.ExecutorInstance{Adapter: a, Close: a.Dispose}, nil
		},
	}
}
