package rawmutants

// eventLies are about events.
func eventLies() []Mutant {
	const formed = "executor.events.well-formed"
	malformed := func(id, note string, l lie) Mutant { return telling(id, formed, "event-malformed", note, l) }
	return []Mutant{
		malformed("event-null", "gives null for an event", instead("text-delta", `null`)),
		malformed("event-promise", "gives a promise of an event", instead("text-delta", promise)),
		malformed("event-text", "gives text for an event", instead("text-delta", `"hello"`)),
		malformed("event-throws", "gives an event that throws", instead("text-delta", throws)),
		malformed("F10", "gives an event of a kind of its own", event("text-delta", "kind", `"heartbeat"`)),
		malformed("kind-missing", "leaves the kind out", event("text-delta", "kind", missing)),
		malformed("kind-number", "numbers the kinds", event("text-delta", "kind", `1`)),
		malformed("F08", "stamps an event with text", event("text-delta", "ts", `"2026-01-01T00:00:00Z"`)),
		malformed("ts-fraction", "stamps an event with parts of a millisecond", event("text-delta", "ts", `1700000000000.25`)),
		malformed("seq-text", "numbers its events with text", event("text-delta", "seq", `"1"`)),
		malformed("F01", "numbers its events with fractions", event("text-delta", "seq", `0.5`)),
		malformed("run-id-missing", "leaves the run id of an event out", event("text-delta", "runId", missing)),
		malformed("run-id-null", "gives null for the run id of an event", event("text-delta", "runId", `null`)),
		malformed("session-number", "numbers its sessions", event("text-delta", "sessionId", `7`)),
		malformed("text-number", "gives a number for text", event("text-delta", "text", `42`)),
		malformed("text-function", "gives a function for text", event("text-delta", "text", function)),
		malformed("channel-number", "numbers the channels", event("text-delta", "channel", `1`)),
		malformed("J11", "has a summary that is undefined", event("done", "summary", undefined)),
		malformed("reason-missing", "leaves the reason of the end out", event("done", "reason", missing)),
		malformed("call-id-number", "numbers its tool calls", event("tool-call", "toolCallId", `1`)),
		malformed("call-input-function", "gives a function for the input of a call", event("tool-call", "input", function)),
		malformed("call-partial-text", "says in words whether a call is partial", event("tool-call", "partial", `"no"`)),
		malformed("result-error-text", "says in words whether a result is an error", event("tool-result", "isError", `"false"`)),
		malformed("result-output-object", "gives an object for the output of a tool", event("tool-result", "output", `{"text":"a"}`)),

		malformed("K02", "has a cost that is no number", event("cost", "usage.inputTokens", nan)),
		malformed("cost-text", "gives a cost as text", event("cost", "costUsd", `"0.25"`)),
		malformed("usage-missing", "leaves the usage out", event("cost", "usage", missing)),
	}
}
