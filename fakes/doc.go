// Package fakes is the puppet: one interface through which checks, laws and
// people play a runtime, whatever its wire. A fake speaks the real wire of what it
// stands for: a child process prints lines, a server answers on a socket.
//
// A [Runtime] waits for runs that an adapter starts; a [Run] is one of them. What
// the runtime shall say is a list of [Frame] values, one kind per word of the
// scenario language; each fake renders them into its own wire.
//
//	run, err := runtime.Next(ctx)          // the adapter started something
//	run.Emit(ctx, fakes.Init{Run: "r1"})   // it says hello
//	run.Emit(ctx, fakes.Delta{Text: "hi"}, fakes.End{Reason: fakes.EndOK})
//
// The package imports contract and the standard library.
package fakes
