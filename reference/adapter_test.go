package reference

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/reference/privacy"
)

func TestNew(t *testing.T) {
	h := newHome(t)
	model := func(edit func(*history.Model)) func(*Options) {
		return func(o *Options) {
			o.Model = &history.Model{Provider: "p", ID: "m", ContextWindow: 1000}
			edit(o.Model)
		}
	}
	for _, c := range []struct {
		name string
		edit func(*Options)
		want error
	}{
		{"plain", func(*Options) {}, nil},
		{"bound zero is the default", func(o *Options) { o.MaxHistoryBytes = 0 }, nil},
		{"maxHistoryBytes -1", func(o *Options) { o.MaxHistoryBytes = -1 }, ErrOptions},
		{"maxHistoryMessages -1", func(o *Options) { o.MaxHistoryMessages = -1 }, ErrOptions},
		{"no path", func(o *Options) { o.Path = "" }, ErrOptions},
		{"no root", func(o *Options) { o.ProjectRoot = "" }, ErrOptions},
		{"negative timeout", func(o *Options) { o.ShutdownTimeout = -1 }, ErrOptions},
		{"model", model(func(*history.Model) {}), nil},
		{"model provider blank", model(func(m *history.Model) { m.Provider = " " }), ErrOptions},
		{"model id blank", model(func(m *history.Model) { m.ID = "" }), ErrOptions},
		{"model window 0", model(func(m *history.Model) { m.ContextWindow = 0 }), ErrOptions},
		{"model window Infinity", model(func(m *history.Model) { m.ContextWindow = math.Inf(1) }), ErrOptions},
		{"model window NaN", model(func(m *history.Model) { m.ContextWindow = math.NaN() }), ErrOptions},
		{"model window 0.5", model(func(m *history.Model) { m.ContextWindow = 0.5 }), nil},
		{"local-only for remote providers (D13)", func(o *Options) { o.Privacy.RemoteDefaultAllowed = []privacy.Class{privacy.LocalOnly} }, privacy.ErrConfig},
		{"KV without a port", func(o *Options) { o.LocalKV = &LocalKVOptions{} }, ErrOptions},
		{"enabled KV without a prepare", func(o *Options) { o.LocalKV = enabled(&kvPort{}); o.LocalKV.Prepare = nil }, ErrOptions},
		{"enabled KV without a runtime revision", func(o *Options) { o.LocalKV = enabled(&kvPort{}); o.LocalKV.RuntimeRevision = "" }, ErrOptions},
		{"enabled KV without a model revision", func(o *Options) { o.LocalKV = enabled(&kvPort{}); o.LocalKV.ModelRevision = "" }, ErrOptions},
		{"KV with a blank revision", func(o *Options) { o.LocalKV = &LocalKVOptions{Port: &kvPort{}, ModelRevision: "\n"} }, ErrOptions},
		{"KV with a blank policy version", func(o *Options) { o.LocalKV = &LocalKVOptions{Port: &kvPort{}, PrivacyPolicyVersion: " "} }, ErrOptions},
		{"KV with a blank version", func(o *Options) { o.LocalKV = &LocalKVOptions{Port: &kvPort{}, Version: " "} }, ErrOptions},
	} {
		opts := h.options()
		c.edit(&opts)
		if _, err := New(opts); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	opts := h.options()
	opts.ProjectRoot += "-gone"
	if _, err := New(opts); err == nil {
		t.Error("a missing root was accepted")
	}
}

func TestIdentityModelRoot(t *testing.T) {
	h := newHome(t)
	opts := h.options()
	opts.Model = &history.Model{Provider: "p", ID: "m", ContextWindow: 32768, MaxTokens: history.Some(4096.0),
		Reasoning: history.Some(false), Input: []string{"text"}, Cost: &history.ModelCost{Input: 1, Output: 2}}
	want := opts.Model.Clone()
	a := adapter(t, opts)
	opts.Model.Input[0] = "changed"
	for range 2 {
		got, err := a.CurrentModel(t.Context())
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b history.Optional[float64]) bool { return a == b }),
			cmp.Comparer(func(a, b history.Optional[bool]) bool { return a == b })); diff != "" || err != nil {
			t.Fatalf("error %v (-want +got):\n%s", err, diff)
		}
		got.Input[0], got.Cost.Input = "changed", 9
	}
	if root, err := a.TrustedProjectRoot(t.Context()); root != h.root || err != nil {
		t.Errorf("root %s, error %v", root, err)
	}
	wantID := history.Identity{RuntimeID: runtimeID, AdapterName: AdapterName, AdapterVersion: AdapterVersion, ContractVersion: history.ContractVersion}
	if diff := cmp.Diff(wantID, a.Identity()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if m, err := adapter(t, h.options()).CurrentModel(t.Context()); m != nil || err != nil {
		t.Errorf("no model: %v, error %v", m, err)
	}
}

