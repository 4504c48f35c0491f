package historymutants

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Right lists right adapters that look unusual. The caller owns the slice.
func Right() []Variant {
	return []Variant{
		{"history-right-reference", "the reference runtime", subjects.JSONLReference},
		{"history-right-plain", "another program: one JSON document, no cache, no capability, groups in another order, blunt privacy", Plain},
		{"history-right-group-order", "gives its groups in reverse",
			snapshots(func(s *history.Snapshot) { slices.Reverse(s.ToolAtomicGroups) })},
		{"history-right-extra-fields", "adds fields of its own to messages, blocks and provenance",
			messages(func(m *history.Message) {
				own := history.Member{Name: "x-adapter", Value: `{"seen":true}`}
				m.Extra, m.Provenance.Extra, m.Flags.Extra = append(m.Extra, own), append(m.Provenance.Extra, own), append(m.Flags.Extra, own)
				for i, b := range m.Blocks {
					if t, ok := b.(history.Text); ok {
						t.Extra = append(t.Extra, own)
						m.Blocks[i] = t
					}
				}
			})},
		{"history-right-rewritten-json", "writes JSON values anew: other order, other white space, other numbers",
			blocks(func(b *history.ToolCall) {
				if strings.HasPrefix(string(b.Arguments), `{"path":"src/`) {
					path := strings.Split(string(b.Arguments), `"`)[3]
					b.Arguments = history.JSON(`{ "deep": {"none":null,"flag":true}, "lines":[1.0, 2e1], "path":"` + path + `" }`)
				}
			})},
		{"history-right-capable", "supports every capability", capable()},
		{"history-right-thin-model", "says of the model what it must",
			modelled(func(m *history.Model) {
				*m = history.Model{Provider: m.Provider, ID: m.ID, ContextWindow: m.ContextWindow}
			})},
		{"history-right-modality-order", "lists modalities in another order", modelled(func(m *history.Model) { slices.Reverse(m.Input) })},
		{"history-right-link", "gives its root as it was given", linked()},
		{"history-right-strict", "refuses to screen a payload with broken markers",
			plainBut(func(p *plain) { p.policy.strict = true })},
		{"history-right-suspicious", "withholds every word with a digit in it, and credentials",
			plainBut(func(p *plain) { p.policy.more = regexp.MustCompile(`\w*\d\w*`) })},
		{"history-right-forty", "keeps forty diagnostics, and some of its own", recorded(func(d []history.Diagnostic) []history.Diagnostic {
			d = append([]history.Diagnostic{{Code: "adapter-started", Severity: history.Info, Message: "started"}}, d...)
			return d[max(0, len(d)-40):]
		})},
		{"history-right-waits", "waits for completions under way before it closes", waits()},
		{"history-right-own-kv", "uses its local KV port with code of its own: one message as the prefix, no counters", ownKV()},
		{"history-right-open-rest", "still has a model, a root and a policy after shutdown", openRest()},
	}
}

// capable supports everything, with an embedding port of its own.
func capable() func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{
			declarations: func(history.Adapter) []history.Declaration {
				out := []history.Declaration{}
				for _, id := range history.Capabilities() {
					out = append(out, history.Supports(id, "v1.2_beta-3"))
				}
				return out
			},
			embedding: func(history.Adapter) history.EmbeddingPort { return each(2, 0, 1) },
		}
	})
}

// linked gives its root, everywhere, as it was given.
func linked() func() check.Subject {
	return hooked(func(b built) hooks {
		read := func(s history.Snapshot, err error) (history.Snapshot, error) {
			if err == nil {
				s.ProjectRoot = b.f.Root
			}
			return s, err
		}
		return hooks{
			root: func(ctx context.Context, in history.Adapter) (string, error) {
				_, err := in.TrustedProjectRoot(ctx)
				return b.f.Root, err
			},
			snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
				return read(in.SnapshotHistory(ctx))
			},
			rebuild: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
				return read(in.RebuildDerivedState(ctx))
			},
		}
	})
}

// waits lets completions end before it shuts down.
func waits() func() check.Subject {
	return hooked(func(built) hooks {
		var busy sync.RWMutex
		return hooks{
			complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
				busy.RLock()
				defer busy.RUnlock()
				return in.Complete(ctx, req)
			},
			shutdown: func(ctx context.Context, in history.Adapter) error {
				busy.Lock()
				defer busy.Unlock()
				return in.Shutdown(ctx)
			},
		}
	})
}

// openRest goes on with what it need not refuse after shutdown.
func openRest() func() check.Subject {
	return hooked(func(b built) hooks {
		return hooks{
			model: func(context.Context, history.Adapter) (*history.Model, error) {
				if b.f.Model.ID == "" {
					return nil, nil
				}
				return b.f.Model.Clone(), nil
			},
			root: func(context.Context, history.Adapter) (string, error) { return filepath.EvalSymlinks(b.f.Root) },
			enforce: func(_ context.Context, _ history.Adapter, req history.PrivacyRequest) (history.PrivacyResult, error) {
				return policy{}.screen(req)
			},
		}
	})
}
