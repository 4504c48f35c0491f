package fakes

// Frame is one thing that a runtime says or does, in words that no runtime owns.
// There is one type per word of the scenario language; the set is sealed, and a
// new word breaks every [FrameVisitor] at compile time. A fake renders frames into
// its native wire; one that its wire has no form for is [ErrUnplayable].
type Frame interface {
	// Word is the frame's word in the scenario language.
	Word() string
	// Accept calls the visitor's method for the frame's kind.
	Accept(FrameVisitor) error
}

// FrameVisitor has one method per word.
type FrameVisitor interface {
	Init(Init) error
	Delta(Delta) error
	Think(Think) error
	Snapshot(Snapshot) error
	Final(Final) error
	ToolCall(ToolCall) error
	CallPart(CallPart) error
	Result(Result) error
	Usage(Usage) error
	End(End) error
	Failure(Failure) error
	Turn(Turn) error
	Ask(Ask) error
	Ack(Ack) error
	Reject(Reject) error
	Attempt(Attempt) error
	Native(Native) error
	Log(Log) error
	Raw(Raw) error
	Stderr(Stderr) error
	Exit(Exit) error
	Cut(Cut) error
	Silent(Silent) error
	Child(Child) error
	Ignore(Ignore) error
}

// Init is the first life sign of a run: its ids are known from here on.
type Init struct {
	Run     string // native run id, where the wire has one
	Session string // native session or thread id
	Model   string
	Dir     string
}

// Delta is a piece of the answer. At, when not nil, is its place in the part's text.
type Delta struct {
	Text string
	Msg  string // id of the message, where several are told apart
	Part string
	At   *int
	Run  string // of a run other than the current one: a late frame
	// Parent is the call whose nested agent says this; empty is the run's own agent.
	Parent string
}

// Think is a piece of reasoning.
type Think struct {
	Text   string
	Parent string // the call whose nested agent thinks this
}

// Snapshot is the whole text of a part so far: a cumulative wire.
type Snapshot struct {
	Text string
	Part string
}

// Final is a whole message. A nil Text is null.
type Final struct {
	Text   *string
	Msg    string
	Parent string // the call whose nested agent says this
}

// ToolCall is a tool call with its whole input, any JSON text; empty is null.
type ToolCall struct {
	ID     string
	Name   string
	Input  string
	Parent string // the call whose nested agent makes this one
}

// CallPart is a piece of a streamed tool input. ID and Name come with the first
// piece at an index.
type CallPart struct {
	Index    int
	ID       string
	Name     string
	Fragment string
}

// Result answers a tool call.
type Result struct {
	ID    string
	Name  string
	Out   string
	Error bool
	Run   string // of a run other than the current one: a late frame
	// Parent is the call whose nested agent gets this.
	Parent string
	// Details is what the tool says to programs beside its text: any JSON text; empty is
	// none.
	Details string
}

// UsageKind says what the numbers of a [Usage] frame count.
type UsageKind string

// The closed set of usage kinds.
const (
	UsageTurn  UsageKind = "turn"  // this model call alone
	UsageTotal UsageKind = "total" // running total of the session
	UsageLast  UsageKind = "last"  // the last model call, with the total beside it
)

// Usage counts tokens and money. Nil is absent.
type Usage struct {
	Kind       UsageKind
	In         *int64
	Out        *int64
	CacheRead  *int64
	CacheWrite *int64
	Reasoning  *int64 // part of Out that went into reasoning
	TotalIn    *int64 // kind last
	TotalOut   *int64 // kind last
	CostUSD    *float64
	Model      string
}

// EndReason is what a terminal frame says.
type EndReason string

// The closed set of end reasons.
const (
	EndOK       EndReason = "ok"
	EndMaxTurns EndReason = "max_turns"
	EndAborted  EndReason = "aborted"
	EndLength   EndReason = "length"
	EndToolUse  EndReason = "tool_use"
	EndRefusal  EndReason = "refusal" // the model would not answer
	EndBudget   EndReason = "budget"  // a limit of money was reached
)

// End is the terminal frame. Error marks a failure whatever Reason says.
type End struct {
	Reason EndReason
	Error  bool
	Text   string // summary, or the failure's text
	Run    string // of a run other than the current one
}

// Failure is an error frame.
type Failure struct {
	Code    string
	Message string
	Fatal   bool
	Run     string
}

// Turn is a frame about the state of a turn: thinking, running, turn-complete,
// idle, retry, text-end, compact.
type Turn struct {
	State string
	Run   string
	Text  string // what a retry notice says
}

// Ask is an approval question.
type Ask struct {
	ID   string
	Tool string
}

// Request names what a host asked of a runtime.
type Request string

// The closed set of requests that are answered.
const (
	RequestStart    Request = "start"
	RequestResume   Request = "resume"
	RequestAbort    Request = "abort"
	RequestSetModel Request = "setModel"
)

// Ack answers the host's oldest open request of a kind: it is accepted. Run is the
// id that the runtime promises for it; empty is none.
type Ack struct {
	Request Request
	Run     string
}

// Reject answers the host's oldest open request of a kind: it is refused.
type Reject struct {
	Request Request
	Code    string
	Message string
}

// Attempt is what the provider answers to one attempt of a runtime that calls it in
// its own process. An attempt that the script has and nobody makes stays unused.
type Attempt struct {
	Number int // from 1
	Status int // HTTP; 0 is 200
	// Event is the type of the one event of the answer's stream, as "error"; empty is
	// what the frames that follow say.
	Event string
	Error string // type of the error, as "overloaded"
	Text  string // whole text of the answer, where frames do not say it
}

