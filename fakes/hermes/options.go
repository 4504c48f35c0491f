package hermes

import (
	"context"
	"slices"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// Name is the fake's name, as [fakes.EnvFake] carries it.
const Name = "hermes"

// program is what this package adds to a child process.
func program() child.Program {
	return child.Program{
		Name: Name,
		File: "hermes",
		Runs: func(args []string) bool {
			inv, err := parseArgs(args, versions[0])
			return err == nil && inv.asks()
		},
		Playable: playable,
		Play:     play,
	}
}

// Player lets a binary play this fake, see [fakes.Main].
func Player() fakes.Player { return program().Player() }

// Options of a fake. The zero value is the newest version that it knows.
type Options struct {
	// Version of the program that is played; empty is 0.21.5. See [Versions].
	Version string
	// Seed of the ids that the fake makes up.
	Seed uint64
	// Wire is how the bytes of stdout are treated. The answer of a quiet run is one frame.
	Wire wire.Faults
	// Recording, when not nil, is what each run prints instead of waiting for
	// frames: stdout of a real run. The run then exits with Exit, or waits for a
	// signal where WaitSignal is set. Its Emit is [fakes.ErrUnplayable].
	Recording  []byte
	Exit       int
	WaitSignal bool
}

// Runtime is the fake: it is told what the processes that an adapter starts shall
// say. A run's Begun has the prompt as Message, the session as Session, and as Resume the
// one that was asked for, be it by id, by title or as the last. A process that was asked
// for neither -Q nor stream-json has a breach "no-quiet" as its first call.
type Runtime = child.Runtime

// features is what the quiet wire and state.db have a form for.
var features = fakes.Features{
	fakes.InitFrame, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.Money, fakes.TokenLimit, fakes.SecondRun,
	fakes.Sessions, fakes.StartOptions, fakes.HealthDown, fakes.Refuse, fakes.SilentRun, fakes.CutStream, fakes.ExitCodes,
	fakes.Codec, fakes.NativeSession, fakes.Process,
}

// streamFeatures is what stream-json has a form for besides.
var streamFeatures = fakes.Features{fakes.Deltas, fakes.TerminalFrame, fakes.Framed, fakes.UnknownFrames, fakes.LiveText}

func (v version) features() fakes.Features {
	if !v.streamJSON {
		return features
	}
	return slices.Concat(features, streamFeatures)
}

// New makes a fake. The context bounds the call. It fails for an unknown version, for
// faults of the wire that are none, and in a binary that cannot play the fake (see
// [fakes.Startable]).
func New(ctx context.Context, o Options) (*Runtime, error) {
	v, err := versionOf(o.Version)
	if err != nil {
		return nil, err
	}
	return child.New(ctx, program(), v.features(), o.start())
}

func (o Options) start() child.Start {
	start := child.Start{Version: o.Version, Seed: o.Seed, Wire: o.Wire}
	if o.Recording != nil {
		start.Replay = &child.Recording{Stdout: o.Recording, Exit: o.Exit, WaitSignal: o.WaitSignal}
	}
	return start
}
