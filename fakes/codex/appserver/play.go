package appserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
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

// PlayScript acts as the program and says the frames, without a puppet: a fake that is
// started by hand. It returns the exit code.
//
// With Args it is as strict about them as the program and obeys the client on stdin:
// each init waits for the turn/start whose turn it is, an ask for its answer, and silent
// for an interrupt, after which the script goes on with its next init, or for a message
// that steers the turn. Without Args it plays at once. A script that ends within a turn
// ends the process. Frames that the wire has no form for are reported on stderr before
// anything is played, with exit code 2.
func PlayScript(ctx context.Context, frames []fakes.Frame, p fakes.Play, o Options) int {
	if err := playable(o.Version, frames); err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	return playAlone(ctx, p, o, func(_ *renderer, process *child.Process) int { return process.Perform(frames) })
}

// PlayRecording acts as the program and prints recorded lines. It returns the exit code
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
	version, err := versionOf(o.Version)
	if err == nil {
		err = o.Wire.Check()
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 2
	}
	start := o.start()
	start.Version = version
	return child.Alone(ctx, program(), p, start, func(process *child.Process) int {
		if len(p.Args) > 0 {
			r, code, ended := begin(process, o.Home)
			if ended {
				return code
			}
			return act(r, process)
		}
		r := newRenderer(process, start)
		r.process = process
		r.alone(workDir())
		process.Cast(r)
		return act(r, process)
	})
}

// begin reads argv and obeys the client until a turn begins. It reports the exit code if
// that was all.
func begin(p *child.Process, home string) (r *renderer, code int, ended bool) {
	version, err := versionOf(p.Start.Version)
	if err != nil {
		fmt.Fprintf(p.Play.Stderr, "adaptercheck: %v\n", err)
		return nil, p.Quit(2), true
	}
	p.Start.Version = version
	r = newRenderer(p, p.Start)
	r.process = p
	r.refuses, p.Start.Refuse = p.Start.Refuse, false // a refusal is an answer at this wire
	p.Cast(r)
	if code, ended := p.Front(func() (int, bool) { return front(p.Play, version) }); ended {
		return nil, code, true
	}
	if home != "" {
		r.store = thread.Store{Dir: home}
		r.records = child.Store[record]{Dir: filepath.Join(home, "app-server")}
	}
	if recorded := p.Start.Replay; recorded != nil {
		r.input.replay = newReplay(recorded)
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
func front(p fakes.Play, version string) (code int, done bool) {
	command, err := parseArgs(p.Args)
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprint(p.Stderr, usage.text)
		return 2, true
	case command == cmdVersion:
		fmt.Fprintf(p.Stdout, "codex-cli %s\n", version)
		return 0, true
	case command == cmdLogin:
		fmt.Fprintln(p.Stderr, "Logged in using an API key - dummy***key")
		return 0, true
	case command != cmdServe:
		fmt.Fprintln(p.Stderr, "Error: stdin is not a terminal")
		return 1, true
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
