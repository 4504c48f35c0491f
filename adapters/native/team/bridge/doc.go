// Package bridge makes tools of the native runtime out of those of an MCP server that
// stands in this process.
//
//	session, err := bridge.Connect(ctx, server.NewTasks(s, run, server.ReadOnly))
//	if err != nil {
//		return err
//	}
//	defer session.Close()
//	tools, err := session.Tools(ctx)
//
// Each session is a client of its server over an in-memory transport and speaks MCP
// with it, as it would with a server elsewhere.
//
// It imports the tool seam of the native runtime and the official Go SDK of MCP.
package bridge
