// Package codex is the real Codex as a runtime that checks can play: the program itself,
// with a provider on loopback that says what a check wants said.
//
//	runtime, err := codex.New(ctx, codex.Options{Program: "/opt/codex/bin/codex"})
//	run, err := runtime.Next(ctx)                        // an adapter started the program
//	run.Emit(ctx, fakes.Final{Text: &hello}, fakes.End{Reason: fakes.EndOK})
//
// Frames become an answer of the Responses API, and what the adapter reads is what the
// program makes of that. So nothing can be said here that the program would not say: no
// broken lines, no exit codes by choice, no end without a reason. A tool call is a call
// of the program's own shell tool, which waits for its result in a pipe with a name.
//
// The program is started by the adapter through a gate, as process fakes are: a process
// that tells the puppet that it was started, and becomes the program, with the same
// process id, arguments and pipes, when the first frame is said or when somebody asks
// how the run began. Until then the runtime has said nothing.
//
// It imports fakes, fakes/child, fakes/provider, and for its subjects package
// subjects and conformance/check.
package codex
