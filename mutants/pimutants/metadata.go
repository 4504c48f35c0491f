package pimutants

import "github.com/adaptercheck/adaptercheck/contract/history"

func metadataMutants() []Mutant {
	const id = "history.canonical.metadata"
	return []Mutant{
		{ID: "pi-seconds", Note: "gives times in seconds", Check: id, Code: "created-at-changed",
			Subject: messages(func(m *history.Message) {
				if at, ok := m.CreatedAt.Get(); ok {
					m.CreatedAt = history.Some(at / 1000)
				}
			})},
		{ID: "pi-model-of-session", Note: "names the session's model as the writer of every message", Check: id, Code: "message-model-changed",
			Subject: changed(func(b built, s *history.Snapshot) {
				for i := range s.Messages {
					s.Messages[i].Provider, s.Messages[i].Model = history.Some(b.f.Model.Provider), history.Some(b.f.Model.ID)
				}
			})},
		{ID: "pi-roles-translated", Note: "gives the contract's role as the original one", Check: id, Code: "original-role-changed",
			Subject: messages(func(m *history.Message) { m.Provenance.OriginalRole = history.Some(string(m.Role)) })},
		{ID: "pi-tokens-guessed", Note: "takes the number of blocks for the tokens of a message", Check: id, Code: "token-estimate-changed",
			Subject: messages(func(m *history.Message) {
				m.TokenEstimate = history.Some(float64(len(m.Blocks)))
			})},
	}
}
