package executor

import "context"

// ContractVersion names this contract: the kinds of event and their fields, and
// what the clauses of docs/contract/executor.md ask for.
const ContractVersion = "adaptercheck-executor-v1"

// ParticipantKind says what takes part in a conversation behind an adapter.
type ParticipantKind string

// The closed set of participant kinds.
const (
	Agent ParticipantKind = "agent"
	Human ParticipantKind = "human"
)

// TaskHandle names the work a run belongs to. Both fields may be empty: a run
// without a task is right.
type TaskHandle struct {
	TaskID string `json:"taskId,omitzero"`
	TeamID string `json:"teamId,omitzero"`
}

// StartOpts is what a host wants done.
type StartOpts struct {
	// AgentID names the agent identity the run acts as.
	AgentID string `json:"agentId"`
	// SessionKey names the conversation. It is the host's word for it and never
	// changes; the runtime's own session id travels in events and in the codec.
	SessionKey string `json:"sessionKey"`
	// Message is the prompt, delivered to the runtime unchanged.
	Message string `json:"message"`
	// Model asks for a model; empty leaves the choice to the runtime.
	Model string `json:"model,omitzero"`
	// Context is put before Message, parted by a blank line; empty adds nothing.
	Context string `json:"context,omitzero"`
	// ChildToolBlocklist names tools that the runtime must not offer.
	ChildToolBlocklist []string `json:"childToolBlocklist,omitzero"`
}

// Health is the answer of a health check. The zero value is "not healthy, no
// reason given".
type Health struct {
	OK bool `json:"ok"`
	// Message says why not. It holds no secret, path or provider output.
	Message string `json:"message,omitzero"`
}

// Adapter drives one kind of runtime. All methods may be called from several
// goroutines at once. Building an adapter has no side effects: hosts build
// throw-away instances only to read their capabilities.
type Adapter interface {
	// ID is the adapter's name in a registry: non-blank, the same for every
	// instance (executor#identity).
	ID() string
	// ParticipantKind is Agent or Human (executor#identity).
	ParticipantKind() ParticipantKind
	// Capabilities is static and free of side effects. The caller owns the
	// result: changing it must not change the next answer
	// (executor#capabilities-pure).
	Capabilities() Capabilities
	// Health answers within two seconds (executor#health-in-time). It never
	// fails: a runtime that is down is Health{OK: false}. A non-nil error is a
	// breach of executor#health-never-rejects; the result exists so that adapters
	// in other languages, whose health can reject, can be judged.
	Health(ctx context.Context) (Health, error)
	// Start begins a run and returns its handle without waiting for the run. The
	// handle is unbound (executor#start-unbound). ctx bounds this call, never the
	// run (executor#start-context). A refused run is an error; [ErrBusy] says that
	// the session already has a live run and this adapter does not queue.
	Start(ctx context.Context, task TaskHandle, opts StartOpts) (*Run, error)
	// Events subscribes to the run's stream during this call, before the first
	// pull (executor#subscribe-during-call). It never returns nil. A handle that
	// the adapter does not know gives a stream that ends or fails at once.
	Events(run *Run) Stream
	// Abort asks the runtime to stop the run. It works from the moment Start
	// returns, also while the handle is unbound, may be called again, and after
	// the run's end does nothing (executor#abort).
	Abort(ctx context.Context, run *Run) error
	// SetModel asks for another model on the run's session.
	SetModel(ctx context.Context, run *Run, model string) error
	// WriteContext gives the runtime a piece of context under a key, for the
	// run's session. A key that would leave the place where such pieces are kept
	// is refused.
	WriteContext(ctx context.Context, run *Run, key, value string) error
}

// The optional parts of an adapter. An adapter has a part when it implements the
// interface; a method that returns errors.ErrUnsupported says that this instance
// does not have it after all, which is how adapters whose parts are known only at
// run time opt out.

// SessionCodec carries a session over the life of a process. A blob is JSON text
// with no secret in it.
type SessionCodec interface {
	// Serialize writes down what is needed to continue the run's session.
	Serialize(ctx context.Context, run *Run) (string, error)
	// Restore gives a handle for a session of an earlier process. It has no live
	// run: its stream ends at once. The next Start with its session key continues
	// the native session. A corrupt blob is an error.
	Restore(ctx context.Context, blob string) (*Run, error)
}

// Disposer releases everything the adapter holds: processes, connections, files.
// It is idempotent. After it, Start returns [ErrDisposed].
type Disposer interface {
	Dispose(ctx context.Context) error
}

// Approver answers a runtime's question whether a tool may run. The question
// arrives as a status event (see [Status]); one that stays unanswered counts as
// denied (executor#approval-fails-closed).
type Approver interface {
	Approve(ctx context.Context, run *Run, id string, allow bool) error
}
