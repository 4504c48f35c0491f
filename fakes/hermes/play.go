package hermes

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// play is a process of the fake from start to end.
func play(p *child.Process) int { return run(p, (*child.Process).Serve) }

// run plays a process whose run, once it has begun, is what act does.
func run(p *child.Process, act func(*child.Process) int) int {
	v, err := versionOf(p.Start.Version)
	if err != nil {
		fmt.Fprintf(p.Play.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	r := newRenderer(p, v)
	r.process = p
	p.Cast(r)
	code, ended := r.begin()
	if !ended {
		code = act(p)
	}
	if err := r.state.close(); err != nil {
		p.LastWord(fmt.Sprintf("adaptercheck: close the state.db: %v\n", err))
	}
	return code
}

// begin reads argv, opens state.db and the session, and reports the run. It returns the
// exit code if that was all.
func (r *renderer) begin() (code int, ended bool) {
	p := r.process
	code, ended = p.Front(func() (code int, done bool) {
		r.inv, code, done = front(p.Play, r.version)
		return code, done
	})
	if ended {
		return code, true
	}
	text, code, ended := r.prompt()
	if ended {
		return code, true
	}
	var err error
	if r.inv.model != "" {
		r.model = r.inv.model
	}
	if r.dir, err = os.Getwd(); err == nil {
		r.state, err = openState(homeOf(p.Play))
	}
	asked := ""
	if err == nil {
		asked, err = r.enter(r.inv)
	}
	if errors.Is(err, errNoSession) {
		return r.refuse(asked), true
	}
	if err == nil {
		_, err = r.state.append(r.session, row{role: "user", content: text})
	}
	if err != nil {
		fmt.Fprintf(p.Play.Stderr, "adaptercheck: %v\n", err)
		return p.Quit(2), true
	}
	if !r.inv.quiet && !r.inv.stream {
		p.Heard(fakes.Call{Method: fakes.MethodBreach, Code: "no-quiet"})
		if err := r.Stage.Frame([]byte("Query: " + text)); err != nil {
			return r.Broken(err), true
		}
	}
	p.Begin(r.started(text, asked))
	return 0, false
}

// byHand is argv of a process that was started by hand without any.
var byHand = []string{"chat", "-Q", "-q", "Play the script."}

// PlayScript acts as the program and says the frames, without a puppet: a fake that is
// started by hand. It returns the exit code.
//
// With Args it is as strict about them as the program; without, it plays at once, quietly.
// A script that ends without a terminal frame ends the process, one that ends with silent
// waits for a signal or for ctx. Frames that the wires have no form for are reported on
// stderr before anything is played, with exit code 2. A state.db is kept only where Env
// names a HERMES_HOME.
func PlayScript(ctx context.Context, frames []fakes.Frame, p fakes.Play, o Options) int {
	if err := playable(o.Version, frames); err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	return playAlone(ctx, p, o, func(process *child.Process) int { return process.Perform(frames) })
}

// PlayRecording acts as the program and prints recorded lines, byte for byte. It returns
// the exit code given. Args are treated as by [PlayScript].
func PlayRecording(ctx context.Context, recording []byte, exit int, p fakes.Play) int {
	return playAlone(ctx, p, Options{Recording: recording, Exit: exit}, (*child.Process).Serve)
}

func playAlone(ctx context.Context, p fakes.Play, o Options, act func(*child.Process) int) int {
	if err := o.Wire.Check(); err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 2
	}
	if len(p.Args) == 0 {
		p.Args = byHand
	}
	return child.Alone(ctx, program(), p, o.start(), func(process *child.Process) int { return run(process, act) })
}
