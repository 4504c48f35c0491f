package codex

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// play is a process of the fake from start to end.
func play(p *child.Process) int {
	v, err := versionOf(p.Start.Version)
	if err != nil {
		fmt.Fprintf(p.Play.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	r, code, ended := begin(p, v, threads{Dir: child.Home(p.Play)}, threadID(p.Start.Seed, p.Start.Nth))
	if ended {
		return code
	}
	if !r.asJSON {
		p.Heard(fakes.Call{Method: fakes.MethodBreach, Code: "no-json"})
	}
	p.Begin(r.start)
	return p.Serve()
}

// begin reads argv and stdin and opens the thread. It reports the exit code if that
// was all.
func begin(p *child.Process, v version, store threads, fresh string) (r *renderer, code int, ended bool) {
	r = &renderer{Deeds: child.Deeds{Program: program(), Stage: p}, process: p, version: v, store: store, calls: map[string]*call{}}
	p.Cast(r)
	var inv invocation
	code, ended = p.Front(func() (code int, done bool) {
		inv, code, done = front(p.Play, v)
		return code, done
	})
	if ended {
		return nil, code, true
	}
	var stdin []byte
	if drainsStdin(inv, v, p.Play) {
		var end error
		p.Listen(func(piece []byte, err error) { stdin, end = append(stdin, piece...), err })
		if code, ended := p.Await(func() bool { return end != nil }); ended {
			return nil, code, true
		}
		if !errors.Is(end, io.EOF) {
			stdin = nil // the CLI takes a stdin that cannot be read for an empty one
		}
	}
	text, err := message(inv, stdin)
	var id, asked string
	if err == nil {
		id, asked, r.spent, err = open(inv, v, store, fresh)
	}
	if err != nil {
		fmt.Fprintln(p.Play.Stderr, err)
		return nil, p.Quit(1), true
	}
	r.asJSON, r.thread, r.lastFile = inv.json, id, inv.message
	r.start = fakes.Call{Method: fakes.MethodStart, Session: id, Message: text, Model: inv.model, Resume: asked,
		Args: p.Play.Args, Env: child.EnvNames(p.Play.Env), Dir: workDir(inv)}
	return r, 0, false
}

// PlayScript acts as the CLI and says the frames, without a puppet: a fake that is
// started by hand. It returns the exit code.
//
// With Args it is as strict about them as the CLI and reads stdin where the CLI
// does; without, it plays at once. A script that ends without a terminal frame ends
// the stream, one that ends with silent waits for a signal or for ctx. Frames that
// the wire has no form for are reported on stderr before anything is played, with
// exit code 2. Threads are not remembered from one process to the next.
func PlayScript(ctx context.Context, frames []fakes.Frame, p fakes.Play, o Options) int {
	if err := playable(frames); err != nil {
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
	return child.Alone(ctx, program(), p, o.start(), func(process *child.Process) int {
		if len(p.Args) == 0 {
			r := &renderer{Deeds: child.Deeds{Program: program(), Stage: process}, process: process, version: v, asJSON: true,
				thread: threadID(o.Seed, 0), calls: map[string]*call{}}
			process.Cast(r)
			return act(process)
		}
		if _, code, ended := begin(process, v, threads{}, threadID(o.Seed, 0)); ended {
			return code
		}
		return act(process)
	})
}
