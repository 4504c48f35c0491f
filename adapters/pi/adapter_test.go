package pi_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/pi"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func TestNewRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		opts pi.Options
		want string
	}{
		{"no path", pi.Options{ProjectRoot: dir}, "option Path"},
		{"no root", pi.Options{Path: "s"}, "option ProjectRoot"},
		{"root is not there", pi.Options{Path: "s", ProjectRoot: filepath.Join(dir, "none")}, "option ProjectRoot"},
		{"bytes", pi.Options{Path: "s", ProjectRoot: dir, MaxHistoryBytes: -1}, "option MaxHistoryBytes"},
		{"messages", pi.Options{Path: "s", ProjectRoot: dir, MaxHistoryMessages: -1}, "option MaxHistoryMessages"},
		{"model", pi.Options{Path: "s", ProjectRoot: dir, Model: &history.Model{Provider: "p", ID: "m"}}, "option Model"},
	} {
		if a, err := pi.New(c.opts); a != nil || !errors.Is(err, pi.ErrOptions) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.name, a, err)
		}
	}
}

// port is an embedding port that is never used.
type port struct{ history.EmbeddingPort }

func TestCapabilities(t *testing.T) {
	p := newPlace(t)
	kv := history.Lacks(history.LocalKVReuse, "Pi exposes no KV state that could be used again")
	compaction := history.Supports(history.Compaction, "pi-session-compact-v1")
	continuation := history.Supports(history.ProviderContinuation, "pi-openai-responses-continuation-v1")
	compare := cmp.AllowUnexported(history.Optional[bool]{})

	a := p.adapter(t)
	want := []history.Declaration{compaction, continuation, history.Lacks(history.Embeddings, "no embedding port was given"), kv}
	if diff := cmp.Diff(want, a.CapabilityDeclarations(), compare); diff != "" {
		t.Errorf("without a port (-want +got):\n%s", diff)
	}
	if a.EmbeddingPort() != nil {
		t.Error("there is a port")
	}
	a = p.adapter(t, func(o *pi.Options) { o.EmbeddingPort = port{} })
	want[2] = history.Supports(history.Embeddings, "embedding-port-v1")
	if diff := cmp.Diff(want, a.CapabilityDeclarations(), compare); diff != "" {
		t.Errorf("with a port (-want +got):\n%s", diff)
	}
	n := a.NegotiateCapabilities([]history.Request{{ID: history.LocalKVReuse, Required: true}, {ID: history.Embeddings}})
	if diff := cmp.Diff([]history.Capability{history.Embeddings}, n.Enabled); diff != "" {
		t.Errorf("enabled (-want +got):\n%s", diff)
	}
}

// An untrusted project has no root and no history, and completions still work.
func TestUntrusted(t *testing.T) {
	p := newPlace(t)
	p.lay(t, user("e1", "null", "hello"))
	a := p.adapter(t, func(o *pi.Options) {
		o.Trusted, o.Privacy = false, open{}
		o.Transport = func(context.Context, history.TransportRequest) (any, error) { return "out", nil }
	})
	if root, err := a.TrustedProjectRoot(t.Context()); !errors.Is(err, pi.ErrUntrusted) || root != "" {
		t.Errorf("root %q, %v", root, err)
	}
	r, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m", Payload: "x"})
	if err != nil || r.Output != "out" {
		t.Errorf("completion %+v, %v", r, err)
	}
}

