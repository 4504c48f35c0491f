// Package codex is an executor adapter for the Codex CLI in its one-shot form,
// codex exec --json: one process per run, one JSON object per line on stdout.
//
//	adapter := codex.New(codex.Options{Dir: worktree, Env: []string{"OPENAI_API_KEY=" + key}})
//	run, err := adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "hi"})
//	if err != nil {
//		return err
//	}
//	events := adapter.Events(run)
//
// What the wire cannot show, the adapter does not claim. There are no text
// increments, only whole messages, so Streaming is false. Nothing is asked before a
// tool runs, so ToolApproval is false. A one-shot process takes neither a model nor
// context while it runs: both reach the runtime with the next run of the session,
// the model as --model, the context as text before the message, so Steerable is
// false. The command line has no flag for a blocklist of tools: ChildToolBlocklist
// is undeliverable. A second start on a live session is refused with
// executor.ErrBusy.
//
// The wire names no run; the adapter makes one id per run. It does name the thread,
// which is the session id of events and what a session is resumed by, never by a
// name: Codex silently starts a new thread where it does not find a name.
//
// It imports contract/executor, internal packages and a strict JSON codec.
package codex
