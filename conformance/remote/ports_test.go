package remote_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// portUser is a subject that asks every port that it is given when it completes, and
// says what came back.
func portUser() check.Subject {
	s := subjects.JSONLReference()
	build := s.History
	s.History = func(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
		given := f
		f.Ports = check.Ports{}
		in, err := build(ctx, f)
		if err == nil {
			in.Adapter = usesPorts{in.Adapter, given}
		}
		return in, err
	}
	return s
}

type usesPorts struct {
	history.Adapter
	given check.Fixture
}

func (a usesPorts) Complete(ctx context.Context, req history.CompletionRequest) (history.CompletionResult, error) {
	if a.given.Ports == (check.Ports{}) {
		got, err := a.given.Transport(ctx, history.TransportRequest{Provider: req.Provider, Model: req.Model, Destination: history.Remote, Payload: req.Payload})
		return history.CompletionResult{Status: history.Completed, Output: got}, err
	}
	var said []any
	say := func(v any, err error) { said = append(said, fmt.Sprintf("%v, %t", v, err != nil)) }
	if p := a.given.Ports.Embedding; p != nil {
		say(p.Identity(), nil)
		say(p.Embed(ctx, []string{"one", "two"}))
	}
	if p := a.given.Ports.LocalKV; p != nil {
		q := history.LocalKVRequest{Eligibility: history.LocalKVKey{Version: "v"}, Provider: "p", Model: "m", Payload: req.Payload, PrefixTokenCount: 3, ContextTokenCount: 9}
		say(p.TryReuse(ctx, q))
		say(p.FullReplay(ctx, q))
		say(nil, p.(history.LocalKVShutdowner).Shutdown(ctx))
		say(nil, p.(history.LocalKVShutdowner).Shutdown(ctx))
	}
	say(a.given.Transport(ctx, history.TransportRequest{Provider: "p", Model: "m", Destination: history.Remote, Payload: map[string]any{"odd": math.NaN()}}))
	return history.CompletionResult{Status: history.Completed, Output: said}, nil
}

// givenPorts are the suite's, and write down what they are asked.
type givenPorts struct {
	asked []string
	shut  int
}

func (g *givenPorts) Identity() history.EmbeddingIdentity {
	return history.EmbeddingIdentity{Provider: "local", Model: "lengths", Dimensions: 2, Destination: history.Local}
}

func (g *givenPorts) Embed(_ context.Context, texts []string) ([][]float64, error) {
	g.asked = append(g.asked, strings.Join(texts, "+"))
	return [][]float64{{1, 0.5}, {2, 0}}, nil
}

func (g *givenPorts) TryReuse(_ context.Context, q history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	g.asked = append(g.asked, fmt.Sprint(q))
	return history.LocalKVReuseResult{Status: history.LocalKVHit, Output: "kept", SavedPrefillTokens: 3, PrefillLatencyMS: 1.5}, nil
}

func (g *givenPorts) FullReplay(context.Context, history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	return history.LocalKVReplayResult{}, errors.New("no replay: secret reason")
}

func (g *givenPorts) Shutdown(context.Context) error {
	g.shut++
	if g.shut > 1 {
		panic("again")
	}
	return nil
}

// A subject reaches the suite's transport and ports; what they fail with is told
// without its text.
func TestPorts(t *testing.T) {
	s, p, err := remote.Subject(t.Context(), self("ports"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(context.WithoutCancel(t.Context()))
	var sent any
	ports := &givenPorts{}
	f := check.Fixture{
		RuntimeID: "r", SessionID: "s", Root: t.TempDir(), Ports: check.Ports{Embedding: ports, LocalKV: ports},
		Transport: func(_ context.Context, q history.TransportRequest) (any, error) {
			sent = q.Payload
			return nil, errors.New("no transport: secret reason")
		},
	}
	complete := func() any {
		f.Dir = t.TempDir()
		in, err := s.History(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		r, err := in.Adapter.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m", Payload: map[string]any{"text": "x"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Close(t.Context()); err != nil {
			t.Error(err)
		}
		return r.Output
	}
	want := []any{
		"{local lengths 2 local}, false", "[[1 0.5] [2 0]], false",
		"{hit kept 3 1.5}, false", "{<nil> 0 0}, true", "<nil>, false", "<nil>, true", "<nil>, true",
	}
	if d := cmp.Diff(any(want), complete()); d != "" {
		t.Errorf("the subject heard (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"one+two", "{{v      } p m map[text:x] 3 9}"}, ports.asked); d != "" {
		t.Errorf("the ports heard (-want +got):\n%s", d)
	}
	if d := cmp.Diff(any(map[string]any{"odd": map[string]any{"$adaptercheck": "nan"}}), sent); d != "" {
		t.Errorf("the transport got (-want +got):\n%s", d)
	}
	// An answer that comes back as it was has the Go type that the transport gave it.
	f.Ports = check.Ports{}
	f.Transport = func(context.Context, history.TransportRequest) (any, error) { return []int{1}, nil }
	if d := cmp.Diff(any([]int{1}), complete()); d != "" {
		t.Errorf("the output (-want +got):\n%s", d)
	}
}
