// Package team gives a run of the native runtime the tools with which its agent works
// in a team, and what reaches it from there.
//
//	attached, err := team.Attach(ctx, team.Options{
//		Store: s, AgentID: "native-lead-1a2b3c", SessionKey: "agent:native-lead-1a2b3c:team:t1",
//		Dir: worktree, Tasks: server.ReadOnly, Memory: true, Tools: true, TeamChat: true,
//	})
//	if err != nil {
//		return err
//	}
//	defer attached.Close()
//	tools := bridge.Merge(files.Tools(worktree), attached.Tools())
//	messages, err := attached.Inbox(ctx) // before every turn
//
// Tools are those of MCP servers in this process, in the order tasks, memory, tools,
// team chat, under the names that the servers give them. Where two have a tool of one
// name, the first one's is it. A run of a team has delegate before them.
//
// It imports the packages below it, the in-tree embedder and the tool seam.
package team