// A completion is screened, and without a policy nothing is sent.
func TestPrivacyFailsClosed(t *testing.T) {
	p := newPlace(t)
	for name, policy := range map[string]pi.Enforcer{"none": nil, "refuses": shut{}} {
		a := p.adapter(t, func(o *pi.Options) {
			o.Privacy = policy
			o.Transport = func(context.Context, history.TransportRequest) (any, error) {
				t.Errorf("%s: sent", name)
				return nil, nil
			}
		})
		r, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m", Payload: canary})
		if err != nil || r.Code != history.FallbackPrivacy || strings.Contains(r.Reason, canary) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if _, err := a.EnforcePrivacy(t.Context(), history.PrivacyRequest{Provider: "p"}); !errors.Is(err, pi.ErrPrivacy) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestShutdown(t *testing.T) {
	p := newPlace(t)
	p.lay(t, user("e1", "null", "hello"))
	a := p.adapter(t)
	snapshot(t, a)
	for range 2 {
		if err := a.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	_, err := a.SnapshotHistory(t.Context())
	_, rebuild := a.RebuildDerivedState(t.Context())
	_, model := a.CurrentModel(t.Context())
	_, root := a.TrustedProjectRoot(t.Context())
	_, enforced := a.EnforcePrivacy(t.Context(), history.PrivacyRequest{Provider: "p"})
	for i, err := range []error{err, rebuild, model, root, enforced} {
		if !errors.Is(err, pi.ErrClosed) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if diff := cmp.Diff([]history.DiagnosticCode{history.CodeAdapterClosed}, codesOf(a)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// A file that changed within the clock's resolution, without changing its size, is
// read again.
func TestChangeThatTimesDoNotShow(t *testing.T) {
	p := newPlace(t)
	p.lay(t, user("e1", "null", "one"))
	info, err := os.Stat(p.path)
	if err != nil {
		t.Fatal(err)
	}
	a := p.adapter(t)
	first := snapshot(t, a)
	p.lay(t, user("e1", "null", "two"))
	if err := os.Chtimes(p.path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	second := snapshot(t, a)
	if second.Revision == first.Revision || second.Messages[0].Blocks[0].(history.Text).Text != "two" {
		t.Errorf("revision %s, then %s", first.Revision, second.Revision)
	}
}

// What a snapshot's owner does to it comes back to nobody.
func TestSnapshotIsTheCallers(t *testing.T) {
	p := newPlace(t)
	p.lay(t, say("e1", "null", `{"role":"user","content":"hello","mood":"good"}`))
	a := p.adapter(t)
	for range 2 {
		s := snapshot(t, a)
		if text := s.Messages[0].Blocks[0].(history.Text).Text; text != "hello" || s.Messages[0].Extra[0].Value != `"good"` {
			t.Fatalf("a change came back: %q %v", text, s.Messages[0].Extra)
		}
		s.Messages[0].Blocks[0] = history.Text{Text: "changed"}
		s.Messages[0].Extra[0].Value = "null"
	}
}

// The root may be reached through a link, on both sides, and one that is turned
// elsewhere is another root.
func TestRootThroughLink(t *testing.T) {
	p := newPlace(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.root, link); err != nil {
		t.Skip(err)
	}
	p.write(t, lines(link, user("e1", "null", "hello")))
	a := p.adapter(t, func(o *pi.Options) { o.ProjectRoot = link })
	if s := snapshot(t, a); s.ProjectRoot != p.root {
		t.Errorf("root %q, want %q", s.ProjectRoot, p.root)
	}
	if err := errors.Join(os.Remove(link), os.Symlink(t.TempDir(), link)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.SnapshotHistory(t.Context()); !errors.Is(err, pi.ErrIdentity) {
		t.Errorf("after the link was turned: %v", err)
	}
}

func TestContextOver(t *testing.T) {
	p := newPlace(t)
	p.lay(t, user("e1", "null", "hello"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := p.adapter(t)
	if _, err := a.SnapshotHistory(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := codesOf(a); len(got) > 0 {
		t.Errorf("diagnostics %v", got)
	}
}

// Readers, rebuilds, a writer and a shutdown at once: every answer is whole or an
// error.
func TestConcurrency(t *testing.T) {
	p := newPlace(t)
	p.lay(t, user("e1", "null", "one"))
	a := p.adapter(t, func(o *pi.Options) { o.Privacy = open{} })
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				read := a.SnapshotHistory
				if i%2 == 1 {
					read = a.RebuildDerivedState
				}
				s, err := read(t.Context())
				switch {
				case errors.Is(err, pi.ErrClosed):
					return
				case err != nil:
					t.Errorf("reader %d: %v", i, err)
				case ids(s) != "e1" && ids(s) != "e1 e2":
					t.Errorf("reader %d: messages %s", i, ids(s))
				}
			}
		})
	}
	file, err := os.OpenFile(p.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(user("e2", "e1", "two") + "\n"); err != nil {
		t.Error(err)
	}
	file.Close()
	_ = a.Shutdown(t.Context())
	wg.Wait()
}
