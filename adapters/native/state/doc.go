// Package state is what the native runtime keeps: how an agent is configured, the
// transcripts of its sessions, and one row per run in a database beside them.
//
//	config := state.Decode(blob, "native-coder-1a2b3c") // the default where the blob is broken
//	home := state.Home{Dir: "/home/me/.clawboo", Agent: config.ID}
//	err := home.Save(id, talk)
//
// A home without a directory keeps nothing and touches nothing.
//
// It imports the packages beside it, a JSON codec, a database, and a library that writes
// files atomically.
package state
