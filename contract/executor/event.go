package executor

// Kind names one of the seven kinds of event.
type Kind string

// The closed set of kinds.
const (
	KindTextDelta  Kind = "text-delta"
	KindToolCall   Kind = "tool-call"
	KindToolResult Kind = "tool-result"
	KindStatus     Kind = "status"
	KindCost       Kind = "cost"
	KindDone       Kind = "done"
	KindError      Kind = "error"
)

// Kinds lists the kinds in the order of the contract.
func Kinds() []Kind {
	return []Kind{KindTextDelta, KindToolCall, KindToolResult, KindStatus, KindCost, KindDone, KindError}
}

// Event is one normalised event: a [TextDelta], [ToolCall], [ToolResult],
// [Status], [Cost], [Done] or [Error]. The set is sealed. Events are values and
// never change after they were handed out.
type Event interface {
	// Kind names the event's kind.
	Kind() Kind
	// Head returns what every event carries.
	Head() Envelope
	// WithHead returns the same event under another envelope.
	WithHead(Envelope) Event
	// Accept calls the visitor's method for the event's kind.
	Accept(Visitor)

	sealed()
}

// Visitor has one method per kind. A new kind adds a method here, so that every
// place which forgot it stops compiling.
type Visitor interface {
	VisitTextDelta(TextDelta)
	VisitToolCall(ToolCall)
	VisitToolResult(ToolResult)
	VisitStatus(Status)
	VisitCost(Cost)
	VisitDone(Done)
	VisitError(Error)
}

// Envelope is what every event carries.
type Envelope struct {
	// RunID is the run the event belongs to, never empty.
	RunID string
	// SessionID is nil while unknown, else the session key or the runtime's own
	// session id. Within a run it may go once from nil to its value.
	SessionID *string
	// TS is the time in whole milliseconds since the epoch. It need not rise.
	TS int64
	// Seq is a whole number from 0 up that rises strictly over the life of a
	// stream, also across runs. It is per stream.
	Seq int64
}

// Head returns the envelope.
func (e Envelope) Head() Envelope { return e }

// Channel parts the answer from the runtime's thinking. The zero value stands
// for absent and reads as [Assistant].
type Channel string

// The closed set of channels.
const (
	Assistant Channel = "assistant"
	Reasoning Channel = "reasoning"
)

// TextDelta is an increment of text: what the run said since the last one on the
// same channel, byte for byte.
type TextDelta struct {
	Envelope
	Text    string
	Channel Channel
}

// OnReasoning reports whether the text is on the reasoning channel.
func (e TextDelta) OnReasoning() bool { return e.Channel == Reasoning }

// ToolCall is a tool that the runtime calls. With Partial set the input is still
// growing and the call is not yet callable; one event with Partial unset and the
// whole input follows, or the call never became whole.
type ToolCall struct {
	Envelope
	// ID is non-empty and unique within the run.
	ID   string
	Name string
	// Input is any JSON value; the zero value is written as null.
	Input   JSON
	Partial bool
}

// ToolResult answers one announced [ToolCall], at most once.
type ToolResult struct {
	Envelope
	ID      string
	Name    string
	Output  string
	IsError bool
}

// Phase is where a run stands.
type Phase string

// The closed set of phases.
const (
	PhaseInit         Phase = "init"
	PhaseThinking     Phase = "thinking"
	PhaseRunning      Phase = "running"
	PhaseTurnComplete Phase = "turn-complete"
)

// Status reports progress. It never carries the runtime's text.
type Status struct {
	Envelope
	Phase Phase
	// Model that serves the run; empty is absent.
	Model string
	// Detail is a closed code, see the Detail constants, with an id after a colon
	// where the code has one; empty is absent.
	Detail string
}

// Usage counts tokens. InputTokens and CachedInputTokens do not overlap.
type Usage struct {
	InputTokens  int64
	OutputTokens int64
	// CachedInputTokens is nil where the runtime does not tell.
	CachedInputTokens *int64
}

