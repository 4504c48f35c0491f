package native

import (
	"context"
	"net/http"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

const (
	defaultGrace           = 2 * time.Second
	defaultApprovalTimeout = time.Minute
	defaultStall           = 2 * time.Minute
	defaultMaxTokens       = 8192
)

// Options says how the adapter runs agents.
type Options struct {
	// Home is the directory under which transcripts and sessions are kept, per identity at
	// runtimes/clawboo-native/AGENT. Empty keeps nothing: a session then goes on in this
	// process only.
	Home string
	// Agent is how every agent is configured; its id is that of the start. Config, when not
	// nil, is asked instead, with the id. The zero value is [state.Default].
	Agent  state.AgentConfig
	Config func(ctx context.Context, agentID string) (state.AgentConfig, error)
	// Keys resolves the name of a variable to a key, or to the address of Ollama; empty is
	// unknown. It is asked when a run begins and when Health is. Nil knows no key.
	Keys func(env string) string
	// BaseURLs are addresses that stand for the providers' own.
	BaseURLs map[provider.ID]string
	// Tools opens what tools a run has, in a goroutine of the run. Nil is none.
	Tools func(ctx context.Context, of RunInfo) (Toolbox, error)
	// NeedsApproval reports whether a tool is asked for before it is called, through a
	// status event and [Adapter.Approve]. Nil asks for none: tools that have a policy of
	// their own need no second one.
	NeedsApproval func(d tool.Definition) bool
	// ApprovalTimeout is how long a question waits for Approve before it is denied; 0 means
	// one minute.
	ApprovalTimeout time.Duration
	// Grace is what a tool has that was told to end; 0 means 2 s.
	Grace time.Duration
	// Stall is how long a provider may say nothing, before an answer or in it; 0 means two
	// minutes.
	Stall time.Duration
	// MaxTokens is how long one answer may be; 0 means 8192.
	MaxTokens int64
	// HTTPClient talks to the providers. Nil is a client of the adapter's own, which
	// follows no redirect and holds no connection while no run is live.
	HTTPClient *http.Client
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// QueueMax is how many text deltas and status events are held for an observer that
	// does not read; 0 means 1000.
	QueueMax int
}

// RunInfo tells a toolbox whose it is.
type RunInfo struct {
	AgentID    string
	SessionKey string // the host's
	SessionID  string // the runtime's own
	RunID      string
	TaskID     string // empty is none
	TeamID     string // empty is none
	Config     state.AgentConfig
}

// Toolbox is what tools a run has.
type Toolbox struct {
	// Tools of which later ones with a name that was taken are left out.
	Tools []tool.Tool
	// Inbox is asked before every turn; what it returns reaches the model as messages of
	// the user. Nil has nothing.
	Inbox func(ctx context.Context) ([]string, error)
	// Close is called when the run is over. Nil does nothing.
	Close func() error
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		set *time.Duration
		to  time.Duration
	}{{&o.ApprovalTimeout, defaultApprovalTimeout}, {&o.Grace, defaultGrace}, {&o.Stall, defaultStall}} {
		if *d.set <= 0 {
			*d.set = d.to
		}
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = defaultMaxTokens
	}
	if o.Keys == nil {
		o.Keys = func(string) string { return "" }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Config == nil {
		one := o.Agent
		o.Config = func(_ context.Context, id string) (state.AgentConfig, error) {
			c := one
			if c.ID == "" {
				c = state.Default(state.DefaultID)
			}
			if id != "" {
				c.ID = id
			}
			return c, nil
		}
	}
	return o
}