// Native is a frame of a type that no word covers. Fields is JSON text of an
// object; empty is no field.
type Native struct {
	Type   string
	Fields string
}

// EOL says how a raw line ends.
type EOL string

// The closed set of line ends.
const (
	EOLLF   EOL = ""
	EOLCRLF EOL = "crlf"
	EOLNone EOL = "none"
)

// Log is a line of the runtime's own log, beside the conversation.
type Log struct {
	Text string
}

// Raw is bytes as they are. They leave apart from what comes before and after.
type Raw struct {
	Line string
	EOL  EOL
	// Piece is how many bytes leave in one write; 0 is all.
	Piece int
}

// Stderr is text on the second channel. N bytes of filler when Text is empty.
type Stderr struct {
	Text string
	N    int
}

// Exit ends the process, by code or by signal.
type Exit struct {
	Code   int
	Signal string
}

// Cut ends the stream without a terminal frame.
type Cut struct{}

// Silent: nothing more comes.
type Silent struct{}

// Child starts a descendant process that outlives its parent unless it is ended.
type Child struct {
	// OwnSession puts it in a session of its own, out of reach of group signals.
	OwnSession bool
}

// Ignore makes the runtime ignore a signal from now on.
type Ignore struct {
	Signal string
}

// Word returns "init".
func (Init) Word() string { return "init" }

// Word returns "delta".
func (Delta) Word() string { return "delta" }

// Word returns "think".
func (Think) Word() string { return "think" }

// Word returns "snapshot".
func (Snapshot) Word() string { return "snapshot" }

// Word returns "final".
func (Final) Word() string { return "final" }

// Word returns "call".
func (ToolCall) Word() string { return "call" }

// Word returns "callpart".
func (CallPart) Word() string { return "callpart" }

// Word returns "result".
func (Result) Word() string { return "result" }

// Word returns "usage".
func (Usage) Word() string { return "usage" }

// Word returns "end".
func (End) Word() string { return "end" }

// Word returns "error".
func (Failure) Word() string { return "error" }

// Word returns "turn".
func (Turn) Word() string { return "turn" }

// Word returns "ask".
func (Ask) Word() string { return "ask" }

// Word returns "ack".
func (Ack) Word() string { return "ack" }

// Word returns "reject".
func (Reject) Word() string { return "reject" }

// Word returns "http".
func (Attempt) Word() string { return "http" }

// Word returns "frame".
func (Native) Word() string { return "frame" }

// Word returns "log".
func (Log) Word() string { return "log" }

// Word returns "raw".
func (Raw) Word() string { return "raw" }

// Word returns "stderr".
func (Stderr) Word() string { return "stderr" }

// Word returns "exit".
func (Exit) Word() string { return "exit" }

// Word returns "cut".
func (Cut) Word() string { return "cut" }

// Word returns "silent".
func (Silent) Word() string { return "silent" }

// Word returns "child".
func (Child) Word() string { return "child" }

// Word returns "ignore".
func (Ignore) Word() string { return "ignore" }

// Accept calls Init.
func (f Init) Accept(v FrameVisitor) error { return v.Init(f) }

// Accept calls Delta.
func (f Delta) Accept(v FrameVisitor) error { return v.Delta(f) }

// Accept calls Think.
func (f Think) Accept(v FrameVisitor) error { return v.Think(f) }

// Accept calls Snapshot.
func (f Snapshot) Accept(v FrameVisitor) error { return v.Snapshot(f) }

// Accept calls Final.
func (f Final) Accept(v FrameVisitor) error { return v.Final(f) }

// Accept calls ToolCall.
func (f ToolCall) Accept(v FrameVisitor) error { return v.ToolCall(f) }

// Accept calls CallPart.
func (f CallPart) Accept(v FrameVisitor) error { return v.CallPart(f) }

// Accept calls Result.
func (f Result) Accept(v FrameVisitor) error { return v.Result(f) }

// Accept calls Usage.
func (f Usage) Accept(v FrameVisitor) error { return v.Usage(f) }

// Accept calls End.
func (f End) Accept(v FrameVisitor) error { return v.End(f) }

// Accept calls Failure.
func (f Failure) Accept(v FrameVisitor) error { return v.Failure(f) }

// Accept calls Turn.
func (f Turn) Accept(v FrameVisitor) error { return v.Turn(f) }

// Accept calls Ask.
func (f Ask) Accept(v FrameVisitor) error { return v.Ask(f) }

// Accept calls Ack.
func (f Ack) Accept(v FrameVisitor) error { return v.Ack(f) }

// Accept calls Reject.
func (f Reject) Accept(v FrameVisitor) error { return v.Reject(f) }

// Accept calls Attempt.
func (f Attempt) Accept(v FrameVisitor) error { return v.Attempt(f) }

// Accept calls Native.
func (f Native) Accept(v FrameVisitor) error { return v.Native(f) }

// Accept calls Log.
func (f Log) Accept(v FrameVisitor) error { return v.Log(f) }

// Accept calls Raw.
func (f Raw) Accept(v FrameVisitor) error { return v.Raw(f) }

// Accept calls Stderr.
func (f Stderr) Accept(v FrameVisitor) error { return v.Stderr(f) }

// Accept calls Exit.
func (f Exit) Accept(v FrameVisitor) error { return v.Exit(f) }

// Accept calls Cut.
func (f Cut) Accept(v FrameVisitor) error { return v.Cut(f) }

// Accept calls Silent.
func (f Silent) Accept(v FrameVisitor) error { return v.Silent(f) }

// Accept calls Child.
func (f Child) Accept(v FrameVisitor) error { return v.Child(f) }

// Accept calls Ignore.
func (f Ignore) Accept(v FrameVisitor) error { return v.Ignore(f) }
