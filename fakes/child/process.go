package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// exitUnheard is the exit code of a process whose puppet is gone.
const exitUnheard = 70

// Process is one process of a fake, seen from inside. Its methods are for the
// goroutine that plays it.
type Process struct {
	// Play is how the process was started. Stdout and Stderr lead to the stage, without
	// faults.
	Play fakes.Play
	// Start says how the process shall be.
	Start Start
	// Session is what calls are of, once a frame gives it another id than the run began
	// with.
	Session string

	program Program
	actor   Actor
	puppet  *puppet         // nil where nobody plays it
	stop    <-chan struct{} // of a process without a puppet: it is told to stop
	signals chan os.Signal
	inbox   chan func() // what other goroutines want done here
	over    chan struct{}

	stdout, errs output
	out          *wire.Writer
	told         int // strikes that the puppet knows

	before   []fakes.Call // heard before the run began
	begun    bool
	ahead    []fakes.Frame
	delay    int // milliseconds before each answer
	hold     bool
	silent   bool
	deaf     map[string]bool
	unread   atomic.Bool
	leaving  *departure
	sealed   bool // how the process ends is settled
	sleepers []*os.Process
}

// departure is how a process ends.
type departure struct {
	code   int
	signal string
}

func (d departure) take() int {
	if d.signal != "" {
		return DieBy(d.signal)
	}
	return d.code
}

func newProcess(program Program, play fakes.Play, start Start, stdout, errs output) *Process {
	p := &Process{Play: play, Start: start, program: program, delay: start.Delay, stdout: stdout, errs: errs, deaf: map[string]bool{},
		signals: make(chan os.Signal, 64), inbox: make(chan func()), over: make(chan struct{})}
	p.Play.Stdout, p.Play.Stderr = stdout, errs
	p.out = wire.NewWriter(stdout, start.Wire, host{p})
	signal.Notify(p.signals, stopSignals...)
	return p
}

// end lets go of what a process holds of the system.
func (p *Process) end() {
	signal.Stop(p.signals)
	close(p.over)
}

// Alone runs act as a process that nobody plays: one that was started by hand. The
// context tells it to stop, as the signal INT does.
func Alone(ctx context.Context, program Program, play fakes.Play, start Start, act func(*Process) int) int {
	p := newProcess(program, play, start, direct{play.Stdout}, direct{play.Stderr})
	defer p.end()
	p.stop = ctx.Done()
	return act(p)
}

// Listen reads stdin and hands each piece to hear, among the other things that happen
// to the process; the last time with the error of the read. It returns at once.
func (p *Process) Listen(hear func(piece []byte, err error)) {
	go func() { // ends with stdin, at the latest with the process
		buf := make([]byte, 1<<16)
		for {
			n, err := p.Play.Stdin.Read(buf)
			if p.unread.Load() {
				return
			}
			piece := bytes.Clone(buf[:n])
			if !p.Do(func() { hear(piece, err) }) || err != nil {
				return
			}
		}
	}()
}

// Do lets another goroutine have something done among what happens to the process, and
// returns when it is taken. False says that the process has ended.
func (p *Process) Do(what func()) bool {
	select {
	case p.inbox <- what:
		return true
	case <-p.over:
		return false
	}
}

// Cast names the actor, who hears of everything from here on.
func (p *Process) Cast(a Actor) { p.actor = a }

// Begin reports that the run has begun.
func (p *Process) Begin(c fakes.Call) {
	p.begun = true
	p.puppet.tell(toPuppet{Begun: &begun{c, p.before}})
}

// Heard reports something that arrived.
func (p *Process) Heard(c fakes.Call) {
	c.Session = p.Session
	if !p.begun {
		p.before = append(p.before, c)
		return
	}
	p.puppet.tell(toPuppet{Call: &c})
}

// Puppet reports whether somebody plays the process, rather than a script.
func (p *Process) Puppet() bool { return p.puppet != nil }

// Ahead lists the frames that are known to follow the one that is being played.
func (p *Process) Ahead() []fakes.Frame { return p.ahead }

// Silenced reports whether the process says nothing more, whatever happens.
func (p *Process) Silenced() bool { return p.silent }

// Deaf reports whether the process ignores a stop signal of that name.
func (p *Process) Deaf(signal string) bool { return p.deaf[signal] }

// Obeys reports whether the process does by itself what a stop signal of that name
// makes it do.
func (p *Process) Obeys(signal string) bool { return !p.hold && !p.deaf[signal] }

// Front plays what comes before a run: a slow start, a runtime that is down, what parse
// makes of argv (done says that this was all), a start that is refused. It reports the
// exit code if that ends the process.
func (p *Process) Front(parse func() (code int, done bool)) (code int, ended bool) {
	if code, ended := p.pause(); ended {
		return code, true
	}
	if p.Start.Down {
		p.say("Error: the runtime is down\n")
		return p.Quit(1), true
	}
	code, done := parse()
	if !done && p.Start.Refuse {
		p.say("Error: the start was refused\n")
		code, done = 1, true
	}
	if done {
		return p.Quit(code), true
	}
	return 0, false
}

// Quit ends the process when all that it said is out.
func (p *Process) Quit(code int) int {
	p.leaving, p.sealed = &departure{code: code}, true
	return p.finish()
}

// Await lets things happen until something holds. It reports the exit code if the
// process ended before.
func (p *Process) Await(holds func() bool) (code int, ended bool) {
	for !holds() {
		if code, ended := p.step(); ended {
			return code, true
		}
	}
	return 0, false
}

// Serve lets things happen until the process ends, and returns its exit code. A
// recording is printed first.
func (p *Process) Serve() int {
	if r := p.Start.Replay; r != nil {
		if err := p.Print(r.Stdout); err != nil {
			return p.actor.Broken(err)
		}
		if !r.WaitSignal {
			p.Leave(r.Exit, "")
		}
	}
	code, _ := p.Await(func() bool { return false })
	return code
}

// Perform plays the frames of a script, then serves.
func (p *Process) Perform(frames []fakes.Frame) int {
	for i, f := range frames {
		p.ahead = frames[i+1:]
		if err := f.Accept(p.actor); err != nil {
			var end *Ended
			if errors.As(err, &end) {
				return end.Code
			}
			p.say(fmt.Sprintf("adaptercheck: %s: %v\n", f.Word(), err))
			return 1
		}
		if err := p.out.Flush(); err != nil {
			return p.actor.Broken(err)
		}
	}
	p.ahead = nil
	p.actor.Over()
	return p.Serve()
}

// Ended is the error of a frame during which the process ended.
type Ended struct{ Code int }

func (e *Ended) Error() string { return fmt.Sprintf("the process ended with exit code %d", e.Code) }

// Print says recorded lines as frames, and what follows the last line end as it is.
func (p *Process) Print(recording []byte) error {
	for len(recording) > 0 {
		line, rest, whole := bytes.Cut(recording, []byte("\n"))
		var err error
		if whole {
			err = p.out.Frame(line)
		} else {
			err = p.out.Raw(line)
		}
		if err != nil {
			return err
		}
		recording = rest
	}
	return p.out.Flush()
}
