// Package codex is a fake Codex CLI: a real child process that reads the arguments
// of `codex exec --json` and prints its JSON lines, and misbehaves on demand.
//
//	rt, err := codex.New(ctx, codex.Options{})   // Endpoint().Command is the program
//	run, err := rt.Next(ctx)                     // the adapter started it
//	run.Emit(ctx, fakes.Init{}, fakes.Final{Text: &hi}, fakes.End{Reason: fakes.EndOK})
//
// The process is the running binary itself, started again; the test binary needs
// one line for that, see [fakes.Main].
//
// How frames look at this wire:
//
//	init        thread.started and turn.started; run, model and cwd have no form
//	final       item.completed of an agent_message
//	think       item.completed of a reasoning
//	call        item.started of a command_execution (tools shell, exec, bash,
//	            exec_command), else of an mcp_tool_call of the server "fake"
//	result      item.completed of the same item; of a fresh one if the call is unknown.
//	            Details are the structured content of an mcp_tool_call
//	usage       nothing; counted into the thread's total, which turn.completed tells
//	end ok      turn.completed, exit code 0; a text has no form
//	end length  the error pair of a response that ran out of tokens, exit code 1
//	end, err    an error line and turn.failed, exit code 1
//	error       fatal: the same; else "Reconnecting... n/5 (message)"
//	turn        running is turn.started, retry a Reconnecting line
//	cut         stdout is closed; exit code 0
//	log         a line on stderr
//
// Text comes whole on this wire: deltas, snapshots and parts of calls are
// [fakes.ErrUnplayable], and so is what names another run or a nested agent, as lines
// carry neither, and an end by refusal or budget.
//
// An end leaves the process: it exits when the frames of that Emit are out. An exit
// frame in the same Emit gives another code; silent in the same Emit keeps the
// process alive instead.
//
// It is not strict about two things that the real one checks: that the working
// directory is a git repository, and that a key is there.
//
// The package imports fakes, fakes/child and fakes/wire.
package codex
