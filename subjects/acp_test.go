package subjects_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/acp"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Agents differ in how they tell of tools, of what is spent, and of what goes on.
func TestACPVersions(t *testing.T) {
	testVersions(t, subjects.ACP(), fake.Versions(), 30, "text", "tools", "cost", "codec", "terminal", "abort", "approval")
}

// handshake is how many lines an agent says before a run: the answers to initialize and
// session/new, the commands, and the answer to the request before the prompt.
const handshake = 4

// A chunk says what no other line does: one that is lost or comes twice is text that is.
// The agent waits for its client, also when its last line has no end yet.
func TestACPFaults(t *testing.T) {
	suffer(t, stage{
		runtime: func(ctx context.Context, f wire.Faults) (fakes.Runtime, error) {
			rt, err := fake.New(ctx, fake.Options{Seed: 1, Wire: f})
			unread := slices.ContainsFunc(f, func(x wire.Fault) bool { return x.Kind == wire.Unread && x.Frame < handshake })
			return hearing{rt, unread}, err
		},
		adapter: func(at fakes.Endpoint) disposable {
			a := acp.New(acp.Options{Command: at.Command, Dir: at.Dir, Grace: faultGrace, StartTimeout: 2 * time.Second})
			if at.URL == deaf {
				return &hasty{Adapter: a}
			}
			return a
		},
		frames: ten()[1:], // nothing is said of the begin of a turn
		before: handshake,
		ending: func(s spot) executor.Reason {
			switch {
			case s.is(wire.Unread) && s.place < 0: // nothing tells such an agent from a slow one
				return executor.ReasonAborted
			case s.is(wire.Stall, wire.Garble) && s.place < -2, s.is(wire.Coalesce, wire.NoFinalNewline) && s.place == -handshake:
				return executor.ReasonError // an answer does not come
			case s.is(wire.Stall) && s.place < s.end, s.is(wire.Coalesce) && s.place == s.last, s.is(wire.NoFinalNewline) && s.place < s.end:
				return executor.ReasonAborted
			case s.is(wire.Cut, wire.Close, wire.Exit) && s.place < s.end, s.is(wire.Garble) && s.place == s.last:
				return executor.ReasonError // the answer to the prompt is not read
			}
			return executor.ReasonSuccess
		},
		text: func(s spot, want, got string) bool {
			switch {
			case s.is(wire.Garble):
				return pieceOut(want, got)
			case s.is(wire.Duplicate):
				return pieceOut(got, want)
			}
			return got == want
		},
	})
}

// deaf is the address of an agent that does not hear of its run.
const deaf = "deaf"

// hearing tells whether the agent will hear of its run.
type hearing struct {
	fakes.Runtime
	unread bool
}

func (h hearing) Endpoint() fakes.Endpoint {
	at := h.Runtime.Endpoint()
	if h.unread {
		at.URL = deaf
	}
	return at
}

// hasty is an adapter that aborts each run, as no agent will hear of it.
type hasty struct{ *acp.Adapter }

func (h *hasty) Start(ctx context.Context, task executor.TaskHandle, opts executor.StartOpts) (*executor.Run, error) {
	run, err := h.Adapter.Start(ctx, task, opts)
	if err == nil {
		err = h.Abort(ctx, run)
	}
	return run, err
}
