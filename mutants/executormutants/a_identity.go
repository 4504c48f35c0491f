package executormutants

import (
	"crypto/rand"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func identityMutants() []Mutant {
	const stable, kind = "executor.identity.id-stable", "executor.identity.participant-kind"
	id := func(f func() string) twist { return func(*right) hooks { return hooks{id: f} } }
	return []Mutant{
		mutant("A01", stable, "id-blank", "the id is a single space", id(func() string { return " " })),
		mutant("A02", stable, "id-unstable", "each instance has a random id", func(*right) hooks {
			mine := "memory-" + rand.Text()
			return hooks{id: func() string { return mine }}
		}),
		mutant("x-id-per-call", stable, "id-unstable", "the id is another one at each call", id(rand.Text)),
		mutant("A05", kind, "participant-kind-unknown", "a robot takes part", func(*right) hooks {
			return hooks{participant: func() executor.ParticipantKind { return "robot" }}
		}),
		mutant("x-kind-empty", kind, "participant-kind-unknown", "nothing takes part", func(*right) hooks {
			return hooks{participant: func() executor.ParticipantKind { return "" }}
		}),
	}
}
