package historymutants

import (
	"context"
	"errors"
	"math"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// vectors is an embedding port of a mutant.
type vectors struct {
	history.EmbeddingIdentity
	embed func(texts []string) [][]float64
}

func (v vectors) Identity() history.EmbeddingIdentity { return v.EmbeddingIdentity }

func (v vectors) Embed(_ context.Context, in []string) ([][]float64, error) { return v.embed(in), nil }

// embeds makes a subject that declares embeddings with a port of its own; nil is
// none.
func embeds(port history.EmbeddingPort) func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{
			declarations: func(history.Adapter) []history.Declaration {
				return []history.Declaration{history.Supports(history.Embeddings, history.EmbeddingPortVersion)}
			},
			embedding: func(history.Adapter) history.EmbeddingPort { return port },
		}
	})
}

// each makes a port that gives the same vector for every text.
func each(dimensions int, v ...float64) history.EmbeddingPort {
	return vectors{
		history.EmbeddingIdentity{Provider: "local", Model: "m", Dimensions: dimensions, Destination: history.Local},
		func(in []string) [][]float64 {
			out := make([][]float64, len(in))
			for i := range out {
				out[i] = v
			}
			return out
		},
	}
}

// counts makes a subject that reports a local KV port in its own way.
func counts(f func(b built) history.LocalKVDiagnostics) func() check.Subject {
	return hooked(func(b built) hooks {
		return hooks{
			declarations: func(history.Adapter) []history.Declaration {
				return []history.Declaration{history.Supports(history.LocalKVReuse, history.LocalKVPortVersion)}
			},
			kvCounters: func(history.Adapter) history.LocalKVDiagnostics { return f(b) },
		}
	})
}

// ported makes a subject whose factory changes the ports that it is given.
func ported(change func(p *check.Ports)) func() check.Subject {
	return refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
		change(&f.Ports)
		return s.History(ctx, f)
	})
}

// keptKV hides from the adapter that a port can be released.
type keptKV struct{ history.LocalKVPort }

// eagerKV is released whenever it is asked to.
type eagerKV struct{ history.LocalKVPort }

func (p eagerKV) Shutdown(ctx context.Context) error {
	s := p.LocalKVPort.(history.LocalKVShutdowner)
	if err := s.Shutdown(ctx); err != nil {
		return err
	}
	return s.Shutdown(ctx)
}

func portMutants() []Mutant {
	const vectorCheck, counterCheck = "history.capabilities.embedding-vectors", "history.capabilities.local-kv-counters"
	version := history.LocalKVDiagnosticsVersion
	return []Mutant{
		{"history-E01", "gives vectors of NaN and of the wrong size", vectorCheck, "embedding-not-finite", embeds(each(3, math.NaN(), 1))},
		{"history-vector-length", "gives vectors of the wrong size", vectorCheck, "embedding-length-wrong", embeds(each(3, 1, 2))},
		{"history-vector-zero", "gives vectors of nothing", vectorCheck, "embedding-zero", embeds(each(2, 0, 0))},
		{"history-vector-infinite", "gives vectors without end", vectorCheck, "embedding-not-finite", embeds(each(2, math.Inf(1), 0))},
		{"history-vector-count", "gives one vector for all texts", vectorCheck, "embedding-count-wrong",
			embeds(vectors{each(1).Identity(), func([]string) [][]float64 { return [][]float64{{1}} }})},
		{"history-vector-identity", "does not know the size of its vectors", vectorCheck, "embedding-identity-invalid", embeds(each(0, 1))},
		{"history-vector-port", "declares embeddings without a port", vectorCheck, "embedding-port-missing", embeds(nil)},
		{"history-E02", "shows a native handle and the prompt among its counters", counterCheck, "local-kv-leaks",
			counts(func(b built) history.LocalKVDiagnostics {
				return history.LocalKVDiagnostics{Version: "handle 0x7f31; " + b.f.Messages[0].Blocks[0].(history.Text).Text}
			})},
		{"history-kv-version", "does not version its counters", counterCheck, "local-kv-version-wrong",
			counts(func(built) history.LocalKVDiagnostics { return history.LocalKVDiagnostics{} })},
		{"history-kv-counters", "counts below zero", counterCheck, "local-kv-counter-invalid",
			counts(func(built) history.LocalKVDiagnostics { return history.LocalKVDiagnostics{Version: version, Hits: -1} })},
		{"history-L13", "never releases the port that it was given", "history.lifecycle.port-released", "port-not-released",
			ported(func(p *check.Ports) {
				if p.LocalKV != nil {
					p.LocalKV = keptKV{p.LocalKV}
				}
			})},
		{"history-port-twice", "releases the port twice", "history.lifecycle.port-released", "port-released-again",
			ported(func(p *check.Ports) {
				if p.LocalKV != nil {
					p.LocalKV = eagerKV{p.LocalKV}
				}
			})},
		{"history-port-failure", "fails to close when its port does", "history.lifecycle.port-failure", "port-failure-escaped",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				port, given := f.Ports.LocalKV.(history.LocalKVShutdowner)
				in, err := s.History(ctx, f)
				if err == nil && given {
					in.Adapter = wrapped{in.Adapter, hooks{shutdown: func(ctx context.Context, in history.Adapter) error {
						return errors.Join(in.Shutdown(ctx), port.Shutdown(ctx))
					}}}
				}
				return in, err
			})},
		{"history-port-failure-open", "stays open when its port does not close", "history.lifecycle.port-failure", "port-failure-left-open",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				in, err := s.History(ctx, f)
				if err == nil && f.Ports.LocalKV != nil {
					in.Adapter = wrapped{in.Adapter, hooks{shutdown: noShutdown}}
				}
				return in, err
			})},
	}
}

func factoryMutants() []Mutant {
	return []Mutant{
		{"history-K01", "its factory takes a message out of the fixture", "history.canonical.messages", "message-missing",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				copy(f.Messages, f.Messages[1:])
				f.Messages = f.Messages[:len(f.Messages)-1]
				return s.History(ctx, f)
			})},
		{"history-K02", "its factory makes the fixture's window fit", "history.identity.model", "model-window-wrong",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				f.Model.ContextWindow = 200_000
				return s.History(ctx, f)
			})},
		{"history-K04", "its cleanup fails", "history.lifecycle.cleanup", "cleanup-failed",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				in, err := s.History(ctx, f)
				if err == nil {
					in.Close = func(context.Context) error { panic("already removed") }
				}
				return in, err
			})},
		{"history-root-factory", "its factory expects another root than the adapter has", "history.identity.trusted-root", "root-unlike-factory",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				in, err := s.History(ctx, f)
				if err == nil {
					in.Root = filepath.Dir(f.Root)
				}
				return in, err
			})},
	}
}
