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
//	call        item.started of an item that the tool names, see below
//	result      item.completed of the same item; of a fresh one if the call is unknown
//	usage       nothing; counted into the thread's total, which turn.completed tells
//	end ok      turn.completed, exit code 0; a text has no form
//	end length  the error pair of a response that ran out of tokens, exit code 1
//	end, err    an error line and turn.failed, exit code 1
//	error       fatal: the same; else "Reconnecting... n/5 (message)". Of the code
//	            warning: item.completed of an error, between thread.started and
//	            turn.started where it comes before init
//	turn        running is turn.started, retry a Reconnecting line
//	cut         stdout is closed; exit code 0
//	log         a line on stderr
//
// Tools are items:
//
//	shell, exec, bash, exec_command   command_execution of the input's command; details
//	                                  of the result are {exit_code: N}
//	apply_patch                       file_change of {changes: [{path, kind}]}
//	web_search                        web_search of {query}, which its beginning does
//	                                  not tell; the item has the name id twice
//	update_plan                       todo_list of {plan: [{step, status}]}: one item of
//	                                  the turn, which further calls update and the end
//	                                  completes. The newest version has no such tool
//	mcp__SERVER__TOOL                 mcp_tool_call of that server; any other tool is one
//	                                  of the server "fake". Details of the result are its
//	                                  structured content
//
// The code of an error chooses the words of the CLI: an HTTP status, quota,
// rate_limit, prompt_too_long, max_output_tokens, disconnected, connection_failed.
// The message is what the provider said, which the CLI does not always repeat. Where
// the provider is and how often is retried is read from -c options. With another code,
// or none, the message is said as it is.
//
// What the frames do not say does not happen: a stream that breaks after an item has
// that item once more after the retry if the script says so, and calls that are made
// at once come in the order of the script. The real ones come one after another, the
// last first up to 0.144.6; both begin before one ends in 0.98.
//
// Text comes whole on this wire: deltas, snapshots and parts of calls are
// [fakes.ErrUnplayable], and so is what names another run or a nested agent, as lines
// carry neither, and an end by refusal or budget.
//
// An end leaves the process: it exits when the frames of that Emit are out. An exit
// frame in the same Emit gives another code; silent in the same Emit keeps the
// process alive instead. SIGINT ends the process and what child frames started;
// SIGTERM and SIGHUP end the process alone.
//
// It is not strict about two things that the real one checks: that the working
// directory is a git repository, and that a key is there. It reads no config.toml.
//
// The package imports fakes, fakes/child, fakes/codex/thread and fakes/wire.
package codex
