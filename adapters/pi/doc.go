// Package pi adapts Pi, the coding agent, to both contracts: an [Adapter] makes canonical
// history of the session files that Pi writes, and an [Executor] drives `pi --mode rpc`.
//
// # History
//
// Session files (JSONL, version 3) become canonical history. The adapter reads them and
// never writes.
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
// # Runs
//
//	x := pi.NewExecutor(pi.ExecutorOptions{Home: agentDir, Dir: project})
//	run, err := x.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hello"})
//
// A run is one process, which is given its prompt on stdin once it has told which session
// it has. A session that was to be gone on with and is not there any more fails the run:
// Pi would begin another one without a word. The next run begins a new session.
//
// Pi says that its agent is done more than once: before it tries again, before it
// shortens what it tells the model, before it takes up what was written meanwhile.
// Versions from 1 on say when it is done for good (agent_settled); others are asked how
// they stand, and so is every version after a line that could not be read. Then stdin
// ends, which ends the process; it would end a run that goes on, too. The exit code says
// nothing: Pi exits with 0 whatever the model did.
//
//	text_delta, text_end          text; an answer that failed and is asked for again is
//	                              taken back
//	thinking_delta                reasoning
//	toolcall_end                  a call; tool_execution_start where that was not read
//	tool_execution_end            its result
//	message_end                   cost, one event for each answer
//	auto_retry_start              status retry
//	extension_error               an error that is not fatal
//	extension_ui_request          a question, if it is one for yes or no; others are
//	                              dismissed at once
//
// The price is Pi's own, computed from its list of models. Where Pi says 0 for what it
// counts, the list has no price: the cost is unknown.
//
// Questions come from extensions alone: Pi itself asks nothing before a tool runs. A
// confirm is one, and so is a select with one option that allows (as Yes, Allow). One that
// nobody answers is denied after ExecutorOptions.ApprovalTimeout. An abort denies what is
// open, as an extension that waits would hold it up.
//
// Pi takes a prompt that begins with a slash for a command, a skill or a template where
// it has one of that name. MCP and worktrees are false: Pi has no servers, and keeps tools
// in no directory. ChildToolBlocklist is undeliverable before Pi 1.6, see
// ExecutorOptions.ExcludeTools. A second start on a live session is refused with
// executor.ErrBusy. Pi names no run; the adapter makes one id per run.
//
// It may import contract and internal.
package pi
