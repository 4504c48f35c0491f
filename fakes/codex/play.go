package codex

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
)

// play is a process of the fake from start to end.
func play(p *child.Process) int {
	v, err := versionOf(p.Start.Version)
	if err != nil {
		fmt.Fprintf(p.Play.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	r, code, ended := begin(p, v, thread.Store{Dir: child.Home(p.Play)})
	if ended {
		return code
	}
	if !r.inv.json {
		p.Heard(fakes.Call{Method: fakes.MethodBreach, Code: "no-json"})
	}
	p.Begin(r.start)
	return p.Serve()
}

// begin reads argv and stdin and opens the thread. It reports the exit code if that
// was all.
func begin(p *child.Process, v version, store thread.Store) (r *renderer, code int, ended bool) {
	r = newRenderer(p, v)
	r.process = p
	p.Cast(r)
	var inv invocation
	code, ended = p.Front(func() (code int, done bool) {
		inv, code, done = front(p.Play, v)
		return code, done
	})
	if ended {
		return nil, code, true
	}
	stdin, code, ended := readStdin(p, inv, v)
	if ended {
		return nil, code, true
	}
	text, err := message(inv, stdin)
	if err == nil {
		err = checkSchema(inv)
	}
	var on opened
	if err == nil {
		on, err = open(inv, v, store, thread.ID(p.Start.Seed, p.Start.Nth))
	}
	if err != nil {
		fmt.Fprintln(p.Play.Stderr, err)
		return nil, p.Quit(1), true
	}
	if !inv.ephemeral {
		r.store = store
	}
	r.inv, r.thread, r.spent = inv, on.id, on.spent
	r.start = fakes.Call{Method: fakes.MethodStart, Session: on.id, Message: text, Model: inv.model, Resume: on.asked,
		Args: p.Play.Args, Env: child.EnvNames(p.Play.Env), Dir: workDir(inv)}
	return r, 0, false
}

// readStdin reads stdin to its end, where the CLI does.
func readStdin(p *child.Process, inv invocation, v version) (stdin []byte, code int, ended bool) {
	if !drainsStdin(inv, v, p.Play) {
		return nil, 0, false
	}
	var end error
	p.Listen(func(piece []byte, err error) { stdin, end = append(stdin, piece...), err })
	if code, ended := p.Await(func() bool { return end != nil }); ended {
		return nil, code, true
	}
	if !errors.Is(end, io.EOF) {
		return nil, 0, false // the CLI takes a stdin that cannot be read for an empty one
	}
	return stdin, 0, false
}

// PlayScript acts as the CLI and says the frames, without a puppet: a fake that is
// started by hand. It returns the exit code.
//
// With Args it is as strict about them as the CLI and reads stdin where the CLI
// does; without, it plays at once. A script that ends without a terminal frame ends
// the stream, one that ends with silent waits for a signal or for ctx. Frames that
// the wire has no form for are reported on stderr before anything is played, with
// exit code 2. Threads are remembered where the options name a home.
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
		if len(p.Args) > 0 {
			if _, code, ended := begin(process, v, thread.Store{Dir: o.Home}); ended {
				return code
			}
			return act(process)
		}
		r := newRenderer(process, v)
		r.process, r.store, r.thread = process, thread.Store{Dir: o.Home}, thread.ID(o.Seed, 0)
		process.Cast(r)
		return act(process)
	})
}
