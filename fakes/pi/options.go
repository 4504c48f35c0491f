package pi

import (
	"context"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// Name is the fake's name, as [fakes.EnvFake] carries it.
const Name = "pi"

// program is what this package adds to a child process.
func program() child.Program {
	return child.Program{Name: Name, File: "pi", Runs: runs, Playable: playable, Play: play}
}

// runs reports whether a process is a run. Which options there are differs little
// between versions: the newest has the most.
func runs(args []string) bool {
	inv, err := parseArgs(args, versions[0])
	return err == nil && !inv.version && !inv.help
}

// Player lets a binary play this fake, see [fakes.Main].
func Player() fakes.Player { return program().Player() }

// Options of a fake. The zero value is the newest version that it knows.
type Options struct {
	// Version of the program that is played; empty is 1.6.0. See [Versions].
	Version string
	// Seed of the ids that the fake makes up.
	Seed uint64
	// Wire is how the bytes of stdout are treated.
	Wire wire.Faults
	// Home is where [PlayScript] keeps sessions; empty is nowhere. A [Runtime] has a
	// place of its own.
	Home string
	// Recording, when not nil, is what each run prints instead of waiting for frames,
	// after its prompt has come: stdout of a real run. The run then exits with Exit, or
	// waits for a signal where WaitSignal is set. Its Emit is [fakes.ErrUnplayable].
	Recording  []byte
	Exit       int
	WaitSignal bool
}

// Runtime is the fake: it is told what the processes that an adapter starts shall say. A
// run begins with the first prompt of a process. Its Begun has that text as Message, the
// session as Session, the id of the session that was gone on with as Resume, and what
// --model and --exclude-tools name as Model and Blocklist.
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

// features is what `pi --mode rpc` has a form for.
var features = fakes.Features{
	fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.PartialInput, fakes.UsageFrames, fakes.Money,
	fakes.TokenLimit, fakes.Retract, fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions,
	fakes.HealthDown, fakes.Refuse, fakes.SilentRun, fakes.CutStream, fakes.ExitCodes, fakes.Approvals, fakes.Steer, fakes.Codec,
	fakes.Process, fakes.UnknownFrames, fakes.MildErrors, fakes.LiveText, fakes.NativeSession,
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