// Cost is spend since the last cost event of the run: the sum over the run is the
// run's spend.
type Cost struct {
	Envelope
	// CostUSD is nil where the price is unknown; 0 means free.
	CostUSD *float64
	Usage   Usage
	// Model that was billed; nil is unknown.
	Model *string
	// Estimated: CostUSD was computed, not told. False is written as absent.
	Estimated bool
}

// Reason says how a run ended.
type Reason string

// The closed set of reasons.
const (
	ReasonSuccess  Reason = "success"
	ReasonMaxTurns Reason = "max_turns"
	ReasonAborted  Reason = "aborted"
	ReasonError    Reason = "error"
)

// Done ends a run, exactly once. Usage and CostUSD restate what the cost events
// told and are never added to it.
type Done struct {
	Envelope
	Reason Reason
	// Summary is the run's final text.
	Summary string
	// Usage is nil where absent.
	Usage *Usage
	// CostUSD may be absent, null (unknown) or an amount.
	CostUSD Nullable[float64]
}

// Error reports a failure. A fatal one is followed by done(error); one that is
// not fatal neither ends nor fails nor silences the run.
type Error struct {
	Envelope
	// Code is nil or any string; this project's own are the Code constants.
	Code    *string
	Message string
	Fatal   bool
}

func (TextDelta) sealed()  {}
func (ToolCall) sealed()   {}
func (ToolResult) sealed() {}
func (Status) sealed()     {}
func (Cost) sealed()       {}
func (Done) sealed()       {}
func (Error) sealed()      {}

// Kind returns KindTextDelta.
func (TextDelta) Kind() Kind { return KindTextDelta }

// Kind returns KindToolCall.
func (ToolCall) Kind() Kind { return KindToolCall }

// Kind returns KindToolResult.
func (ToolResult) Kind() Kind { return KindToolResult }

// Kind returns KindStatus.
func (Status) Kind() Kind { return KindStatus }

// Kind returns KindCost.
func (Cost) Kind() Kind { return KindCost }

// Kind returns KindDone.
func (Done) Kind() Kind { return KindDone }

// Kind returns KindError.
func (Error) Kind() Kind { return KindError }

// Accept calls VisitTextDelta.
func (e TextDelta) Accept(v Visitor) { v.VisitTextDelta(e) }

// Accept calls VisitToolCall.
func (e ToolCall) Accept(v Visitor) { v.VisitToolCall(e) }

// Accept calls VisitToolResult.
func (e ToolResult) Accept(v Visitor) { v.VisitToolResult(e) }

// Accept calls VisitStatus.
func (e Status) Accept(v Visitor) { v.VisitStatus(e) }

// Accept calls VisitCost.
func (e Cost) Accept(v Visitor) { v.VisitCost(e) }

// Accept calls VisitDone.
func (e Done) Accept(v Visitor) { v.VisitDone(e) }

// Accept calls VisitError.
func (e Error) Accept(v Visitor) { v.VisitError(e) }

// WithHead returns the event under another envelope.
func (e TextDelta) WithHead(h Envelope) Event { e.Envelope = h; return e }

// WithHead returns the event under another envelope.
func (e ToolCall) WithHead(h Envelope) Event { e.Envelope = h; return e }

// WithHead returns the event under another envelope.
func (e ToolResult) WithHead(h Envelope) Event { e.Envelope = h; return e }

// WithHead returns the event under another envelope.
func (e Status) WithHead(h Envelope) Event { e.Envelope = h; return e }

// WithHead returns the event under another envelope.
func (e Cost) WithHead(h Envelope) Event { e.Envelope = h; return e }

// WithHead returns the event under another envelope.
func (e Done) WithHead(h Envelope) Event { e.Envelope = h; return e }

// WithHead returns the event under another envelope.
func (e Error) WithHead(h Envelope) Event { e.Envelope = h; return e }
