// Package codex is an executor adapter for the Codex CLI: one process per run, one
// JSON object per line on stdout.
//
//	adapter := codex.New(codex.Options{Mode: codex.ModeAppServer, Dir: worktree, Env: []string{"OPENAI_API_KEY=" + key}})
//	run, err := adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "hi"})
//	if err != nil {
//		return err
//	}
//	events := adapter.Events(run)
//
// There are two modes. In [ModeExec] the process is codex exec --json, which is told
// everything at its start. There are no text increments, only whole messages, so
// Streaming is false. Nothing is asked before a tool runs, so ToolApproval is false.
// Neither a model nor context reaches a run that is live: both go to the next run of the
// session, the context as text before the message, so Steerable is false.
//
// In [ModeAppServer] it is codex app-server, which is talked to while it runs: a
// handshake, a thread, one turn, and the end of its stdin when the turn is over. Text
// comes in increments. Context that is written goes to the live turn; what the turn does
// not take, as it has ended, goes to the next run. A model goes to the next run here
// too. Codex asks for what the sandbox does not allow, and for tools of servers that may
// change something (see Options.Approval): a status event with executor.DetailApproval
// and an id, that of the call where the question names one, answered by Approve, denied
// when nobody answers in time. Requests of other kinds are refused, so that no turn waits
// for them. An abort interrupts the turn.
//
// A session goes on from one mode to the other: what is kept of it is its thread, and
// the token counts of that thread, of which each run is billed what is new. A warning of
// Codex is an error that is not fatal; a notice that it tries again is a status. The
// command line has no flag for a blocklist of tools: ChildToolBlocklist is
// undeliverable. A second start on a live session is refused with executor.ErrBusy.
//
// Codex names no run that a host could rely on in both modes; the adapter makes one id
// per run. It does name the thread, which is the session id of events and what a session
// is resumed by, never by a name: Codex silently starts a new thread where it does not
// find a name.
//
// It imports contract/executor, internal packages and a strict JSON codec.
package codex
