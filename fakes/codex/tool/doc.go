// Package tool is how Codex takes the tools that frames name, in whichever mode it runs:
// which are its shell, what command they run, and whose the others are.
//
//	if tool.IsShell(call.Name) {
//		command = tool.Command(call.Input)
//	}
//	server, name := tool.MCP(call.Name)
//
// The package imports nothing of this tree.
package tool
