// Package puppet lets the suite play a runtime that holds the conversation itself and asks
// a provider of models for every turn: what such a runtime is seen to do is decided by what
// its provider answers, and by what its tools return.
//
//	rt, err := puppet.New(ctx, puppet.Options{Dialect: provider.Anthropic})
//	at := rt.Endpoint() // URL of the provider; the rest in Env, the home in Dir
//	…
//	run, err := rt.Next(ctx)
//	run.Emit(ctx, fakes.Delta{Text: "hi"}, fakes.End{Reason: fakes.EndOK})
//
// A run is what asks under one name: the part before the slash of X-Client-Request-Id. It
// goes on with the session of the run whose whole conversation its own begins with.
//
// Frames of the model are pieces of the answer to the request that waits. A tool call ends
// that answer with the call of Emit that made the last of them; what follows is said in the
// answer to the next request. A result is what the tool returns, which the runtime must
// have as one of [Tools] and which asks for it at [EnvTools], see [Question]. A call
// without a result fails when the run goes on. A second count of tokens begins a turn of
// its own, for which the model calls a tool that returns nothing; so does every turn up to
// [MaxTurns], where a turn limit is played: the runtime must have that one. What comes
// behind an end in one call of Emit is on the wire behind the end.
//
// An error that does not end the run is a refusal of a request, for which the runtime must
// have somebody else to ask, at the same address. Where the answer has begun it ends, as by
// a second count of tokens, and the next request is refused.
//
// An approval is asked for a call of [Guarded], and its answer is whether the call is made.
//
// It imports fakes, fakes/provider and a JSON codec.
package puppet
