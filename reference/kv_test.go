package reference

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/contract/history/localkv"
	"github.com/adaptercheck/adaptercheck/reference/privacy"
)

// scripted is a port that does what a test says.
type scripted struct {
	reuse  func(history.LocalKVRequest) (history.LocalKVReuseResult, error)
	replay func(history.LocalKVRequest) (history.LocalKVReplayResult, error)
	asked  []history.LocalKVRequest
}

func (p *scripted) TryReuse(_ context.Context, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	p.asked = append(p.asked, req)
	if p.reuse == nil {
		return history.LocalKVReuseResult{Status: history.LocalKVMiss}, nil
	}
	return p.reuse(req)
}

func (p *scripted) FullReplay(_ context.Context, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	p.asked = append(p.asked, req)
	if p.replay == nil {
		return history.LocalKVReplayResult{Output: "replayed", PrefillTokens: 7, PrefillLatencyMS: 0.5}, nil
	}
	return p.replay(req)
}

func enabled(port history.LocalKVPort) *LocalKVOptions {
	return &LocalKVOptions{
		Port: port, Enabled: true, RuntimeRevision: "rr", ModelRevision: "mr",
		Prepare: func(context.Context, KVRequest) (KVPrefix, error) {
			return KVPrefix{Prompt: "prefix", PrefixTokenCount: 10, ContextTokenCount: 20}, nil
		},
	}
}

// completeLocally sends one request to a provider on this machine.
func completeLocally(t *testing.T, kv *LocalKVOptions) (*Adapter, *spy, history.CompletionResult) {
	t.Helper()
	a, s := withSpy(t, func(o *Options) { o.LocalKV = kv })
	got, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "ollama", Model: "m", Payload: object{"content": "[ds4:internal]x[/ds4:internal]"}})
	if err != nil {
		t.Fatal(err)
	}
	return a, s, got
}

