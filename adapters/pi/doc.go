// Package pi adapts Pi, the coding agent, to the history contract: the session
// files that Pi writes (JSONL, version 3) become canonical history. The adapter
// reads them and never writes.
//
//	adapter, err := pi.New(pi.Options{
//		Path: sessionFile, ProjectRoot: dir, Trusted: true,
//		Transport: transport, Privacy: policy,
//	})
//	...
//	snapshot, err := adapter.SnapshotHistory(ctx)
//
// A session file is a tree: every entry but the first ones names its parent. The
// history is one branch of it, from the root to a leaf: the entry that
// [Options.Leaf] names, or the last one in the file, where Pi itself goes on.
//
// An entry becomes one canonical message or none. Messages do, of every role, and
// so do the messages of extensions, the summary of a compaction and that of an
// abandoned branch. Changes of model and thinking level, labels, names and the
// state of extensions do not. A compaction drops nothing here: it shortens what Pi
// sends, and the history is what was said.
//
//	user, assistant, system   the same role; a text, or blocks one by one
//	toolResult                role tool: a tool result, then images
//	bashExecution             role tool: two texts, the command and its output
//	anything else             role custom
//
// A block that is not known, or not in the shape that is known, is passed on whole
// as an opaque one. Fields of messages and blocks that the contract does not know,
// such as stopReason and usage, are kept, unless the canonical message has their
// name for something else. What Pi excludes from the context of the model is
// marked as local only.
//
// A file that is damaged anywhere, or whose branch is broken, is refused as a whole
// and left as it is.
//
// It may import contract and internal.
package pi
