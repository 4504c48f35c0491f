// Package claudecode is an executor adapter for the Claude Code CLI in its one-shot
// form, claude -p with stream-json both ways: one process per run, one JSON object
// per line.
//
//	adapter := claudecode.New(claudecode.Options{Dir: worktree})
//	run, err := adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "hi"})
//	if err != nil {
//		return err
//	}
//	events := adapter.Events(run)
//
// The prompt goes through stdin, which stays open while the run lasts. So a live run
// takes context (Steerable is true), another model, an interrupt, and answers to its
// questions whether a tool may run: a status event with the question's id, answered
// by Approve, denied where nobody answers. Stdin ends when the runtime has told its
// result and has nothing more announced; the process then exits, or is ended.
//
// A run may have several results: for context that came late, and for tasks that end
// in the background. It is as good as the worst of them. Agents that the runtime
// starts for itself are kept out: their text is not the run's, nor are their tools.
//
// Claude Code keeps sessions by directory. A session goes on in the directory it
// began in, and the codec carries that with the native id and the running totals that
// costs are told in. A second start on a live session is refused with
// executor.ErrBusy.
//
// It imports contract/executor, internal packages and a strict JSON codec.
package claudecode
