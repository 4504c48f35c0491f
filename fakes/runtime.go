package fakes

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Runtime is a fake runtime that one adapter talks to.
type Runtime interface {
	// Endpoint tells an adapter how to reach the fake.
	Endpoint() Endpoint
	// Next returns the next run that the adapter started, in order of arrival. It
	// waits for one or for ctx.
	Next(ctx context.Context) (Run, error)
	// Fault makes the runtime as a whole misbehave. A fault that this fake cannot
	// play is [ErrUnplayable].
	Fault(ctx context.Context, f Fault) error
	// Residue counts what the adapter holds of the runtime now.
	Residue() Residue
	// Features lists what the fake can play.
	Features() Features
	// Close ends the fake and everything it started, and waits for it.
	Close() error
}

// Run is one run as the runtime sees it.
type Run interface {
	// Begun returns what arrived when the run started. A call without a method says
	// that this fake does not show starts.
	Begun() Call
	// Emit lets the runtime say the frames, in order, in its native wire. It
	// returns when they have left the fake, whether or not anybody reads them; the
	// receipt says what left. A frame that this fake cannot render is
	// [ErrUnplayable], and nothing of the call leaves.
	Emit(ctx context.Context, frames ...Frame) (Receipt, error)
	// Fault makes this run misbehave.
	Fault(ctx context.Context, f Fault) error
	// Calls returns what arrived since the start, in order: signals, cancels,
	// model changes, context, answers. The slice is the caller's.
	Calls() []Call
	// Gone waits until the adapter has let go of the run: it unsubscribed, closed
	// the connection, or the process is gone and reaped.
	Gone(ctx context.Context) error
}

// ErrUnplayable is returned for a frame or a fault that has no meaning at a fake's
// wire. A check that needs it declares the feature, so that it is never reached.
var ErrUnplayable = errors.New("unplayable: the fake's wire has no such thing")

// FrameError is a frame that a fake cannot play.
type FrameError struct {
	// Index of the frame among those of the call or the script, from 0.
	Index int
	// Word of the frame.
	Word string
	// Err says why. It wraps [ErrUnplayable].
	Err error
}

// Error names the frame and says why.
func (e *FrameError) Error() string { return fmt.Sprintf("frame %d (%s): %v", e.Index, e.Word, e.Err) }

// Unwrap returns Err.
func (e *FrameError) Unwrap() error { return e.Err }

// ErrClosed is returned by a fake after Close.
var ErrClosed = errors.New("closed: the fake has ended")

// ErrGone is returned for a run that can say nothing more: its process has ended, or
// nobody is connected.
var ErrGone = errors.New("gone: the run has ended")

// Endpoint is what an adapter is given to reach a fake. Fields that a wire does
// not have are empty.
type Endpoint struct {
	// Command is the program to start, for runtimes that are processes.
	Command []string
	// URL is the address to connect to, for runtimes that listen.
	URL string
	// Env holds variables the adapter must set, as name=value.
	Env []string
	// Dir is the directory that the runtime treats as its own home.
	Dir string
}

// Residue counts what an adapter still holds.
type Residue struct {
	Subscribers int // observers of the runtime's own stream
	Children    int // processes that are not reaped
	Connections int // open sockets
	Files       int // temporary files
	// Sight says how much of this could be counted.
	Sight Sight
}

// Sight is how much of what an adapter holds a fake can count.
type Sight int

// The closed set of sights.
const (
	// SightWhole: everything that the wire has.
	SightWhole Sight = iota
	// SightProcess: fake and adapter live in another process, and what that process
	// holds is counted: children and files, the fake's own among them.
	SightProcess
	// SightNone: nothing.
	SightNone
)

// Zero reports whether nothing that was counted is held.
func (r Residue) Zero() bool { return r.Subscribers+r.Children+r.Connections+r.Files == 0 }

