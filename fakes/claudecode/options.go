package claudecode

import (
	"context"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// Name is the fake's name, as [fakes.EnvFake] carries it.
const Name = "claude-code"

// program is what this package adds to a child process.
func program() child.Program {
	return child.Program{Name: Name, File: "claude", Runs: runs, Playable: playable, Play: play}
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
	// Version of the CLI that is played; empty is 2.1.332. See [Versions].
	Version string
	// Seed of the ids that the fake makes up.
	Seed uint64
	// Wire is how the bytes of stdout are treated.
	Wire wire.Faults
	// Home is where [PlayScript] remembers sessions; empty is nowhere. A [Runtime] has
	// a place of its own.
	Home string
	// StdinWait is how long [PlayScript], with a prompt in argv, waits for the first
	// byte of a stdin that stays open; 0 is three seconds, as the CLI waits.
	StdinWait time.Duration
	// Recording, when not nil, is what each run prints instead of waiting for
	// frames: stdout of a real run. The run then exits with Exit, or waits for a
	// signal where WaitSignal is set. Its Emit is [fakes.ErrUnplayable].
	Recording  []byte
	Exit       int
	WaitSignal bool
}

// Runtime is the fake: it is told what the processes that an adapter starts shall
// say. A run begins with its first message, be it in argv or on stdin; its Begun has
// that text as Message, the session as Session, the session that was asked for as
// Resume, and what --disallowedTools names as Blocklist.
type Runtime = child.Runtime

// features is what `claude -p` has a form for.
var features = fakes.Features{
	fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.PartialInput, fakes.UsageFrames, fakes.Money, fakes.MaxTurns,
	fakes.TokenLimit, fakes.Retract, fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions,
	fakes.HealthDown, fakes.Refuse, fakes.SilentRun, fakes.CutStream, fakes.ExitCodes, fakes.Approvals, fakes.Steer, fakes.Codec,
	fakes.Process, fakes.UnknownFrames, fakes.MildErrors, fakes.LiveText, fakes.NativeSession, fakes.Nested,
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
