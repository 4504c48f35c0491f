package openclaw

import (
	"errors"
	"net/url"
	"time"

	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// Options says which gateway the adapter drives, and how long it waits. URL is
// required; zero fields have defaults.
type Options struct {
	// URL of the gateway, as ws://127.0.0.1:18789 or wss://host.
	URL string
	// Token is the gateway's shared token; empty sends none. It never appears in events
	// or errors.
	Token string
	// IdentityDir is where the key stays that the gateway knows this host's device by:
	// one file, mode 0600, made at the first connection. Empty keeps a key in memory
	// alone, so that the gateway sees a new device each time.
	IdentityDir string
	// Agent is the gateway's agent that session keys belong to which name none; empty is
	// the AgentID of the start, else the gateway's default agent. A session key that is
	// the gateway's own, as agent:main:chat, names its agent itself.
	Agent string
	// PatchConfig delivers tool blocklists, which the wire has no other place for than the
	// gateway's configuration: tools.deny holds the lists of the runs that are live, for
	// every run of the gateway. False leaves the configuration alone, and a blocklist is
	// not delivered.
	PatchConfig bool

	// ConnectTimeout bounds one attempt to connect, handshake included; 0 means 10 s.
	ConnectTimeout time.Duration
	// RequestTimeout bounds a request; 0 means 30 s.
	RequestTimeout time.Duration
	// ReconnectDelay is the wait before the first attempt to come back after a loss, which
	// grows from attempt to attempt to at most 15 s; 0 means 500 ms.
	ReconnectDelay time.Duration
	// ReconnectBudget is how long a loss may last before live runs end by it; 0 means one
	// minute.
	ReconnectBudget time.Duration
	// Settle is how long a run that its lifecycle calls ended waits for the chat's word on
	// it; 0 means 2 s.
	Settle time.Duration
	// UsageTimeout bounds the look into the history for what a run cost, during which its
	// done waits; 0 means 2 s.
	UsageTimeout time.Duration
	// Grace is how long an aborted run may take to end before the adapter ends it; 0 means
	// 3 s. The requests of an abort are given up after it, or after one second if that is
	// longer.
	Grace time.Duration
	// ApprovalTimeout is how long a question whether a tool may run waits for Approve
	// before it is denied; 0 means one minute.
	ApprovalTimeout time.Duration
	// HealthTimeout bounds Health, which answers strictly inside it; 0 means 2 s.
	HealthTimeout time.Duration
	// MaxFrame is the longest frame in bytes that is read; 0 means 64 MiB. A longer one is
	// skipped and reported.
	MaxFrame int64
	// Now gives the time of events; nil means time.Now.
	Now func() time.Time
	// QueueMax is how many text deltas and status events are held for an observer that
	// falls behind; 0 means 1000. See executor.QueueOptions.
	QueueMax int

	secrets *redact.Redactor
}

const (
	// maxDelay bounds the wait between two attempts to connect.
	maxDelay = 15 * time.Second
	// delayGrowth is by what the wait grows from attempt to attempt.
	delayGrowth = 1.7
	// maxMessage bounds text of the gateway in messages, in bytes.
	maxMessage = 4 << 10
)

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		set *time.Duration
		to  time.Duration
	}{
		{&o.ConnectTimeout, 10 * time.Second}, {&o.RequestTimeout, 30 * time.Second},
		{&o.ReconnectDelay, 500 * time.Millisecond}, {&o.ReconnectBudget, time.Minute},
		{&o.Settle, 2 * time.Second}, {&o.UsageTimeout, 2 * time.Second}, {&o.Grace, 3 * time.Second},
		{&o.ApprovalTimeout, time.Minute}, {&o.HealthTimeout, 2 * time.Second},
	} {
		if *d.set <= 0 {
			*d.set = d.to
		}
	}
	if o.MaxFrame <= 0 {
		o.MaxFrame = 64 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.QueueMax <= 0 {
		o.QueueMax = 1000
	}
	o.secrets = redact.New([]string{o.Token}, nil)
	return o
}

// clean makes text of the gateway fit for a message: without secrets, bounded.
func (o *Options) clean(s string) string { return o.secrets.Head(s, maxMessage) }

// check refuses options that no gateway can be reached by. The URL may hold a secret;
// it is not repeated.
func (o *Options) check() error {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return errors.New("option URL: want ws://host:port or wss://host:port")
	}
	return nil
}
