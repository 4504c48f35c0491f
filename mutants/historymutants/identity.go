package historymutants

import (
	"context"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// named makes a subject with another identity.
func named(change func(id *history.Identity)) func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{identity: func(in history.Adapter) history.Identity {
			id := in.Identity()
			change(&id)
			return id
		}}
	})
}

// modelled makes a subject with another model; nil stays nil.
func modelled(change func(m *history.Model)) func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{model: func(ctx context.Context, in history.Adapter) (*history.Model, error) {
			m, err := in.CurrentModel(ctx)
			if m != nil {
				m = m.Clone()
				change(m)
			}
			return m, err
		}}
	})
}

// rooted makes a subject with another trusted root.
func rooted(change func(b built, root string) string) func() check.Subject {
	return hooked(func(b built) hooks {
		return hooks{root: func(ctx context.Context, in history.Adapter) (string, error) {
			root, err := in.TrustedProjectRoot(ctx)
			return change(b, root), err
		}}
	})
}

func identityMutants() []Mutant {
	return []Mutant{
		{"history-I01", "reports an inflated longest answer", "history.identity.model-faithful", "model-max-tokens-wrong",
			modelled(func(m *history.Model) { m.MaxTokens = history.Some(m.MaxTokens.Or(0) * 10) })},
		{"history-I02", "has no model though one is selected", "history.identity.model", "model-missing",
			hooked(func(built) hooks {
				return hooks{model: func(context.Context, history.Adapter) (*history.Model, error) { return nil, nil }}
			})},
		{"history-window", "rounds the context window up", "history.identity.model", "model-window-wrong",
			modelled(func(m *history.Model) { m.ContextWindow *= 2 })},
		{"history-provider", "names the model's vendor for its provider", "history.identity.model", "model-provider-wrong",
			modelled(func(m *history.Model) { m.Provider = "vendor" })},
		{"history-model-id", "shortens the model's id", "history.identity.model", "model-id-wrong",
			modelled(func(m *history.Model) { m.ID = m.ID[:len(m.ID)-1] })},
		{"history-I04", "flips the reasoning flag and the modalities", "history.identity.model-faithful", "model-reasoning-wrong",
			modelled(func(m *history.Model) {
				m.Reasoning, m.Input = history.Some(!m.Reasoning.Or(false)), []string{"audio", "video"}
			})},
		{"history-modalities", "claims modalities that the model lacks", "history.identity.model-faithful", "model-modalities-wrong",
			modelled(func(m *history.Model) { m.Input = append(m.Input, "video") })},
		{"history-cost", "has prices of its own", "history.identity.model-faithful", "model-cost-wrong",
			modelled(func(m *history.Model) { m.Cost = &history.ModelCost{Input: 3, Output: 15} })},
		{"history-model-thin", "drops what it need not say of the model", "history.identity.model-whole", "model-field-dropped",
			modelled(func(m *history.Model) { m.Cost, m.MaxTokens = nil, history.Optional[float64]{} })},
		{"history-model-guess", "guesses a model where none is selected", "history.identity.no-model", "model-invented",
			hooked(func(built) hooks {
				return hooks{model: func(ctx context.Context, in history.Adapter) (*history.Model, error) {
					m, err := in.CurrentModel(ctx)
					if m == nil && err == nil {
						m = &history.Model{Provider: "default", ID: "default", ContextWindow: 8192}
					}
					return m, err
				}}
			})},
		{"history-model-shared", "hands out its own model description", "history.identity.model-owned", "model-shared",
			hooked(func(built) hooks {
				var kept *history.Model
				return hooks{model: func(ctx context.Context, in history.Adapter) (_ *history.Model, err error) {
					if kept == nil {
						kept, err = in.CurrentModel(ctx)
					}
					return kept, err
				}}
			})},
		{"history-I05", "broadens the root to its parent", "history.identity.trusted-root", "root-broadened",
			rooted(func(_ built, root string) string { return filepath.Dir(root) })},
		{"history-root-file-system", "trusts the whole file system", "history.identity.trusted-root", "root-broadened",
			rooted(func(_ built, root string) string { return filepath.VolumeName(root) + string(filepath.Separator) })},
		{"history-root-other", "trusts its own directory", "history.identity.trusted-root", "root-wrong",
			rooted(func(b built, _ string) string { return b.f.Dir })},
		{"history-root-blank", "has no root", "history.identity.trusted-root", "root-missing",
			rooted(func(built, string) string { return " " })},
		{"history-root-relative", "gives the root relative to nothing", "history.identity.trusted-root", "root-relative",
			rooted(func(_ built, root string) string { return filepath.Base(root) })},
		{"history-root-link", "gives the root as it was given, link and all", "history.identity.root-real", "root-through-link",
			rooted(func(b built, _ string) string { return b.f.Root })},
		{"history-I07", "names the next version of the contract", "history.identity.contract-version", "contract-version-wrong",
			named(func(id *history.Identity) { id.ContractVersion = "runtime-adapter-v2" })},
		{"history-I08", "gives free text for its version", "history.identity.version-form", "adapter-version-form",
			named(func(id *history.Identity) { id.AdapterVersion = "yes!! latest" })},
		{"history-I10", "has a blank version", "history.identity.names-adapter", "adapter-version-blank",
			named(func(id *history.Identity) { id.AdapterVersion = " " })},
		{"history-nameless", "has no name", "history.identity.names-adapter", "adapter-name-blank",
			named(func(id *history.Identity) { id.AdapterName = "" })},
		{"history-runtime-id", "names itself for its runtime", "history.identity.runtime-id", "runtime-id-wrong",
			named(func(id *history.Identity) { id.RuntimeID = id.AdapterName })},
		{"history-identity-moody", "counts its calls in its version", "history.identity.stable", "identity-changed",
			hooked(func(built) hooks {
				n := 0
				return hooks{identity: func(in history.Adapter) history.Identity {
					id := in.Identity()
					n++
					id.AdapterVersion += "." + string(rune('0'+n%10))
					return id
				}}
			})},
		{"history-identity-lost", "forgets who it was when it is closed", "history.identity.stable", "identity-changed",
			hooked(func(built) hooks {
				closed := false
				return hooks{
					shutdown: func(ctx context.Context, in history.Adapter) error { closed = true; return in.Shutdown(ctx) },
					identity: func(in history.Adapter) history.Identity {
						if closed {
							return history.Identity{}
						}
						return in.Identity()
					},
				}
			})},
	}
}