func TestCapabilities(t *testing.T) {
	everything := func() []history.Request {
		var out []history.Request
		for _, c := range history.Capabilities() {
			out = append(out, history.Request{ID: c})
		}
		return out
	}
	h := newHome(t)
	bare := adapter(t, h.options())
	if n := bare.NegotiateCapabilities(everything()); len(n.Enabled) != 0 || len(n.Disabled) != 4 || len(n.Diagnostics) != 4 {
		t.Errorf("bare: %+v", n)
	}
	if bare.EmbeddingPort() != nil || bare.LocalKVPort() != nil {
		t.Error("a port from nowhere")
	}
	opts := h.options()
	opts.EmbeddingPort = embedding{}
	opts.LocalKV = &LocalKVOptions{Port: &kvPort{}}
	full := adapter(t, opts)
	want := []history.Declaration{
		full.CapabilityDeclarations()[0], full.CapabilityDeclarations()[1],
		history.Supports(history.Embeddings, "embedding-port-v1"), history.Supports(history.LocalKVReuse, "local-kv-runtime-port-v1"),
	}
	if diff := cmp.Diff(want, full.CapabilityDeclarations(), cmp.Comparer(func(a, b history.Optional[bool]) bool { return a == b })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := full.NegotiateCapabilities(everything()); len(n.Enabled) != 2 || len(n.Disabled) != 2 {
		t.Errorf("with ports: %+v", n)
	}
	if full.EmbeddingPort() == nil || full.LocalKVPort() == nil {
		t.Error("a port is missing")
	}
	opts.LocalKV.Version = "not a version"
	odd := adapter(t, opts).NegotiateCapabilities(everything())
	if len(odd.Enabled) != 1 || odd.Diagnostics[2].Code != history.CodeDeclarationInvalid {
		t.Errorf("bad KV version: %+v", odd)
	}
}

func TestDiagnosticsAreBoundedAndFixed(t *testing.T) {
	const probe = "PROBE-51e0"
	h := newHome(t, text("a", probe))
	h.write(t, append(h.bytes(t), probe...))
	opts := h.options()
	opts.Transport = func(context.Context, history.TransportRequest) (any, error) { return nil, errors.New(probe) }
	a := adapter(t, opts)
	if _, err := a.SnapshotHistory(t.Context()); err == nil {
		t.Fatal("a torn file was accepted")
	}
	for range 150 {
		if _, err := a.Complete(t.Context(), history.CompletionRequest{Provider: probe, Model: probe, Payload: probe}); err != nil {
			t.Fatal(err)
		}
	}
	list := a.Diagnostics()
	if len(list) != history.MaxDiagnostics {
		t.Fatalf("%d diagnostics", len(list))
	}
	for _, d := range list {
		if d.Code != history.CodeTransportFailed || strings.Contains(d.Message, probe) || strings.Contains(d.Message, h.root) {
			t.Fatalf("diagnostic %+v; the oldest goes first", d)
		}
	}
	list[0].Message = "changed"
	if a.Diagnostics()[0].Message == "changed" {
		t.Error("the list is not a copy")
	}
}

func TestClosedAdapter(t *testing.T) {
	h := newHome(t, fixture()...)
	opts := h.options()
	calls := 0
	opts.Transport = func(context.Context, history.TransportRequest) (any, error) { calls++; return nil, nil }
	opts.EmbeddingPort = embedding{}
	a := adapter(t, opts)
	if _, err := a.SnapshotHistory(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.unchanged(t, func() {
		for range 3 {
			if err := a.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	ctx := t.Context()
	for name, read := range map[string]func() error{
		"snapshot": func() error { _, err := a.SnapshotHistory(ctx); return err },
		"rebuild":  func() error { _, err := a.RebuildDerivedState(ctx); return err },
		"model":    func() error { _, err := a.CurrentModel(ctx); return err },
		"root":     func() error { _, err := a.TrustedProjectRoot(ctx); return err },
		"privacy": func() error {
			_, err := a.EnforcePrivacy(ctx, history.PrivacyRequest{Provider: "p", Payload: "x"})
			return err
		},
	} {
		if err := read(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: error %v, want %v", name, err, ErrClosed)
		}
	}
	for _, req := range []history.CompletionRequest{{}, {Provider: "p", Model: "m"}, {Provider: "p", Model: "m", Payload: func() {}}} {
		got, err := a.Complete(ctx, req)
		want := history.CompletionResult{Status: history.Fallback, Code: "adapter-closed", Reason: "the adapter is closed"}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	}
	if calls != 0 {
		t.Errorf("%d transport calls", calls)
	}
	if codes(a) != "adapter-closed:info" {
		t.Errorf("diagnostics %s", codes(a))
	}
	if n := a.NegotiateCapabilities([]history.Request{{ID: history.Embeddings}}); len(n.Enabled) != 1 || len(a.CapabilityDeclarations()) != 4 {
		t.Errorf("negotiation after close: %+v", n)
	}
}

func TestShutdownOfThePort(t *testing.T) {
	for _, c := range []struct {
		name     string
		shutdown func(context.Context) error
		want     string
		took     time.Duration
	}{
		{"well", func(context.Context) error { return nil }, "adapter-closed:info", 0},
		{"failing", func(context.Context) error { return errors.New("PROBE") },
			"local-kv-shutdown-failed:warning adapter-closed:info", 0},
		{"panicking", func(context.Context) error { panic("PROBE") },
			"local-kv-shutdown-failed:warning adapter-closed:info", 0},
		{"obeying its context", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			"local-kv-shutdown-failed:warning adapter-closed:info", 3 * time.Second},
		{"hanging for an hour", func(context.Context) error { time.Sleep(time.Hour); return nil },
			"local-kv-shutdown-failed:warning adapter-closed:info", 3 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			synctest.Test(t, func(t *testing.T) {
				port := &kvPort{shutdown: c.shutdown}
				opts := h.options()
				opts.LocalKV, opts.ShutdownTimeout = &LocalKVOptions{Port: port}, 3*time.Second
				a, err := New(opts)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() {
						if err := a.Shutdown(t.Context()); err != nil {
							t.Error(err)
						}
						// Every caller may rely on the end, not only the first.
						if codes(a) != c.want {
							t.Errorf("diagnostics %q, want %q", codes(a), c.want)
						}
					})
				}
				wg.Wait()
				if took := time.Since(start); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				if n := port.shutdowns.Load(); n != 1 {
					t.Errorf("the port was shut down %d times", n)
				}
				time.Sleep(2 * time.Hour) // the hanging port comes back
				if d := a.Diagnostics()[0]; len(a.Diagnostics()) == 2 && d.Capability != history.LocalKVReuse {
					t.Errorf("diagnostic %+v", d)
				}
			})
		})
	}
}

type kvPort struct {
	shutdown  func(context.Context) error
	calls     int
	shutdowns atomic.Int32
}

func (p *kvPort) TryReuse(context.Context, history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	p.calls++
	return history.LocalKVReuseResult{}, nil
}

func (p *kvPort) FullReplay(context.Context, history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	p.calls++
	return history.LocalKVReplayResult{}, nil
}

func (p *kvPort) Shutdown(ctx context.Context) error {
	p.shutdowns.Add(1)
	if p.shutdown == nil {
		return nil
	}
	return p.shutdown(ctx)
}

type embedding struct{}

func (embedding) Identity() history.EmbeddingIdentity {
	return history.EmbeddingIdentity{Dimensions: 1}
}

func (embedding) Embed(context.Context, []string) ([][]float64, error) { return nil, nil }
