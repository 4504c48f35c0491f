package host_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/native/host"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
)

// environment is one with these variables.
func environment(vars map[string]string) func(*host.Options) {
	return func(o *host.Options) { o.Env = func(name string) string { return vars[name] } }
}

// Keys of the environment count until the runtime is disconnected, and not again.
func TestEnvironmentKeys(t *testing.T) {
	b := newBench(t, environment(map[string]string{"ANTHROPIC_API_KEY": " " + key + "\n"}))
	held := func(want bool) {
		t.Helper()
		status, m := b.post(routes+"connect", map[string]any{"provider": "anthropic"})
		if (status == 200) != want {
			t.Fatalf("a key of the environment counts: %d %v", status, m)
		}
	}
	held(true)
	if status, m := b.post(routes+"healthcheck", map[string]any{"provider": "anthropic"}); status != 200 || m["ok"] != true {
		t.Errorf("%d %v", status, m)
	}
	if status, m := b.post(routes+"disconnect", map[string]any{}); status != 200 || m["connectionState"] != "needs-auth" {
		t.Fatalf("%d %v", status, m)
	}
	held(false)
	if status, m := b.post(routes+"connect", map[string]any{"provider": "openrouter", "apiKey": key}); status != 200 || m["connectionState"] != "ready" {
		t.Fatalf("%d %v", status, m)
	}
	held(false)
}

// Ollama that has been set up is enough to be healthy.
func TestOllamaIsEnough(t *testing.T) {
	b := newBench(t, environment(map[string]string{"OLLAMA_BASE_URL": "http://127.0.0.1:1"}))
	if status, m := b.post(routes+"connect", map[string]any{"provider": "ollama"}); status != 200 || m["connectionState"] != "ready" {
		t.Errorf("%d %v", status, m)
	}
}

// A team is a leader and a specialist with the provider's two models; a model that was
// asked for is the leader's alone.
func TestSeededAgents(t *testing.T) {
	b := newBench(t, environment(map[string]string{"GROQ_API_KEY": key}))
	form := map[string]*regexp.Regexp{
		"leaderAgentId": regexp.MustCompile(`^native-team-lead-[0-9a-f]{6}$`), "specialistAgentId": regexp.MustCompile(`^native-coder-[0-9a-f]{6}$`),
	}
	type want struct {
		body               map[string]any
		provider           provider.ID
		leader, specialist string
	}
	cases := []want{
		{map[string]any{}, provider.Groq, "llama-3.3-70b-versatile", "llama-3.1-8b-instant"}, // the one with a key
		{map[string]any{"provider": "openai", "model": "mine"}, provider.OpenAI, "mine", "gpt-4o-mini"},
	}
	for _, s := range provider.All() {
		cases = append(cases, want{map[string]any{"provider": s.ID}, s.ID, s.Leader, s.Specialist})
	}
	for _, c := range cases {
		status, m := b.post("/api/onboarding/seed-native-team", c.body)
		if status != http.StatusCreated {
			t.Fatalf("%v: %d %v", c.body, status, m)
		}
		for member, model := range map[string]string{"leaderAgentId": c.leader, "specialistAgentId": c.specialist} {
			id := m[member].(string)
			if !form[member].MatchString(id) {
				t.Errorf("%s is %q", member, id)
			}
			path := filepath.Join(b.home, "agents", id+".json")
			blob, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			agent, err := state.Parse(blob)
			if err != nil {
				t.Fatal(err)
			}
			if agent.ID != id || agent.PrimaryProvider != c.provider || agent.PrimaryModel != model {
				t.Errorf("%v: %s is %+v", c.body, member, agent)
			}
			if d := cmp.Diff(state.Tools{Memory: true, Tools: true, Tasks: state.TasksRead, TeamChat: true}, agent.Tools); d != "" {
				t.Errorf("tools (-want +got):\n%s", d)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
				t.Errorf("%s: %v %v", member, info.Mode(), err)
			}
		}
	}
}

