package subjects

import (
	"context"
	"strings"

	"github.com/adaptercheck/adaptercheck/adapters/openclaw"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/openclaw"
)

// OpenClaw is the adapter of the OpenClaw gateway over a gateway that listens on the
// loopback and speaks the real one's protocol.
func OpenClaw() check.Subject {
	return check.Subject{
		Name: "openclaw",
		Offers: fakes.Features{
			fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.Money, fakes.TokenLimit,
			fakes.Retract, fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown,
			fakes.Refuse, fakes.SilentRun, fakes.CutStream, fakes.Approvals, fakes.Codec, fakes.Observers,
			fakes.UnknownFrames, fakes.MildErrors, fakes.LiveText, fakes.NativeSession, fakes.Connected, fakes.Reconnect,
		},
		Declares: check.Declarations{SecondStart: check.Refuses, Queue: check.Drop, Blocklist: check.Delivered},
		Runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return fake.New(ctx, fake.Options{Version: o.Version, Seed: o.Seed})
		},
		Executor: func(_ context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			a := openclaw.New(openclaw.Options{
				URL: at.URL, Token: variable(at.Env, fake.EnvToken), Agent: "main", PatchConfig: true, Grace: grace, Settle: grace,
				ApprovalTimeout: grace, ReconnectDelay: grace / 10, ReconnectBudget: 5 * grace,
				RequestTimeout: 15 * grace,
			})
			return &check.ExecutorInstance{Adapter: a, Close: a.Dispose}, nil
		},
	}
}

// variable is the value of a variable among name=value, empty where there is none.
func variable(env []string, name string) string {
	for _, e := range env {
		if value, is := strings.CutPrefix(e, name+"="); is {
			return value
		}
	}
	return ""
}
