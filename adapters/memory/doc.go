// Package memory is the smallest right adapter of the executor contract: one for
// the runtime in fakes/memory. It is what the suite's checks are first written
// against, and what wrong adapters are made from.
//
// A run is a process in its eyes: its stream ends after its done. With
// Options.Connected it is the smallest adapter of a connected substrate instead. A
// second start on a session with a live run is refused.
//
// It imports contract, fakes and fakes/memory, as its wire is a Go value of the
// latter, and internal.
package memory
