// Package server holds the MCP servers through which an agent of the native runtime
// works with its team: tasks, memory, tools and the team's chat. They stand in this
// process, over one [store.Store].
//
//	run := server.Run{AgentID: "native-coder-1a2b3c", TeamID: "team-1"}
//	tasks := server.NewTasks(s, run, server.ReadOnly)
//	memory := server.NewMemory(s.Memory(embedding.Port{}), run)
//
// Who acts is bound when a server is made and cannot be set by a call: a post is by
// the agent of the run, a fact is its team's, and tasks of another team are not found.
//
// Tools answer with text, mostly JSON. A call that fails is an answer too, with
// isError and the reason; so are an unknown tool ("unknown tool: X") and arguments
// that are not what the schema says ("invalid args: ..."). A call that a policy
// refused also holds the reason in _meta, as denied. Keys that a schema does not know
// are ignored.
//
// It imports the store, the file tools, the official Go SDK of MCP with its JSON
// Schema, and a strict JSON codec.
package server
