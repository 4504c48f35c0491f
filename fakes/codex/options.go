package codex

import (
	"context"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// Name is the fake's name, as [fakes.EnvFake] carries it.
const Name = "codex"

// program is what this package adds to a child process.
func program() child.Program {
	return child.Program{
		Name: Name,
		File: "codex",
		Runs: func(args []string) bool {
			inv, err := parseArgs(args)
			return err == nil && inv.command == cmdExec
		},
		Playable: func(_ string, frames []fakes.Frame) error { return playable(frames) },
		Play:     play,
	}
}

// Player lets a binary play this fake, see [fakes.Main].
func Player() fakes.Player { return program().Player() }

// Options of a fake. The zero value is the newest version that it knows.
type Options struct {
	// Version of the CLI that is played; empty is 0.171.0. See [Versions].
	Version string
	// Seed of the ids that the fake makes up.
	Seed uint64
	// Wire is how the bytes of stdout are treated.
	Wire wire.Faults
	// Home is where [PlayScript] remembers threads; empty is nowhere. A [Runtime] has a
	// place of its own.
	Home string
	// Recording, when not nil, is what each run prints instead of waiting for
	// frames: stdout of a real run. The run then exits with Exit, or waits for a
	// signal where WaitSignal is set. Its Emit is [fakes.ErrUnplayable].
	Recording  []byte
	Exit       int
	WaitSignal bool
}

// Runtime is the fake: it is told what the processes that an adapter starts shall
// say. A run's Begun has the prompt, with what stdin added to it, as Message, the
// thread as Session, and as Resume the thread that was asked for, also where the
// process began another. A process that was not asked for --json has a breach
// "no-json" as its first call.
type Runtime = child.Runtime

// features is what `codex exec` has a form for.
var features = fakes.Features{
	fakes.InitFrame, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.TokenLimit, fakes.Retract,
	fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown, fakes.Refuse,
	fakes.SilentRun, fakes.CutStream, fakes.ExitCodes, fakes.Codec, fakes.Process, fakes.UnknownFrames,
	fakes.MildErrors, fakes.LiveText, fakes.NativeSession,
}

// New makes a fake. The context bounds the call. It fails for an unknown version, for
// faults of the wire that are none, and in a binary that cannot play the fake (see
// [fakes.Startable]).
func New(ctx context.Context, o Options) (*Runtime, error) {
	if _, err := versionOf(o.Version); err != nil {
		return nil, err
	}
	return child.New(ctx, program(), features, o.start())
}

func (o Options) start() child.Start {
	start := child.Start{Version: o.Version, Seed: o.Seed, Wire: o.Wire}
	if o.Recording != nil {
		start.Replay = &child.Recording{Stdout: o.Recording, Exit: o.Exit, WaitSignal: o.WaitSignal}
	}
	return start
}
