package loop

import (
	"context"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// Model answers turns.
type Model interface {
	// Turn hands out the pieces of an answer as they come, and returns the whole. What came
	// before an error is in the answer. It must obey ctx.
	Turn(ctx context.Context, r provider.Request, say func(provider.Piece)) (provider.Answer, error)
}

// Options says what a run is. Model, Prompt and Emit must be set.
type Options struct {
	Model Model
	// System is the system prompt; empty is none.
	System string
	// History is what was said before, and Prompt what the user says now.
	History []message.Message
	Prompt  string
	// Tools that the model may call. Of several with a name the first counts.
	Tools []tool.Tool
	// Blocklist names tools that the model is not told of, and that are not called if it
	// names them all the same.
	Blocklist []string
	// MaxTurns is how many answers the model may give; 0 or less is none.
	MaxTurns int
	// MaxTokens is how long one answer may be.
	MaxTokens int64
	// RequestID makes the id of the request of a turn, from 1. Nil names none.
	RequestID func(turn int) string
	// Inputs are what the user says while the run goes on, oldest first, each once. It is
	// asked before every turn, and before a run ends that could go on. Nil has none.
	Inputs func() []string
	// Inbox is asked before every turn, like Inputs, and may fail, which is told and no
	// end. Nil has none.
	Inbox func(ctx context.Context) ([]string, error)
	// Approve is asked before a tool is called; false denies the call. It must obey ctx.
	// Nil allows all.
	Approve func(ctx context.Context, call tool.CallInfo, d tool.Definition) bool
	// Grace is how long a tool has to end when ctx has.
	Grace time.Duration
	// Emit takes the events, from one goroutine at a time.
	Emit func(...executor.Event)
}

// Outcome is how a run ended.
type Outcome struct {
	Reason executor.Reason
	// Summary is the last text of the model, of what it said in this run.
	Summary string
	// Failure says why, for executor.ReasonError, as a fatal error. It was not emitted.
	Failure executor.Error
	// Messages are the whole conversation, history first, fit to go on from.
	Messages []message.Message
	// Usage and Cost are sums over the run: nil and absent where nothing was told.
	Usage *executor.Usage
	Cost  executor.Nullable[float64]
	// Model served last; empty if none did.
	Model string
	Turns int
}
