package rawmutants

// callLies are about identity, health, handles and sessions.
func callLies() []Mutant {
	const (
		idStable = "executor.identity.id-stable"
		kind     = "executor.identity.participant-kind"
		answers  = "executor.health.answers"
		handle   = "executor.start.handle"
		apart    = "executor.start.distinct-handles"
		unbound  = "executor.start.unbound"
		bound    = "executor.binding.first-event"
		resumes  = "executor.codec.resumes"
	)
	return []Mutant{
		telling("id-number", idStable, "id-blank", "has a number for an id", in("adapter/id", "id", `7`)),
		telling("id-throws", idStable, "id-blank", "has an id that throws", in("adapter/id", "id", throws)),
		telling("kind-list", kind, "participant-kind-unknown", "gives a list of kinds", in("adapter/id", "participantKind", `["agent"]`)),

		telling("C07", answers, "health-rejected", "says yes in words", in("adapter/health", "value.ok", `"yes"`)),
		telling("health-undefined", answers, "health-rejected", "answers a health check with nothing", in("adapter/health", "value", undefined)),
		telling("health-message", answers, "health-rejected", "has an object for a message", in("adapter/health", "value.message", `{"text":"fine"}`)),

		telling("handle-adapter", handle, "handle-adapter-id", "gives a handle without an adapter id", in("adapter/start", "handle.adapterId", missing)),
		telling("handle-session", handle, "handle-session-key", "gives a promise of the session key", in("adapter/start", "handle.sessionKey", promise)),
		telling("D07", apart, "handle-shared", "gives the same handle object for every start", in("adapter/start", "run", `"r1"`)),
		telling("run-id-blank", unbound, "run-id-bound-at-start", "gives an empty run id for none", in("adapter/start", "handle.runId", `""`)),
		telling("run-id-promise", unbound, "run-id-bound-at-start", "gives a promise of the run id", in("adapter/start", "handle.runId", promise)),
		telling("run-id-dropped", bound, "run-id-unbound", "drops the run id of a bound handle", in("stream/next", "handle.runId", missing)),

		telling("blob-object", resumes, "serialize-failed", "serializes a session to an object", in("codec/serialize", "value", `{"v":1}`)),
		telling("blob-promise", resumes, "serialize-failed", "serializes a session to a promise of a promise", in("codec/serialize", "value", promise)),
		telling("restored-promise", resumes, "restored-handle-wrong", "restores a promise of a handle", in("codec/restore", "handle", promise)),
	}
}
