// Package reference is the reference adapter of the history contract: a callback
// runtime over an append-only JSONL session file, ds4-runtime-session-v1.
//
// [Create] lays a session down, [Append] and [Writer] add to it, and an [Adapter]
// made by [New] reads it, applies the privacy policy, and sends completions
// through the injected transport. It is complete enough to be judged by every
// check, and small enough to read beside the contract; it is no framework for
// production use.
//
//	err := reference.Create(reference.CreateOptions{
//		Path: path, SessionID: "s1", ProjectRoot: root, Messages: messages,
//	})
//	...
//	adapter, err := reference.New(reference.Options{
//		Path: path, SessionID: "s1", ProjectRoot: root, Transport: transport,
//	})
//	...
//	snapshot, err := adapter.SnapshotHistory(ctx)
//
// The file is UTF-8, one JSON value per line. The first line is the header
// {type, runtimeId, sessionId, projectRoot}, every other one {type: "message",
// message}. A file that is damaged in any way is refused as a whole and left as it
// is. What a crash leaves at its end is set aside by [Recover], on demand and without
// losing a byte.
//
// Where [LocalKVOptions] enable it, completions for providers on this machine go
// through a local KV port first. Package embedding beside this one is an embedding
// port that needs nothing.
//
// It may import contract, internal and reference/privacy.
package reference