// Only this machine is listened to, unless it is meant otherwise.
func TestListen(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true, "[::1]:0": true, "0.0.0.0:0": false, ":0": false, "[::]:0": false,
		"192.0.2.1:0": false, "example.com:80": false, "127.0.0.1": false, "": false,
	} {
		l, err := host.Listen(address, false)
		if err == nil {
			_ = l.Close()
		}
		if address == "[::1]:0" && err != nil && !strings.Contains(err.Error(), "loopback") {
			continue // a machine without that protocol
		}
		if (err == nil) != want {
			t.Errorf("%q: %v", address, err)
		}
	}
	// Where it is meant, the address is tried: this one is nobody's.
	if l, err := host.Listen("192.0.2.1:0", true); err == nil || strings.Contains(err.Error(), "loopback") {
		if l != nil {
			_ = l.Close()
		}
		t.Errorf("%v", err)
	}
}

// Serve ends with its context, and when the host is closed.
func TestServeEnds(t *testing.T) {
	for name, closes := range map[string]bool{"context": false, "close": true} {
		t.Run(name, func(t *testing.T) {
			h, err := host.New(host.Options{Home: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			l, err := host.Listen("127.0.0.1:0", false)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- h.Serve(ctx, l) }()
			resp, err := http.Get("http://" + l.Addr().String() + "/api/runtimes")
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if closes {
				err = h.Close()
			} else {
				cancel()
			}
			if err != nil {
				t.Error(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if !closes {
				if err := h.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A host whose vault cannot be read does not start: its keys would seem to be gone.
func TestDamagedVault(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "vault"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "vault", "keys.age"), []byte("no vault"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h, err := host.New(host.Options{Home: home}); err == nil || !strings.Contains(err.Error(), "vault") {
		if h != nil {
			_ = h.Close()
		}
		t.Errorf("%v", err)
	}
	if _, err := host.New(host.Options{}); err == nil {
		t.Error("a host without a home")
	}
}

// Pages of this machine are served, those of others are not.
func TestPages(t *testing.T) {
	h, err := host.New(host.Options{Home: t.TempDir(), Env: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, c := range []struct {
		host, origin string
		want         bool
	}{
		{"127.0.0.1:18790", "", true}, {"localhost:18790", "", true}, {"[::1]:18790", "", true}, {"192.0.2.7:80", "", true},
		{"localhost", "http://localhost:3000", true}, {"127.0.0.1:1", "https://127.0.0.1", true}, {"127.0.0.1:1", "http://[::1]:5", true},
		{"elsewhere.example", "", false}, {"localhost.elsewhere.example:1", "", false}, {"", "", false},
		{"127.0.0.1:1", "https://elsewhere.example", false}, {"127.0.0.1:1", "null", false}, {"127.0.0.1:1", "http://127.0.0.1.elsewhere.example", false},
		{"127.0.0.1:1", "file://localhost", false}, {"127.0.0.1:1", "http://192.0.2.7", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/api/runtimes", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		h.Handler().ServeHTTP(w, r)
		if got := w.Code == http.StatusOK; got != c.want {
			t.Errorf("host %q, origin %q: %d", c.host, c.origin, w.Code)
		}
		var m map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
			t.Errorf("host %q: %v", c.host, err)
		}
	}
}

// Addresses for tests cover every provider.
func TestEverywhere(t *testing.T) {
	all := host.Everywhere("http://127.0.0.1:1/")
	if len(all) != len(provider.All()) {
		t.Errorf("%d addresses", len(all))
	}
	for id, want := range map[provider.ID]string{
		provider.Anthropic: "http://127.0.0.1:1/anthropic/v1/models", provider.Ollama: "http://127.0.0.1:1/ollama/api/tags",
		provider.Groq: "http://127.0.0.1:1/groq/v1/models",
	} {
		spec, _ := provider.Known(id)
		if got := spec.Probe(spec.Base(all[id], nil)); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
	if !slices.Contains(provider.IDs(), "moonshot") {
		t.Error("providers are missing")
	}
}