// Receipt says what left the fake.
type Receipt struct {
	Frames int   // native frames, whole ones
	Bytes  int64 // bytes on the wire; 0 for fakes without bytes
	// Session is the native session id of the run where the runtime chooses it by
	// itself, whatever [Init] says; else empty.
	Session string
}

// Method says what kind of thing arrived at a fake.
type Method string

// The closed set of methods. One name serves all wires, so that a check can ask
// "was it cancelled" without knowing how.
const (
	MethodStart    Method = "start"     // a run began
	MethodCancel   Method = "cancel"    // the run or its session was told to stop, by signal or by request
	MethodSetModel Method = "set-model" // another model was asked for
	MethodContext  Method = "write-context"
	MethodAnswer   Method = "answer"    // an approval question was answered
	MethodInput    Method = "input"     // further input: a stdin line, a steered message
	MethodInputEnd Method = "input-end" // the input was closed
	MethodTool     Method = "tool"      // a tool of the adapter's own was called; Value is the id of the call
	MethodBreach   Method = "breach"    // the adapter broke the runtime's protocol; Code says how
)

// Call is one thing that arrived at a fake. Only the fields that the method has
// are set. It may hold content and secrets: it is for checks, never for reports.
type Call struct {
	Method Method
	// Session is the runtime's view of the session, Run its run id; empty where
	// the wire does not carry them.
	Session string
	Run     string

	Message   string   // start: the prompt as it arrived, context included
	Model     string   // start, set-model
	Blocklist []string // start: tools the runtime was told not to offer
	Agent     string   // start
	Resume    string   // start: native session id that was asked for
	Args      []string // start of a process: argv without the program
	Env       []string // start of a process: names of environment variables, sorted
	Dir       string   // start of a process: working directory

	Key   string // write-context
	Value string // write-context, input, tool

	Question string // answer: id of the question
	Allow    bool   // answer

	Signal string // cancel of a process: INT, TERM, KILL, HUP
	Code   string // breach: a closed code
}

// Fault is a way in which a runtime misbehaves.
type Fault struct {
	Kind FaultKind
	// Delay is milliseconds, for kinds that wait.
	Delay int
}

// FaultKind names a fault.
type FaultKind string

// The closed set of faults.
const (
	// FaultDown: the runtime cannot be reached; health says so.
	FaultDown FaultKind = "down"
	// FaultRefuse: the next start is refused.
	FaultRefuse FaultKind = "refuse"
	// FaultSlow: every answer takes Delay milliseconds.
	FaultSlow FaultKind = "slow"
	// FaultSilent: the run says nothing more, also when it is cancelled.
	FaultSilent FaultKind = "silent"
	// FaultDeaf: the run ignores being told to stop.
	FaultDeaf FaultKind = "deaf"
	// FaultCut: the stream ends without a terminal frame.
	FaultCut FaultKind = "cut"
	// FaultHold: the run does not begin to speak by itself on cancel; the script
	// says what follows.
	FaultHold FaultKind = "hold"
	// FaultTorn: what the run says from now on leaves byte by byte.
	FaultTorn FaultKind = "torn"
	// FaultCRLF: lines of the run end with CR LF from now on.
	FaultCRLF FaultKind = "crlf"
	// FaultHeld: a descendant keeps the output of the run open when its process ends.
	FaultHeld FaultKind = "held"
	// FaultUp: a runtime that was down can be reached again.
	FaultUp FaultKind = "up"
	// FaultDrop: every connection to the runtime ends. Its runs go on, and what they say
	// meanwhile nobody hears; clients may connect again, unless the runtime is down too.
	FaultDrop FaultKind = "drop"
	// FaultRestart: the runtime stops and starts again. Every connection ends, and the
	// runs that were live are lost; one that is told to speak is [ErrGone].
	FaultRestart FaultKind = "restart"
	// FaultLose: what the run says with its next Emit does not arrive, though connections
	// go on; what arrives after it shows that something is missing.
	FaultLose FaultKind = "lose"
	// FaultSwallow: runs begin from now on, but their starts are never acknowledged.
	FaultSwallow FaultKind = "swallow"
)

