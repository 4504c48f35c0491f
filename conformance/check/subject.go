package check

import (
	"context"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Subject is what is judged. It has one constructor per contract; nil means that
// the contract is not implemented.
//
//	check.Subject{
//		Name:     "my-adapter",
//		Offers:   check.Features{fakes.Deltas, fakes.LiveText, fakes.Tools, fakes.TerminalFrame},
//		Runtime:  func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) { … },
//		Executor: func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) { … },
//	}
type Subject struct {
	// Name is a word of the report's safe alphabet.
	Name string
	// Offers lists what the subject can be seen to do. A check that needs more is
	// unobserved.
	Offers fakes.Features
	// Declares says which of several right behaviours the subject has.
	Declares Declarations
	// Format says what the subject's canonical history can hold.
	Format Format
	// Elsewhere: the adapter lives in another process, and what comes from it is read
	// from a wire. The checks that need [fakes.InProcess] are unobserved.
	Elsewhere bool
	// Runtime makes the fake that the suite plays, for a subject in wire mode. Nil
	// means harness mode: Executor brings its own.
	Runtime func(ctx context.Context, o RuntimeOptions) (fakes.Runtime, error)
	// Executor builds a fresh adapter. The endpoint is the fake's; it is zero in
	// harness mode.
	Executor func(ctx context.Context, at fakes.Endpoint) (*ExecutorInstance, error)
	// History builds a fresh adapter over the fixture.
	History func(ctx context.Context, f Fixture) (*HistoryInstance, error)
	// Host starts a host, or gives one that is there already: checks leave it without
	// keys, and begin by taking those away that it has.
	Host func(ctx context.Context) (*HostInstance, error)
}

// Implements reports whether the subject has a constructor for the profile.
func (s Subject) Implements(p report.Profile) bool {
	switch p {
	case report.Executor:
		return s.Executor != nil
	case report.History:
		return s.History != nil
	case report.Host:
		return s.Host != nil
	default:
		return false
	}
}

// Shows reports whether the subject can be seen to have the feature. Where it lives
// is seen by the suite itself.
func (s Subject) Shows(f Feature) bool {
	if f == fakes.InProcess {
		return !s.Elsewhere
	}
	return s.Offers.Has(f)
}

// RuntimeOptions says how a fake is made.
type RuntimeOptions struct {
	// Version of the runtime that the fake plays; empty is the newest it knows.
	Version string
	// Seed of everything random in the fake.
	Seed uint64
}

// Declarations says which of several right behaviours a subject has. An empty
// field leaves it open: either is right, but always the same.
type Declarations struct {
	// SecondStart on a session with a live run: queues or refuses.
	SecondStart string
	// Queue of an observer that does not read: drop or block.
	Queue string
	// Blocklist: delivered or undeliverable.
	Blocklist string
}

// The words of [Declarations].
const (
	Queues        = "queues"
	Refuses       = "refuses"
	Drop          = "drop"
	Block         = "block"
	Delivered     = "delivered"
	Undeliverable = "undeliverable"
)

// ExecutorInstance is one fresh adapter of the executor contract.
type ExecutorInstance struct {
	Adapter executor.Adapter
	// Runtime is the subject's own fake in harness mode, else nil.
	Runtime fakes.Runtime
	// Close releases what the constructor made; nil if there is nothing.
	Close func(ctx context.Context) error
}

// Fixture is what a history subject is built over. The constructor gets a copy and
// leaves it as it is; the suite judges by its own.
type Fixture struct {
	RuntimeID string
	SessionID string
	// Root is the project root that the history belongs to; it may lead through a
	// symbolic link.
	Root string
	// Dir is an empty directory for the subject's files, 0700.
	Dir string
	// Model that is selected; a zero one is none.
	Model    history.Model
	Messages []history.Message
	// Transport is the suite's spy.
	Transport history.Transport
	Ports     Ports
}

// Format says what the canonical history of a subject can hold, where that is less
// than the contract has words for. The suite cuts its fixtures to it before the
// subject sees them: a subject is judged by a history that its runtime could have
// written. The zero value holds everything.
type Format struct {
	// RuntimeID that all sessions of the runtime have, where the format has no place
	// for it. Empty is any. A fixture with another one is that of another runtime,
	// and whatever the subject lays down for it must be refused.
	RuntimeID string
	// Source of every message; empty is [history.RuntimeSession]. Messages of any
	// other source carry no runtime id.
	Source history.Source
	// Roles are the runtime's own names of the roles, which messages carry as their
	// original role. A role without one, as all are in a nil map, is left as it is.
	Roles map[history.Role]string
	// Blocks lists the types of block that there are; nil is all nine. What is in a
	// block of another type becomes text.
	Blocks []history.BlockType
	// MaxMessages is how many messages a history may have, where that is less than
	// [history.MaxHistoryMessages]; 0 is not less. What is above it is left out.
	MaxMessages int
	// OneResult: a message holds one tool result at most; what would be the second one
	// becomes a message of its own.
	OneResult bool
	// Converted: messages are made from ones of another shape, which has no place for
	// token estimates, for marks, or for unknown fields of provenance and marks. The
	// one mark is then atomic, on every message with a tool call or a tool result.
	Converted bool
}

// Ports are the optional ports given to a history subject; nil is not given.
type Ports struct {
	Embedding history.EmbeddingPort
	// LocalKV is enabled: completions for a provider on this machine may go through it.
	LocalKV history.LocalKVPort
	// IdleLocalKV is to be given to the adapter without being enabled, in the place of
	// LocalKV. A constructor that knows no such thing leaves it alone.
	IdleLocalKV history.LocalKVPort
}

// HistoryInstance is one fresh adapter of the history contract.
type HistoryInstance struct {
	Adapter history.Adapter
	// Root is what the subject says its project root is.
	Root string
	// Source is the canonical history behind the adapter; nil where the subject
	// has none that the suite may touch, which leaves source checks unobserved.
	Source Source
	// Close releases what the constructor made; nil if there is nothing.
	Close func(ctx context.Context) error
}

// Source is the canonical history file behind an adapter.
type Source interface {
	// Path of the file.
	Path() string
	// Append adds a message, as the runtime itself would.
	Append(ctx context.Context, m history.Message) error
}
