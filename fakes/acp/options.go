package acp

import (
	"context"
	"slices"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// Name is the fake's name, as [fakes.EnvFake] carries it.
const Name = "acp"

// program is what this package adds to a child process.
func program() child.Program {
	return child.Program{
		Name: Name,
		File: "acp-agent",
		Runs: func(args []string) bool {
			command, err := parseArgs(args)
			return err == nil && command == cmdServe
		},
		Playable: playable,
		Play:     play,
	}
}

// Player lets a binary play this fake, see [fakes.Main].
func Player() fakes.Player { return program().Player() }

// Options of a fake. The zero value is the first agent of [Versions].
type Options struct {
	// Version is the agent that is played, with its version; empty is the first of
	// [Versions].
	Version string
	// Seed of the ids that the fake makes up.
	Seed uint64
	// Wire is how the bytes of stdout are treated.
	Wire wire.Faults
	// Home is where [PlayScript] remembers sessions; empty is nowhere, and there no
	// session is unknown. A [Runtime] has a place of its own.
	Home string
	// Recording, when not nil, is what each run prints instead of waiting for frames:
	// stdout of a real agent, in step with what the client asks and answers. The run
	// exits with Exit when its input has ended. Its Emit is [fakes.ErrUnplayable].
	Recording []byte
	Exit      int
}

// Runtime is the fake: it is told what the processes that an adapter starts shall say. A
// run begins with the first session/prompt of a process. Its Begun has the text of the
// prompt as Message, the session as Session, the one that was loaded as Resume, and what
// the client chose as Model and Dir.
type Runtime struct{ *child.Runtime }

// Next returns the next run that has begun, which is a [*Run].
func (rt *Runtime) Next(ctx context.Context) (fakes.Run, error) {
	run, err := rt.Runtime.Next(ctx)
	if err != nil {
		return nil, err
	}
	return &Run{run}, nil
}

// Run is one process from its first prompt on.
type Run struct{ fakes.Run }

// Emit lets the process say the frames. The receipt names the session: its id is the
// process's own choice.
func (r *Run) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	receipt, err := r.Run.Emit(ctx, frames...)
	if err == nil {
		receipt.Session = r.Begun().Session
	}
	return receipt, err
}

// Strikes lists the faults of the wire that took effect by the end of the last Emit.
func (r *Run) Strikes() []wire.Strike {
	if struck, is := r.Run.(interface{ Strikes() []wire.Strike }); is {
		return struck.Strikes()
	}
	return nil
}

// features is what every agent has a form for.
var features = fakes.Features{
	fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.MaxTurns, fakes.TokenLimit, fakes.TerminalFrame, fakes.Framed,
	fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown, fakes.Refuse, fakes.SilentRun, fakes.CutStream,
	fakes.ExitCodes, fakes.Approvals, fakes.Codec, fakes.Process, fakes.UnknownFrames, fakes.LiveText, fakes.NativeSession,
}

// New makes a fake. The context bounds the call. It fails for an unknown version, for
// faults of the wire that are none, and in a binary that cannot play the fake (see
// [fakes.Startable]).
func New(ctx context.Context, o Options) (*Runtime, error) {
	a, err := agentOf(o.Version)
	if err != nil {
		return nil, err
	}
	able := slices.Clone(features)
	if a.bills {
		able = append(able, fakes.UsageFrames, fakes.Money)
	}
	rt, err := child.New(ctx, program(), able, o.start())
	if err != nil {
		return nil, err
	}
	return &Runtime{rt}, nil
}

func (o Options) start() child.Start {
	start := child.Start{Version: o.Version, Seed: o.Seed, Wire: o.Wire}
	if o.Recording != nil {
		start.Replay = &child.Recording{Stdout: o.Recording, Exit: o.Exit}
	}
	return start
}
