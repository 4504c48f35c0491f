// Package hermes is an executor adapter for Hermes Agent in its one-shot form,
// hermes chat -q: one process per run.
//
//	adapter := hermes.New(hermes.Options{Dir: worktree, Home: home, Env: []string{"OPENROUTER_API_KEY=" + key}})
//	run, err := adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "hi"})
//	if err != nil {
//		return err
//	}
//	events := adapter.Events(run)
//
// There are two formats. In the quiet one, which every version has, Hermes prints
// nothing but its answer, at the end: the run has one text delta, which does not hold
// what was said before a tool, and the exit is its end. In the other ([FormatStream],
// newer versions only) it prints an object per line: text arrives in increments, tools
// while they run, and a record says how the turn ended.
//
// What Hermes does not print is in its own books, the state.db of its home: the tools
// of a quiet run, how its answer ended, and what a run of either format cost. The
// adapter reads them when the process is gone, read-only, and as much as is new since
// the start. The price in them is an estimate of Hermes. Books that cannot be read
// cost the run these events and nothing else.
//
// What this form cannot do, the adapter does not claim. It asks nobody before a tool
// runs (a command that Hermes finds dangerous is denied, unless Options.Args holds
// --yolo), so ToolApproval is false. Nothing confines where tools write, so Worktrees
// is false; nor does the command line attach a server, so MCP is false: servers are
// those of the home's own configuration. Neither a model nor context reaches a running
// process: both go to the next run of the session, so Steerable is false. There is no
// flag for a blocklist of tools: ChildToolBlocklist is undeliverable. A second start
// on a live session is refused with executor.ErrBusy.
//
// Hermes names no run; the adapter makes one id per run. It does name the session,
// for the quiet format only at the exit. That id is the session id of events, and
// what a session is resumed by. Compression goes on under another id; the session is
// then resumed by the new one.
//
// It imports contract/executor, internal packages, a strict JSON codec and SQLite.
package hermes
