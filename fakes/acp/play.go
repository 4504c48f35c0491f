package acp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// play is a process of the fake from start to end.
func play(p *child.Process) int {
	r, code, ended := begin(p, child.Home(p.Play))
	if ended {
		return code
	}
	p.Begin(r.start)
	return r.serve()
}

// PlayScript acts as the agent and says the frames, without a puppet: a fake that is
// started by hand. It returns the exit code.
//
// With Args it is as strict about them as an agent and obeys the client on stdin: each
// init waits for the session/prompt whose turn it is, an ask for its answer, and silent
// for a session/cancel, after which the script goes on with its next init. Without Args
// it plays at once. A script that ends within a turn ends the process. Frames that the
// wire has no form for are reported on stderr before anything is played, with exit code 2.
func PlayScript(ctx context.Context, frames []fakes.Frame, p fakes.Play, o Options) int {
	if err := playable(o.Version, frames); err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	return playAlone(ctx, p, o, func(_ *renderer, process *child.Process) int { return process.Perform(frames) })
}

// PlayRecording acts as the agent and prints recorded lines. It returns the exit code
// given. With Args it obeys the client as far as the recording does: recorded answers
// come when the client has asked, and under its ids. Without, all is printed at once,
// byte for byte.
func PlayRecording(ctx context.Context, recording []byte, exit int, p fakes.Play) int {
	return playAlone(ctx, p, Options{Recording: recording, Exit: exit}, func(r *renderer, process *child.Process) int {
		if len(p.Args) == 0 {
			return process.Serve()
		}
		return r.serve()
	})
}

func playAlone(ctx context.Context, p fakes.Play, o Options, act func(*renderer, *child.Process) int) int {
	if err := o.Wire.Check(); err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 2
	}
	return child.Alone(ctx, program(), p, o.start(), func(process *child.Process) int {
		if len(p.Args) > 0 {
			r, code, ended := begin(process, o.Home)
			if ended {
				return code
			}
			return act(r, process)
		}
		r, err := newRenderer(process, process.Start)
		if err != nil {
			fmt.Fprintln(p.Stderr, err)
			return process.Quit(2)
		}
		r.process = process
		r.alone(workDir())
		process.Cast(r)
		return act(r, process)
	})
}

// begin reads argv and obeys the client until a turn begins. It reports the exit code if
// that was all.
func begin(p *child.Process, home string) (r *renderer, code int, ended bool) {
	r, err := newRenderer(p, p.Start)
	if err != nil {
		fmt.Fprintf(p.Play.Stderr, "adaptercheck: %v\n", err)
		return nil, p.Quit(2), true
	}
	r.process = p
	r.refuses, p.Start.Refuse = p.Start.Refuse, false // a refusal is an answer at this wire
	p.Cast(r)
	if code, ended := p.Front(func() (int, bool) { return r.front(p.Play) }); ended {
		return nil, code, true
	}
	if home != "" {
		r.store = child.Store[record]{Dir: filepath.Join(home, "sessions")}
	}
	if recorded := p.Start.Replay; recorded != nil {
		r.input.replay = &replay{rest: recorded.Stdout, exit: recorded.Exit}
	}
	p.Listen(r.hear)
	if code, ended := p.Await(func() bool { return r.turn != nil }); ended {
		return nil, code, true
	}
	r.start = r.turn.call()
	r.start.Args, r.start.Env = p.Play.Args, child.EnvNames(p.Play.Env)
	r.input.begun = true
	return r, 0, false
}

// front plays what argv alone decides.
func (r *renderer) front(p fakes.Play) (code int, done bool) {
	command, err := parseArgs(p.Args)
	switch {
	case err != nil:
		fmt.Fprintln(p.Stderr, err)
		return 2, true
	case command == cmdVersion:
		fmt.Fprintln(p.Stdout, r.agent.version)
		return 0, true
	}
	return 0, false
}

// serve lets things happen until the process ends.
func (r *renderer) serve() int {
	if r.input.replay == nil {
		return r.process.Serve()
	}
	code, _ := r.process.Await(func() bool { return false })
	return code
}

// workDir is the directory that a process works in; empty if it is gone.
func workDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
