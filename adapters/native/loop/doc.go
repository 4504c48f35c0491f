// Package loop is the conversation of the native runtime: turns of a model, the tools it
// calls, and what it is told in between, until it has said all, or is stopped.
//
//	outcome := loop.Run(ctx, loop.Options{
//		System: system, Prompt: "list the files", Tools: tools, Model: router, Emit: publish,
//	})
//
// The tools are sorted once and the system prompt never changes, so that what a provider
// has cached of a conversation stays good: every request begins with the bytes of the one
// before. What is told while a run goes on is a message of the user at its end.
//
// The events have no envelopes, and done is left to the caller, who has the outcome. Where
// ctx ends, the run is aborted.
//
// It imports contract/executor and the packages beside it.
package loop
