// Package appserver is a fake `codex app-server`: a real child process that speaks its
// JSON-RPC on stdin and stdout, line by line and without a member "jsonrpc", and
// misbehaves on demand. Package codex plays `codex exec`.
//
//	rt, err := appserver.New(ctx, appserver.Options{})   // Endpoint().Command is the program
//	run, err := rt.Next(ctx)                             // the adapter asked for a turn
//	run.Emit(ctx, fakes.Init{}, fakes.Delta{Text: "hi"}, fakes.End{Reason: fakes.EndOK})
//
// The process is the running binary itself, started again; the test binary needs
// one line for that, see [fakes.Main].
//
// The process obeys its client by itself: initialize, initialized, thread/start,
// thread/resume, thread/fork, turn/start, turn/steer, turn/interrupt, model/list. All that
// it refuses it refuses with the code -32600. It is one run, which begins with the first
// turn/start; a further one is heard as a call start, and its turn waits for the next
// init. A turn/start for the thread whose turn goes on is taken into that turn, as with
// the real one: the turn that it is answered never starts.
//
// How frames look at this wire:
//
//	init        thread/status/changed, turn/started, and the user's message as an item;
//	            run, session, model and cwd have no form
//	delta       item/agentMessage/delta, after the item/started of the message. One that
//	            names its place says only what is new
//	think       item/reasoning/summaryTextDelta, in the same way
//	snapshot    what is new of the message; where it takes text back, a retry notice and
//	            another message
//	final       item/completed of the message; without pieces before, its item/started
//	            has the whole text, too
//	call        item/started: a commandExecution (tools shell, exec, bash, exec_command),
//	            a fileChange (apply_patch with {changes: [{path, kind, diff}]}), a
//	            webSearch (web_search with {query}), else an mcpToolCall, of the server
//	            that mcp__SERVER__NAME names or of the server "fake"
//	result      item/completed. Details are {exit_code} of a command, {diff} of a patch,
//	            which is turn/diff/updated, and the structured content of others
//	usage       thread/tokenUsage/updated and account/rateLimits/updated
//	ask         item/fileChange/requestApproval for apply_patch, else
//	            item/commandExecution/requestApproval
//	end ok      thread/status/changed and turn/completed; a text has no form
//	aborted     turn/completed interrupted
//	length      the failure of a response that ran out of tokens
//	end, err    an error notification and turn/completed failed
//	error       fatal: the same; else an error notification that says willRetry. The code
//	            is an HTTP status or a word of codexErrorInfo; the code warning is a
//	            warning notification
//	turn        running and idle are thread/status/changed, retry a notice as above,
//	            text-end the end of a message, compact a contextCompaction
//	frame       a notification of that method with the fields as parameters; what is of an
//	            item or a turn names both by itself. A method that is a request of the
//	            server gets an id, and its answer is heard
//	cut         stdout is closed; exit code 0
//	log         a line on stderr
//
// A thread has the id that the process made, which the client knows before anything is
// said: what an init calls the session has no form, and a receipt names the thread. What
// a thread has spent is remembered for all processes of the fake's home, beside what
// `codex exec` has spent there; thread/resume tells it again.
//
// A question is a request of the server, under the next number from 0; its answer is
// heard under the name that the ask has. A question about no open call is about an item
// of that name, which is never told. Declined calls end, and their result is not told;
// cancel interrupts the turn.
//
// An interrupt ends a turn as the program does, with items left open. It is refused
// before the turn has begun to speak, as the real one refuses it before turn/started;
// with an empty turn id it stops that turn, too. A process that ignores INT ignores
// interrupts. The process ends in order when its input ends and at TERM, without a word
// about the turn; INT and HUP kill it, and leave descendants behind.
//
// What arrives is heard as: cancel (interrupts, signals), input (messages that steer, or
// were taken into a turn), start (further turns), answer, input-end, and breach, where
// the client breaks the protocol. The codes of a breach begin with [BreachInput].
//
// The package imports fakes, fakes/child, fakes/codex/thread, fakes/codex/tool and
// fakes/wire.
package appserver
