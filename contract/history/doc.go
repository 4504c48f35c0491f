// Package history is the boundary between an agent runtime and whatever keeps and
// completes its conversations: the contract runtime-adapter-v1. A runtime's own
// history stays canonical; an adapter gives a faithful, read-only [Snapshot] of
// it, says what it can do, and sends completions through an injected [Transport]
// only after its privacy policy was applied.
//
// An adapter implements [Adapter]; what it may offer beyond that are the optional
// interfaces [EmbeddingPorter], [LocalKVPorter] and [LocalKVDiagnoser]. The
// clauses that an adapter must keep are spelled out in docs/contract/history.md;
// comments here cite them as history#anchor.
//
// Beside the types stand the pure functions that every adapter needs and every
// judgement rests on: [Negotiate], [AtomicGroups], [Validate], [Advise],
// [RevisionOf], and a strict JSON form of messages that keeps what it does not
// know. Groups and validation are linear in the length of the history.
//
// It imports the standard library and a strict JSON codec, nothing else, and
// compiles for wasm.
package history
