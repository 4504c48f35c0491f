package pimutants

import (
	"context"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func claimMutants() []Mutant {
	return []Mutant{
		{ID: "pi-runtime-is-session", Note: "names the session as the runtime", Check: "history.identity.runtime-id", Code: "runtime-id-wrong",
			Subject: over(func(b built) history.Adapter { return misnamed{b} })},
		{ID: "pi-root-of-file", Note: "trusts the directory in which sessions are kept", Check: "history.identity.trusted-root", Code: "root-wrong",
			Subject: over(func(b built) history.Adapter { return rooted{b} })},
		{ID: "pi-model-guessed", Note: "makes a model of what the session names, whose window it does not know", Check: "history.identity.model", Code: "model-window-wrong",
			Subject: over(func(b built) history.Adapter { return guesser{b} })},
		{ID: "pi-compaction-unversioned", Note: "declares compaction without a version", Check: "history.capabilities.declaration-form", Code: "declaration-version-invalid",
			Subject: over(func(b built) history.Adapter {
				return declarer{b, func(d *history.Declaration) {
					if d.ID == history.Compaction {
						d.Version = ""
					}
				}}
			})},
		{ID: "pi-embeddings-claimed", Note: "declares embeddings, which Pi has no port for by itself", Check: "history.capabilities.embedding-vectors", Code: "embedding-port-missing",
			Subject: over(func(b built) history.Adapter {
				return portless{declarer{b, func(d *history.Declaration) {
					if d.ID == history.Embeddings {
						*d = history.Supports(d.ID, history.EmbeddingPortVersion)
					}
				}}}
			})},
	}
}

type misnamed struct{ built }

func (m misnamed) Identity() history.Identity {
	id := m.built.Identity()
	id.RuntimeID = m.f.SessionID
	return id
}

type rooted struct{ built }

func (r rooted) TrustedProjectRoot(ctx context.Context) (string, error) {
	_, err := r.built.TrustedProjectRoot(ctx)
	return filepath.Dir(r.path), err
}

type guesser struct{ built }

func (g guesser) CurrentModel(ctx context.Context) (*history.Model, error) {
	m, err := g.built.CurrentModel(ctx)
	if m != nil {
		m.ContextWindow = 200_000
	}
	return m, err
}

// declarer changes each declaration. Negotiation follows.
type declarer struct {
	built
	change func(d *history.Declaration)
}

func (d declarer) CapabilityDeclarations() []history.Declaration {
	out := d.built.CapabilityDeclarations()
	for i := range out {
		d.change(&out[i])
	}
	return out
}

func (d declarer) NegotiateCapabilities(requested []history.Request) history.Negotiation {
	return history.Negotiate(d.CapabilityDeclarations(), requested)
}

type portless struct{ declarer }

func (portless) EmbeddingPort() history.EmbeddingPort { return nil }