// Feature is one word for what a fake plays, a subject offers and a check needs.
type Feature string

// The closed set of features.
const (
	NativeRunID   Feature = "native-run-id"
	InitFrame     Feature = "init"
	Deltas        Feature = "deltas"
	ReasoningText Feature = "reasoning"
	Tools         Feature = "tools"
	PartialInput  Feature = "partial-input"
	UsageFrames   Feature = "usage"
	Money         Feature = "money"
	MaxTurns      Feature = "max-turns"
	TokenLimit    Feature = "token-limit"
	Retract       Feature = "retract"
	TerminalFrame Feature = "terminal-frame"
	Framed        Feature = "framed"
	SecondRun     Feature = "second-run"
	Sessions      Feature = "sessions"
	StartOptions  Feature = "start-options"
	HealthDown    Feature = "health-down"
	Refuse        Feature = "refuse"
	SilentRun     Feature = "silent"
	CutStream     Feature = "cut"
	ExitCodes     Feature = "exit-codes"
	Approvals     Feature = "approvals"
	Steer         Feature = "steer"
	Codec         Feature = "codec"
	Process       Feature = "process"
	Observers     Feature = "observers"
	UnknownFrames Feature = "unknown-frames"
	Source        Feature = "source"
	Append        Feature = "append"
	Ports         Feature = "ports"
	// MildErrors: the runtime tells of an error that does not end the run.
	MildErrors Feature = "mild-errors"
	// LiveText: what a run says comes as it says it, not as one answer at its end, which
	// leaves out what was said before.
	LiveText Feature = "live-text"
	// NativeSession: the runtime has a name of its own for a session, and tells it.
	NativeSession Feature = "native-session"
	// Nested: agents that a tool call starts are heard beside the run's own.
	Nested Feature = "nested"
	// Connected: the adapter keeps a connection to a runtime that outlives its runs, and a
	// stream goes on over the runs of its session until its consumer closes it.
	Connected Feature = "connected"
	// Reconnect: the connection can be lost and made again, and so can single frames and
	// the runtime itself.
	Reconnect Feature = "reconnect"
	// OwnTools: the adapter calls the tools itself, and the fake sees which. Only fakes of
	// the suite's own process do.
	OwnTools Feature = "own-tools"
	// Outbound: a host can be told where its providers are, so that the suite can be one.
	Outbound Feature = "outbound"
	// Vault: the files can be read in which a host keeps keys.
	Vault Feature = "vault"
	// Logs: what a host writes down about its work can be read.
	Logs Feature = "logs"
	// Restart: a host can be ended and started again over the same files.
	Restart Feature = "restart"
	// InProcess: the adapter lives in the process of the suite, so that its goroutines
	// and descriptors can be counted and values be shared with it. The suite knows by
	// itself who does; no subject names it.
	InProcess Feature = "in-process"
)

// AllFeatures lists the features in a fixed order.
func AllFeatures() Features {
	return Features{NativeRunID, InitFrame, Deltas, ReasoningText, Tools, PartialInput, UsageFrames, Money, MaxTurns,
		TokenLimit, Retract, TerminalFrame, Framed, SecondRun, Sessions, StartOptions, HealthDown, Refuse, SilentRun,
		CutStream, ExitCodes, Approvals, Steer, Codec, Process, Observers, UnknownFrames, Source, Append, Ports,
		MildErrors, LiveText, NativeSession, Nested, Connected, Reconnect,
		OwnTools, Outbound, Vault, Logs, Restart, InProcess}
}

// HostFeatures lists those that only a host has: no adapter in another process can
// offer them.
func HostFeatures() Features { return Features{Outbound, Vault, Logs, Restart} }

// Features is a set of features.
type Features []Feature

// Has reports whether the set holds the feature.
func (f Features) Has(x Feature) bool { return slices.Contains(f, x) }
