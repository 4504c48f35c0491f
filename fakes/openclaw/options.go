package openclaw

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Name is the fake's name.
const Name = "openclaw"

// EnvToken is the variable of the endpoint that holds the gateway's token.
const EnvToken = "OPENCLAW_GATEWAY_TOKEN"

// Limits of the real gateway, in bytes.
const (
	maxHandshake = 64 << 10 // a frame before the client is known
	maxPayload   = 25 << 20 // a frame after it
	maxBuffered  = 50 << 20 // what waits for a client that does not read
	tickInterval = 30 * time.Second
	connectWait  = 15 * time.Second
	defaultToken = "adaptercheck-openclaw-token"
)

// Options of a fake. The zero value is the newest version that it knows, on a free port
// of the loopback.
type Options struct {
	// Version of the gateway that is played; empty is 2026.9.6. See [Versions].
	Version string
	// Seed of the ids that the fake makes up.
	Seed uint64
	// Listen is the address, as "127.0.0.1:18789"; empty is a free port. It must be of
	// the loopback.
	Listen string
	// Token is what a client must show; empty is the fake's own, which is in the
	// endpoint.
	Token string
	// Agents that the configuration has beside main.
	Agents []string
	// Providers of models that the configuration has beside fake; nil is those that
	// come with the gateway.
	Providers []string
	// Throttle makes deltas that one Emit says leave as one, as the real gateway does
	// with those that come within its window. The numbers of a run have gaps then.
	Throttle bool
	// ConnectWait is how long a client has for its connect; 0 is 15 seconds.
	ConnectWait time.Duration
	// Tick is the time between two ticks; 0 is 30 seconds.
	Tick time.Duration
	// Buffer is how many bytes wait for a client that does not read, before it is let go;
	// 0 is 50 MiB.
	Buffer int
	// Faults of connections.
	Faults []Fault
}

// providers are those that come with the gateway.
var providers = []string{"anthropic", "google", "ollama", "openai", "openrouter", "xai"}

// features is what the gateway's wire has a form for.
var features = fakes.Features{
	fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.Money, fakes.TokenLimit,
	fakes.Retract, fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown,
	fakes.Refuse, fakes.SilentRun, fakes.CutStream, fakes.Approvals, fakes.Steer, fakes.Codec, fakes.Observers,
	fakes.UnknownFrames, fakes.MildErrors, fakes.LiveText, fakes.NativeSession, fakes.Connected, fakes.Reconnect,
}

// New starts a gateway. The context bounds the call. It fails for an unknown version, a
// fault that is none, and an address that is taken or not of the loopback.
func New(ctx context.Context, o Options) (*Runtime, error) {
	v, err := versionOf(o.Version)
	if err != nil {
		return nil, err
	}
	for _, f := range o.Faults {
		if err := f.check(); err != nil {
			return nil, err
		}
	}
	address := cmp.Or(o.Listen, "127.0.0.1:0")
	if err := loopback(address); err != nil {
		return nil, err
	}
	bound, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("fake openclaw: %w", err)
	}
	r := &Runtime{
		version: v, options: o, methods: playedMethods(), token: cmp.Or(o.Token, defaultToken), listener: &listener{Listener: bound},
		ids: newIDs(o.Seed), started: time.Now(), faults: slices.Clone(o.Faults),
		conns: map[*conn]struct{}{}, paired: map[string]pairing{}, sessions: map[string]*session{}, runs: map[string]*Run{},
		questions: map[string]*question{}, changed: make(chan struct{}), done: make(chan struct{}),
	}
	r.buffer = cmp.Or(o.Buffer, maxBuffered)
	r.bootID, r.instance = r.ids.uuid(), r.ids.uuid()
	r.addAgent("main", "")
	for _, a := range o.Agents {
		r.addAgent(a, "")
	}
	r.config = r.newConfig()
	r.server = &http.Server{Handler: http.HandlerFunc(r.accept), ConnContext: withSocket, ReadHeaderTimeout: connectWait}
	r.tasks.Go(func() { _ = r.server.Serve(r.listener) }) // ends with the listener
	r.tasks.Go(func() { r.tick(cmp.Or(o.Tick, tickInterval)) })
	return r, nil
}

func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("fake openclaw: listen address %q: %w", address, err)
	}
	if ip := net.ParseIP(host); !strings.EqualFold(host, "localhost") && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("fake openclaw: listen address %q: want one of the loopback, as 127.0.0.1:0", address)
	}
	return nil
}
