// Package provider talks to providers of models for the native runtime: which there are,
// what one turn of a conversation is in the dialect of each, what their failures mean, and
// which one serves when the first cannot.
//
//	spec, known := provider.Known("openrouter")
//	router, err := provider.NewRouter(provider.Options{Candidates: candidates, Keys: keys})
//	answer, err := router.Turn(ctx, provider.Request{System: system, Messages: talk}, func(p provider.Piece) { … })
//
// Nothing is tried twice at the same provider: an answer is asked for once, and a failure
// before its first piece leads to the next candidate. No client is built and no connection
// opened before the first turn.
//
// It imports the packages beside it, internal packages, and the official SDKs of Anthropic
// and OpenAI.
package provider
