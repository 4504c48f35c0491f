package appserver

import (
	"context"
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// Name is the fake's name, as [fakes.EnvFake] carries it.
const Name = "codex-app-server"

// program is what this package adds to a child process.
func program() child.Program {
	return child.Program{
		Name: Name,
		File: "codex",
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

// Options of a fake. The zero value is the newest version that it knows.
type Options struct {
	// Version of the program that is played; empty is 0.171.0. See [Versions].
	Version string
	// Seed of the ids that the fake makes up.
	Seed uint64
	// Wire is how the bytes of stdout are treated.
	Wire wire.Faults
	// Home is where [PlayScript] remembers threads; empty is nowhere. A [Runtime] has a
	// place of its own.
	Home string
	// Recording, when not nil, is what each run prints instead of waiting for frames:
	// stdout of a real run, in step with what the client asks and answers. The run exits
	// with Exit when its input has ended, or waits for a signal where WaitSignal is set.
	// Its Emit is [fakes.ErrUnplayable].
	Recording  []byte
	Exit       int
	WaitSignal bool
}

// Runtime is the fake: it is told what the processes that an adapter starts shall say. A
// run begins with the first turn/start of a process. Its Begun has the text of the input
// as Message, the thread as Session, the thread that was asked for as Resume, and what
// turn/start or the thread's own request name as Model and Dir.
type Runtime struct{ *child.Runtime }

// Next returns the next run that has begun, which is a [*Run].
func (rt *Runtime) Next(ctx context.Context) (fakes.Run, error) {
	run, err := rt.Runtime.Next(ctx)
	if err != nil {
		return nil, err
	}
	return &Run{run}, nil
}

// Run is one process from its first turn on.
type Run struct{ fakes.Run }

// Emit lets the process say the frames. The receipt names the thread: its id is the
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

// features is what `codex app-server` has a form for.
var features = fakes.Features{
	fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.TokenLimit, fakes.Retract,
	fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown, fakes.Refuse,
	fakes.SilentRun, fakes.CutStream, fakes.ExitCodes, fakes.Approvals, fakes.Steer, fakes.Codec, fakes.Process,
	fakes.UnknownFrames, fakes.MildErrors, fakes.LiveText, fakes.NativeSession,
}

// New makes a fake. The context bounds the call. It fails for an unknown version, for
// faults of the wire that are none, and in a binary that cannot play the fake (see
// [fakes.Startable]).
func New(ctx context.Context, o Options) (*Runtime, error) {
	if _, err := versionOf(o.Version); err != nil {
		return nil, err
	}
	rt, err := child.New(ctx, program(), features, o.start())
	if err != nil {
		return nil, err
	}
	return &Runtime{rt}, nil
}

func (o Options) start() child.Start {
	start := child.Start{Version: o.Version, Seed: o.Seed, Wire: o.Wire}
	if o.Recording != nil {
		start.Replay = &child.Recording{Stdout: o.Recording, Exit: o.Exit, WaitSignal: o.WaitSignal}
	}
	return start
}

// Versions lists the versions that can be played, newest first.
func Versions() []string { return []string{"0.171.0"} }

func versionOf(name string) (string, error) {
	switch {
	case name == "":
		return Versions()[0], nil
	case slices.Contains(Versions(), name):
		return name, nil
	}
	return "", fmt.Errorf("fake %s: unknown version %q, want one of %q", Name, name, Versions())
}