func TestCompleteThroughThePort(t *testing.T) {
	sum := &history.PrivacySummary{Provider: "ollama", Destination: "local", Changed: true}
	native := history.CompletionResult{Status: "completed", Output: object{"ok": 1}, Privacy: sum}
	one := func(set func(d *history.LocalKVDiagnostics)) history.LocalKVDiagnostics {
		d := history.LocalKVDiagnostics{Version: "local-kv-diagnostics-v1"}
		set(&d)
		return d
	}
	untouched := one(func(*history.LocalKVDiagnostics) {})
	const replayFailed = "local-kv-replay-failed:warning"
	for _, c := range []struct {
		name    string
		port    scripted
		edit    func(*LocalKVOptions)
		want    history.CompletionResult
		calls   int
		reports string
		counts  history.LocalKVDiagnostics
	}{
		{"hit", scripted{reuse: func(history.LocalKVRequest) (history.LocalKVReuseResult, error) {
			return history.LocalKVReuseResult{Status: "hit", Output: "kept", SavedPrefillTokens: 10, PrefillLatencyMS: 1}, nil
		}}, nil,
			history.CompletionResult{Status: "completed", Output: "kept", Privacy: sum, LocalKV: &history.LocalKVUse{
				Mode: "hit", PrefixTokens: 10, ContextTokens: 20, SavedPrefillTokens: 10, PrefillLatencyMS: 1}},
			1, "", one(func(d *history.LocalKVDiagnostics) {
				d.Requests, d.EligibleRequests, d.Hits, d.PrefixTokens, d.ContextTokens, d.SavedPrefillTokens = 1, 1, 1, 10, 20, 10
			})},
		{"miss", scripted{}, nil,
			history.CompletionResult{Status: "completed", Output: "replayed", Privacy: sum, LocalKV: &history.LocalKVUse{
				Mode: "full-replay", PrefixTokens: 10, ContextTokens: 20, ReplayPrefillTokens: 7, PrefillLatencyMS: 0.5}},
			2, "", one(func(d *history.LocalKVDiagnostics) {
				d.Requests, d.EligibleRequests, d.Misses, d.FullReplays, d.PrefixTokens, d.ContextTokens = 1, 1, 1, 1, 10, 20
				d.ReplayPrefillTokens, d.ReplayPrefillLatencyMS = 7, 0.5
			})},
		{"replay fails", scripted{replay: func(history.LocalKVRequest) (history.LocalKVReplayResult, error) {
			return history.LocalKVReplayResult{}, errors.New("PROBE")
		}}, nil, native, 2, replayFailed, one(func(d *history.LocalKVDiagnostics) {
			d.Requests, d.EligibleRequests, d.Misses, d.FullReplays, d.TransportFailures, d.PrefixTokens, d.ContextTokens = 1, 1, 1, 1, 1, 10, 20
		})},
		{"replay with invalid numbers", scripted{replay: func(history.LocalKVRequest) (history.LocalKVReplayResult, error) {
			return history.LocalKVReplayResult{PrefillTokens: -1}, nil
		}}, nil, native, 2, replayFailed, one(func(d *history.LocalKVDiagnostics) {
			d.Requests, d.EligibleRequests, d.Misses, d.FullReplays, d.TransportFailures, d.PrefixTokens, d.ContextTokens = 1, 1, 1, 1, 1, 10, 20
		})},
		{"not eligible", scripted{}, func(o *LocalKVOptions) { o.ModelRevision = " mr" }, native, 0, "",
			one(func(d *history.LocalKVDiagnostics) { d.Requests, d.BypassedRequests = 1, 1 })},
		{"prepare fails", scripted{}, func(o *LocalKVOptions) {
			o.Prepare = func(context.Context, KVRequest) (KVPrefix, error) { return KVPrefix{}, errors.New("PROBE") }
		}, native, 0, replayFailed, untouched},
		{"prepare panics", scripted{}, func(o *LocalKVOptions) {
			o.Prepare = func(context.Context, KVRequest) (KVPrefix, error) { panic("PROBE") }
		}, native, 0, replayFailed, untouched},
		{"prepare finds no prefix", scripted{}, func(o *LocalKVOptions) {
			o.Prepare = func(context.Context, KVRequest) (KVPrefix, error) { return KVPrefix{Skip: true}, nil }
		}, native, 0, "", untouched},
		{"not enabled", scripted{}, func(o *LocalKVOptions) { o.Enabled = false }, native, 0, "", untouched},
		// The original uses the port all the same.
		{"a version that negotiation rejects (D16)", scripted{}, func(o *LocalKVOptions) { o.Version = "not a version" }, native, 0, "", untouched},
		{"a version that negotiation trims", scripted{}, func(o *LocalKVOptions) { o.Version = " v1 " },
			history.CompletionResult{Status: "completed", Output: "replayed", Privacy: sum, LocalKV: &history.LocalKVUse{
				Mode: "full-replay", PrefixTokens: 10, ContextTokens: 20, ReplayPrefillTokens: 7, PrefillLatencyMS: 0.5}},
			2, "", one(func(d *history.LocalKVDiagnostics) {
				d.Requests, d.EligibleRequests, d.Misses, d.FullReplays, d.PrefixTokens, d.ContextTokens = 1, 1, 1, 1, 10, 20
				d.ReplayPrefillTokens, d.ReplayPrefillLatencyMS = 7, 0.5
			})},
	} {
		t.Run(c.name, func(t *testing.T) {
			kv := enabled(&c.port)
			if c.edit != nil {
				c.edit(kv)
			}
			a, s, got := completeLocally(t, kv)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.counts, a.LocalKVDiagnostics()); diff != "" {
				t.Errorf("counters (-want +got):\n%s", diff)
			}
			if len(c.port.asked) != c.calls {
				t.Errorf("%d port calls, want %d", len(c.port.asked), c.calls)
			}
			if got := codes(a); got != c.reports {
				t.Errorf("diagnostics %q, want %q", got, c.reports)
			}
			sent := 0
			if c.want.LocalKV == nil {
				sent = 1
			}
			if len(s.got) != sent || sent == 1 && !cmp.Equal(s.got[0].Payload, any(object{"content": "x"})) {
				t.Errorf("sent %+v", s.got)
			}
			if err := a.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.counts, a.LocalKVDiagnostics()); diff != "" {
				t.Errorf("counters after the shutdown (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRemotePayloadsNeverReachThePort(t *testing.T) {
	port := &scripted{}
	a, s := withSpy(t, func(o *Options) { o.LocalKV = enabled(port) })
	for _, provider := range []string{"openai", "ollama/x", "lm\u017Ftudio"} {
		if _, err := a.Complete(t.Context(), history.CompletionRequest{Provider: provider, Model: "m", Payload: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(port.asked) != 0 || len(s.got) != 3 || a.LocalKVDiagnostics().Requests != 0 {
		t.Errorf("%d port calls, %d transport calls", len(port.asked), len(s.got))
	}
}

// Prepare and port get copies of their own: what they do to them reaches nobody.
func TestPortGetsCopies(t *testing.T) {
	spoil := func(payload any) { payload.(object)["content"] = "spoiled" }
	port := &scripted{
		reuse: func(req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
			if diff := cmp.Diff(object{"content": "x"}, req.Payload); diff != "" {
				t.Errorf("the port's payload (-want +got):\n%s", diff)
			}
			spoil(req.Payload)
			return history.LocalKVReuseResult{}, nil
		},
		replay: func(history.LocalKVRequest) (history.LocalKVReplayResult, error) {
			return history.LocalKVReplayResult{}, errors.New("no")
		},
	}
	kv := enabled(port)
	kv.Prepare = func(_ context.Context, req KVRequest) (KVPrefix, error) {
		if diff := cmp.Diff(KVRequest{"ollama", "m", object{"content": "x"}}, req); diff != "" {
			t.Errorf("prepared (-want +got):\n%s", diff)
		}
		spoil(req.Payload)
		return KVPrefix{Prompt: "p", PrefixTokenCount: 1, ContextTokenCount: 1}, nil
	}
	_, s, _ := completeLocally(t, kv)
	if diff := cmp.Diff(object{"content": "x"}, s.got[0].Payload); diff != "" {
		t.Errorf("the transport's payload (-want +got):\n%s", diff)
	}
}

func TestKeyOfARequest(t *testing.T) {
	key := func(edit func(*LocalKVOptions)) history.LocalKVKey {
		port := &scripted{}
		kv := enabled(port)
		edit(kv)
		completeLocally(t, kv)
		if len(port.asked) == 0 {
			t.Fatal("the port was not asked")
		}
		return port.asked[0].Eligibility
	}
	engine, err := privacy.New(privacy.Config{})
	if err != nil {
		t.Fatal(err)
	}
	want, refusal := localkv.Eligible(localkv.Input{
		Enabled: true, CapabilityEnabled: true, CapabilityVersion: "local-kv-runtime-port-v1", Destination: history.Local,
		RuntimeID: runtimeID, RuntimeRevision: "rr", Provider: "ollama", Model: "m", ModelRevision: "mr",
		PrivacyPolicyVersion: engine.Version(), PromptPrefix: "prefix", PrefixTokenCount: 10, ContextTokenCount: 20,
	})
	if refusal != "" {
		t.Fatal(refusal)
	}
	if diff := cmp.Diff(want, key(func(*LocalKVOptions) {})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if other := key(func(o *LocalKVOptions) { o.PrivacyPolicyVersion = "mine" }); other.PrivacyHash == want.PrivacyHash {
		t.Error("the policy's version is not that of the options")
	}
}

// A shutdown that comes while the request is prepared or tried keeps the payload
// from everything behind it.
func TestShutdownDuringReuse(t *testing.T) {
	for _, c := range []struct {
		name  string
		wire  func(kv *LocalKVOptions, port *scripted, close func())
		calls int
	}{
		{"while preparing", func(kv *LocalKVOptions, _ *scripted, close func()) {
			prepare := kv.Prepare
			kv.Prepare = func(ctx context.Context, req KVRequest) (KVPrefix, error) { close(); return prepare(ctx, req) }
		}, 0},
		{"while reusing", func(_ *LocalKVOptions, port *scripted, close func()) {
			port.reuse = func(history.LocalKVRequest) (history.LocalKVReuseResult, error) {
				close()
				return history.LocalKVReuseResult{}, nil
			}
		}, 1},
		{"while replaying", func(_ *LocalKVOptions, port *scripted, close func()) {
			port.replay = func(history.LocalKVRequest) (history.LocalKVReplayResult, error) {
				close()
				return history.LocalKVReplayResult{}, errors.New("closed")
			}
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			port := &scripted{}
			kv := enabled(port)
			var a *Adapter
			c.wire(kv, port, func() {
				if err := a.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			})
			a, s := withSpy(t, func(o *Options) { o.LocalKV = kv })
			got, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "ollama", Model: "m", Payload: "x"})
			if err != nil || got.Code != history.FallbackClosed || len(s.got) != 0 || len(port.asked) != c.calls {
				t.Errorf("%+v, error %v, %d transport calls, %d port calls", got, err, len(s.got), len(port.asked))
			}
			if codes(a) != "adapter-closed:info" {
				t.Errorf("diagnostics %s", codes(a))
			}
		})
	}
}

func TestDiagnosticsWithoutAPort(t *testing.T) {
	a := adapter(t, newHome(t).options())
	if diff := cmp.Diff(history.LocalKVDiagnostics{Version: "local-kv-diagnostics-v1"}, a.LocalKVDiagnostics()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPrepareMessages(t *testing.T) {
	conversation := func(edit func(object)) object {
		p := object{
			"model": "m", "system": "rules", "tools": []any{object{"name": "read"}},
			"messages": []any{object{"role": "user", "content": "a"}, object{"content": "b", "role": "assistant"}, object{"role": "user", "content": "c"}},
		}
		edit(p)
		return p
	}
	prefix := func(payload any) KVPrefix {
		p, err := PrepareMessages(t.Context(), KVRequest{"ollama", "m", payload})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	got := prefix(conversation(func(object) {}))
	want := KVPrefix{
		Prompt:        `{"content":"a","role":"user"}` + "\n" + `{"content":"b","role":"assistant"}` + "\n",
		SystemOptions: localkv.OptionsOf(object{"model": "m", "system": "rules"}), ToolOptions: localkv.OptionsOf([]any{object{"name": "read"}}),
		PrefixTokenCount: 17, ContextTokenCount: 25,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(localkv.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, payload := range []any{nil, "x", object{}, object{"messages": []any{}}, object{"messages": []any{"one"}}, object{"messages": "x"}} {
		if p := prefix(payload); !p.Skip {
			t.Errorf("%v has a prefix: %+v", payload, p)
		}
	}
	fingerprint := func(edit func(object)) string {
		p := prefix(conversation(edit))
		key, refusal := localkv.Eligible(localkv.Input{
			Enabled: true, CapabilityEnabled: true, CapabilityVersion: "v", Destination: history.Local,
			RuntimeID: "rt", RuntimeRevision: "rr", Provider: "ollama", Model: "m", ModelRevision: "mr", PrivacyPolicyVersion: "pp",
			PromptPrefix: p.Prompt, SystemOptions: p.SystemOptions, ToolOptions: p.ToolOptions,
			PrefixTokenCount: p.PrefixTokenCount, ContextTokenCount: p.ContextTokenCount,
		})
		if refusal != "" {
			t.Fatal(refusal)
		}
		return key.Fingerprint
	}
	base := fingerprint(func(object) {})
	if fingerprint(func(p object) { p["messages"].([]any)[2] = object{"content": "another question"} }) != base {
		t.Error("the last message is part of the prefix")
	}
	for name, edit := range map[string]func(object){
		"system":        func(p object) { p["system"] = "other rules" },
		"system absent": func(p object) { delete(p, "system") },
		"other field":   func(p object) { p["instructions"] = "rules" },
		"tools":         func(p object) { p["tools"] = []any{} },
		"tools absent":  func(p object) { delete(p, "tools") },
		"message":       func(p object) { p["messages"].([]any)[0] = object{"role": "user", "content": "A"} },
	} {
		if fingerprint(edit) == base {
			t.Errorf("a change of %s does not show in the fingerprint", name)
		}
	}
}
