package claudecode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// stdinWait is how long the CLI waits for a stdin that says nothing.
const stdinWait = 3 * time.Second

// play is a process of the fake from start to end.
func play(p *child.Process) int {
	v, err := versionOf(p.Start.Version)
	if err != nil {
		fmt.Fprintf(p.Play.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	r, code, ended := begin(p, v, child.Home(p.Play), stdinWait)
	if ended {
		return code
	}
	if r.inv.output != streamJSON {
		r.breach(BreachFormat)
	}
	p.Begin(r.start)
	return p.Serve()
}

// PlayScript acts as the CLI and says the frames, without a puppet: a fake that is
// started by hand. It returns the exit code.
//
// With Args it is as strict about them as the CLI and reads stdin as it does: each
// init then waits for the message whose turn it is, an ask for its answer, and silent
// for an interrupt, after which the script goes on with its next init. Without Args it
// plays at once. A script that ends without a terminal frame ends the stream. Frames
// that the wire has no form for are reported on stderr before anything is played,
// with exit code 2.
func PlayScript(ctx context.Context, frames []fakes.Frame, p fakes.Play, o Options) int {
	if err := playable(o.Version, frames); err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	return playAlone(ctx, p, o, func(process *child.Process) int { return process.Perform(frames) })
}

// PlayRecording acts as the CLI and prints recorded lines, byte for byte. It returns
// the exit code given. Args and stdin are treated as by [PlayScript].
func PlayRecording(ctx context.Context, recording []byte, exit int, p fakes.Play) int {
	return playAlone(ctx, p, Options{Recording: recording, Exit: exit}, (*child.Process).Serve)
}

func playAlone(ctx context.Context, p fakes.Play, o Options, act func(*child.Process) int) int {
	v, err := versionOf(o.Version)
	if err == nil {
		err = o.Wire.Check()
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 2
	}
	wait := o.StdinWait
	if wait == 0 {
		wait = stdinWait
	}
	return child.Alone(ctx, program(), p, o.start(), func(process *child.Process) int {
		if len(p.Args) > 0 {
			if _, code, ended := begin(process, v, o.Home, wait); ended {
				return code
			}
			return act(process)
		}
		inv := invocation{output: streamJSON, input: "text", mode: "default", asker: "stdio", forwards: true}
		r := newRenderer(process, v, inv, newIDs(o.Seed, 0), p.Getenv)
		r.process, r.session = process, r.ids.uuid()
		r.start.Dir = workDir()
		r.input = input{begun: true, closed: true}
		r.turn = &turn{}
		process.Cast(r)
		return act(process)
	})
}

// begin reads argv, opens the session and waits for the first message. It reports the
// exit code if that was all.
func begin(p *child.Process, v version, home string, wait time.Duration) (r *renderer, code int, ended bool) {
	ids := newIDs(p.Start.Seed, p.Start.Nth)
	inv, err := parseArgs(p.Play.Args, v)
	r = newRenderer(p, v, inv, ids, p.Play.Getenv)
	r.process = p
	p.Cast(r)
	code, ended = p.Front(func() (int, bool) { return r.front(err) })
	if ended {
		return nil, code, true
	}
	dir := workDir()
	r.store = sessionsOf(home, p.Play, dir)
	session, err := open(inv, r.store, ids)
	if err == nil {
		r.servers, err = mcpServers(inv.mcp, dir)
	}
	if err != nil {
		return nil, r.refuse(err, session), true
	}
	r.session = session.id
	r.goesOn(session.spent)
	if session.resumed && !v.totalsResume { // it forgets the size of the window, too
		r.model = apiName(r.model)
	}
	r.start = fakes.Call{Method: fakes.MethodStart, Session: session.id, Resume: session.asked, Model: inv.model, Agent: inv.agent,
		Blocklist: toolNames(inv.blocked), Args: p.Play.Args, Env: child.EnvNames(p.Play.Env), Dir: dir}
	if code, ended := r.firstMessage(wait); ended {
		return nil, code, true
	}
	if _, known := modelOf(r.model); !known && v.shape >= v21332 {
		fmt.Fprintf(p.Play.Stderr, "[claude-code:unrecognized_model] {\"model\":%q,\"query_source\":\"sdk\"}\n", r.model)
	}
	r.start.Message = r.input.pending[0].text()
	r.input.begun = true
	r.input.next(r)
	return r, 0, false
}

// front plays what argv alone decides.
func (r *renderer) front(parsed error) (code int, done bool) {
	p := r.process.Play
	switch {
	case parsed != nil:
		fmt.Fprint(p.Stderr, parsed)
		return 1, true
	case r.inv.version:
		fmt.Fprintf(p.Stdout, "%s (Claude Code)\n", r.version.full)
		return 0, true
	case r.inv.help:
		fmt.Fprintln(p.Stdout, "Usage: claude [options] [command] [prompt]")
		return 0, true
	case r.inv.skipsAsks && os.Geteuid() == 0 && p.Getenv("IS_SANDBOX") != "1":
		fmt.Fprintln(p.Stderr, "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons")
		return 1, true
	}
	return 0, false
}

// refuse ends a process whose session cannot be opened.
func (r *renderer) refuse(err error, o opened) int {
	var gone *lost
	if !errors.As(err, &gone) {
		fmt.Fprint(r.process.Play.Stderr, err)
		return r.process.Quit(1)
	}
	fmt.Fprintln(r.process.Play.Stderr, gone.text)
	if r.version.resumeResult && r.inv.output == streamJSON {
		r.session = o.asked
		if !isUUID(o.asked) {
			r.session = r.ids.uuid()
		}
		if err := r.frame(r.version.lostResult(r.session, r.ids.uuid(), gone.text)); err != nil {
			return r.Broken(err)
		}
	}
	return r.process.Quit(1)
}

// lostResult is the result of a process that found no session: a short one.
func (v version) lostResult(session, id, text string) object {
	o := object{{"type", "result"}, {"subtype", "error_during_execution"}, {"duration_ms", 0}, {"duration_api_ms", 0}, {"is_error", true}, {"num_turns", 0},
		{"stop_reason", nil}, {"session_id", session}, {"total_cost_usd", 0}, {"usage", v.usage(tokens{})}, {"modelUsage", object{}},
		{"permission_denials", []object{}}, {"uuid", id}, {"errors", []string{text}}}
	if v.shape >= v21332 {
		o.add("result_index", 0)
	}
	return o
}

// firstMessage waits for what the run is about: lines on stdin, or the prompt with
// what stdin adds to it.
func (r *renderer) firstMessage(wait time.Duration) (code int, ended bool) {
	p := r.process
	if r.inv.streams() {
		p.Listen(r.hear)
		if code, ended := p.Await(func() bool { return len(r.input.pending) > 0 || r.input.closed }); ended {
			return code, true
		}
		if len(r.input.pending) == 0 {
			return p.Quit(0), true
		}
		return 0, false
	}
	text, code, ended := r.readText(wait)
	if ended {
		return code, true
	}
	switch {
	case r.inv.prompt == nil:
	case strings.TrimSpace(text) == "":
		text = *r.inv.prompt
	default:
		text = *r.inv.prompt + "\n" + text
	}
	if strings.TrimSpace(text) == "" {
		fmt.Fprintln(p.Play.Stderr, "Error: Input must be provided either through stdin or as a prompt argument when using --print")
		return p.Quit(1), true
	}
	r.input.pending, r.input.closed = []userMessage{fromText(text)}, true
	return 0, false
}

// readText reads stdin to its end. Beside a prompt, a stdin that says nothing is given
// up.
func (r *renderer) readText(wait time.Duration) (text string, code int, ended bool) {
	p := r.process
	if f, ok := p.Play.Stdin.(*os.File); p.Play.Stdin == nil || ok && term.IsTerminal(int(f.Fd())) {
		return "", 0, false
	}
	var read []byte
	over, patient := false, true
	p.Listen(func(piece []byte, err error) {
		read = append(read, piece...)
		over = err != nil
		if err != nil && !errors.Is(err, io.EOF) {
			read = nil
		}
	})
	if r.inv.prompt != nil && r.version.waitsBriefly {
		timer := time.AfterFunc(wait, func() { p.Do(func() { patient = false }) })
		defer timer.Stop()
	}
	code, ended = p.Await(func() bool { return over || !patient && len(read) == 0 })
	if !ended && !over {
		fmt.Fprintln(p.Play.Stderr, "Warning: no stdin data received in 3s, proceeding without it. If piping from a slow command, redirect stdin explicitly: < /dev/null to skip, or wait longer.")
	}
	return string(read), code, ended
}
