// Package pi is a fake of Pi, the coding agent: a real child process that reads the
// arguments of `pi`, obeys the commands of `pi --mode rpc` on stdin, prints what the real
// one prints, keeps sessions in files as the real one does, and misbehaves on demand.
//
//	rt, err := pi.New(ctx, pi.Options{})   // Endpoint().Command is the program
//	run, err := rt.Next(ctx)               // the adapter gave it a prompt
//	run.Emit(ctx, fakes.Init{}, fakes.Delta{Text: "hi"}, fakes.End{Reason: fakes.EndOK})
//
// The process is the running binary itself, started again; the test binary needs
// one line for that, see [fakes.Main].
//
// The process obeys its client by itself: prompt (also while the agent works, to steer or
// to follow), steer, follow_up, abort, abort_retry, get_state, get_messages,
// get_session_stats, get_available_models, set_model, set_thinking_level, new_session,
// and settings. It is one run, which begins with the first prompt.
//
// How frames look at this wire:
//
//	init        agent_start, turn_start, and the messages of the system and the user; run,
//	            session, model and cwd have no form
//	delta       message_start and text_start where they are due, then text_delta. One that
//	            names its place says only what is new
//	think       thinking_delta, in the same way
//	snapshot    what is new of a text; where it takes text back, the answer fails and
//	            another attempt begins
//	final       what is left of a text, and text_end. Another final is another answer
//	call        toolcall_start, toolcall_delta, toolcall_end; then the answer is over and
//	            the tool works (tool_execution_start), unless more of the answer is known
//	            to follow
//	callpart    toolcall_delta
//	result      the end of the answer if it is not over, tool_execution_update where a
//	            shell (bash) has printed, tool_execution_end; the messages of the results
//	            when all are there. Details are the result's
//	usage       what the answer has cost, told when it is over. Money that it does not
//	            name is what models.json says, and 0 where that says nothing
//	end         the end of the answer and of the turn, agent_end, agent_settled: ok,
//	            tool_use, length; aborted as the client's abort; refusal as an error
//	end, err    an answer that failed, and agent_end; what an error that is fatal is, too
//	error       not fatal: extension_error
//	turn        retry an answer that failed, agent_end and auto_retry_start; compact
//	            compaction_start and compaction_end; text-end the end of a text
//	ask         extension_ui_request, a question for yes or no about the last call of
//	            that tool. A no ends the call
//	log         a line on stderr
//
// A session has the id that the process made, which the client knows before anything is
// said: what an init calls the session has no form, and a receipt names the session. Its
// file is written from the first answer on, below PI_CODING_AGENT_DIR where that lies in
// the directory of the endpoint, else below a directory there that stands for it. Models
// are those of models.json in that directory; without it every model is known.
//
// An abort is answered when the run is over. An extension that waits for its answer is
// not aborted, and holds up the abort. The process ends at once when its input ends, with
// code 0 and without a word about the run; at TERM and HUP with 143 and 129. INT kills
// it, and leaves descendants behind. A process that ignores INT ignores aborts.
//
// Modes json and text (--print) wait for the end of stdin, play one run and exit: with 0
// in mode json, whatever became of the run.
//
// What arrives is heard as: cancel (aborts, signals), set-model, input (messages to the
// run that goes on), start (further prompts), answer, input-end, and breach, where the
// client breaks the protocol. The codes of a breach begin with [BreachInput].
//
// It does not play extensions, commands and templates that begin with a slash, images,
// forks and trees of sessions, compaction as the model's work, nor the commands bash,
// compact, fork, switch_session and export_html.
//
// The package imports fakes, fakes/child and fakes/wire.
package pi
