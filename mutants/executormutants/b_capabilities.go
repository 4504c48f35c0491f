package executormutants

import (
	"context"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// claims is a twist of the capabilities, without state.
func claims(change func(*executor.Capabilities)) twist {
	return func(*right) hooks {
		return hooks{capabilities: func(c executor.Capabilities) executor.Capabilities { change(&c); return c }}
	}
}

func capabilityMutants() []Mutant {
	const topic = "executor.capabilities."
	shape := func(id string, code check.Code, note string, change func(*executor.Capabilities)) Mutant {
		return mutant(id, topic+"shape", code, note, claims(change))
	}
	return []Mutant{
		shape("B01", "model-blank", "the models hold one without a name", func(c *executor.Capabilities) { c.Models = append(c.Models, " ") }),
		shape("B02", "context-window-negative", "the context window is negative", func(c *executor.Capabilities) { c.ContextWindowTokens = -200_000 }),
		shape("x-models-missing", "models-missing", "there is no list of models", func(c *executor.Capabilities) { c.Models = nil }),
		shape("x-class-unknown", "runtime-class-unknown", "the runtime class is a word of its own", func(c *executor.Capabilities) { c.RuntimeClass = "serverless" }),
		shape("x-home-unknown", "native-home-scope-unknown", "the home belongs to a team", func(c *executor.Capabilities) { c.NativeHome = &executor.NativeHome{Scope: "per-team"} }),
		shape("x-preservation-unknown", "native-preservation-unknown", "memory is preserved sometimes", func(c *executor.Capabilities) { c.NativeMemory = "sometimes" }),
		shape("x-channels-unknown", "native-channels-unknown", "channels go by pigeon", func(c *executor.Capabilities) { c.NativeChannels = "pigeon" }),

		mutant("x-capabilities-drift", topic+"stable", "capabilities-unstable", "the window grows at each call", func(*right) hooks {
			var asked atomic.Int64
			return hooks{capabilities: func(c executor.Capabilities) executor.Capabilities {
				c.ContextWindowTokens += asked.Add(1)
				return c
			}}
		}),
		mutant("x-capabilities-after-start", topic+"stable", "capabilities-unstable", "a started run changes the capabilities", func(r *right) hooks {
			return hooks{capabilities: func(c executor.Capabilities) executor.Capabilities {
				c.MCP = len(r.runs()) > 0
				return c
			}}
		}),
		mutant("B11", topic+"owned", "capabilities-aliased", "every caller gets the same list of models", func(*right) hooks {
			shared := []string{"memory-small", "memory-large"}
			return hooks{capabilities: func(c executor.Capabilities) executor.Capabilities { c.Models = shared; return c }}
		}),
		mutant("x-home-shared", topic+"owned", "capabilities-aliased", "every caller gets the same home", func(*right) hooks {
			shared := &executor.NativeHome{Scope: executor.PerIdentity, Persist: true}
			return hooks{capabilities: func(c executor.Capabilities) executor.Capabilities { c.NativeHome = shared; return c }}
		}),
		mutant("B05", topic+"resume-honest", "resume-without-codec", "claims to resume and has no codec", nil, noCodec),
		mutant("x-resume-unsupported", topic+"resume-honest", "resume-without-codec", "claims to resume and its codec says that it has none", unsupportedCodec),
		mutant("B04", topic+"steerable-honest", "steerable-untrue", "claims to be steerable and drops what is written", func(*right) hooks {
			return hooks{writeContext: func(context.Context, *executor.Run, string, string) error { return nil }}
		}),
		mutant("x-steerable-unclaimed", topic+"steerable-claimed", "steerable-unclaimed", "is steerable and does not say so",
			claims(func(c *executor.Capabilities) { c.Steerable = false })),
	}
}
