// Package executor is the contract between a host and an agent runtime that it
// drives: start, events, abort, setModel, writeContext, and a stream of seven
// normalised kinds of event.
//
// An adapter implements [Adapter]; what it may offer beyond that are the optional
// interfaces [SessionCodec], [Disposer] and [Approver]. The clauses that an
// adapter must keep are spelled out in docs/contract/executor.md; comments here
// cite them as executor#anchor.
//
// The package has no behaviour of its own beyond the pieces that every adapter
// needs and gets wrong alone: a late-bound [Run], a bounded [Queue], a
// [Registry], and a strict JSON form of events. The judgement about event streams
// is in the package verify below it.
//
// It imports the standard library and a strict JSON codec, nothing else, and
// compiles for wasm.
package executor
