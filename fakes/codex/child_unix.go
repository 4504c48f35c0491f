//go:build unix

package codex

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// exitUnheard is the exit code of a process whose puppet is gone.
const exitUnheard = 70

// playChild is a process of the fake from start to end.
func playChild(ctx context.Context, p fakes.Play) int {
	if p.Getenv(envRole) == string(roleSleeper) {
		return sleep(ctx, p)
	}
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, stopSignals...)
	defer signal.Stop(signals)
	// A reader that closed its end is an error of the write, not a death.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	as := roleHealth
	if inv, err := parseArgs(p.Args); err == nil && inv.command == cmdExec {
		as = roleRun
	}
	conn, in, first, err := connect(ctx, p, as)
	if err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: fake codex: %v\n", err)
		return exitUnheard
	}
	defer conn.Close()
	v, err := versionOf(first.Version)
	if err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return exitUnheard
	}
	c := &child{conn: conn, in: in, play: p, version: v, delay: first.Delay, signals: signals,
		deaf: map[string]bool{}, errs: newOutbox(file(p.Stderr, os.Stderr)), stdout: newOutbox(file(p.Stdout, os.Stdout))}
	c.out = wire.NewWriter(c.stdout, joined(first.Wire))
	return c.run(first)
}

// joined lets frames of one order leave in one write, unless told otherwise.
func joined(f wire.Faults) wire.Faults {
	if f.Coalesce == 0 {
		f.Coalesce = 1 << 30
	}
	return f
}

func file(w any, otherwise *os.File) *os.File {
	if f, ok := w.(*os.File); ok {
		return f
	}
	return otherwise
}

// connect says hello to the puppet and takes its answer.
func connect(ctx context.Context, p fakes.Play, as role) (net.Conn, receiver, goAhead, error) {
	socket := p.Getenv(envSocket)
	if socket == "" {
		return nil, receiver{}, goAhead{}, errors.New("started as a fake, but without its control socket: start it through the wrapper that Endpoint names")
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, receiver{}, goAhead{}, fmt.Errorf("nobody plays this fake any more: %w", err)
	}
	in := newReceiver(conn)
	var answer toProcess
	if err = send(conn, toPuppet{Hello: &hello{as, os.Getpid()}}); err == nil {
		err = in.next(&answer)
	}
	if err == nil && answer.Go == nil {
		err = errors.New("no answer to hello")
	}
	if err != nil {
		conn.Close()
		return nil, receiver{}, goAhead{}, err
	}
	return conn, in, *answer.Go, nil
}

// child is a process that runs or answers.
type child struct {
	conn    net.Conn
	in      receiver
	play    fakes.Play
	version version
	delay   int // milliseconds before each answer
	signals chan os.Signal

	out    *wire.Writer
	stdout *outbox
	errs   *outbox
	r      *renderer

	deaf    map[string]bool
	hold    bool
	leaving *departure
	sleeps  []*os.Process // descendants, ended by SIGINT
}

func (c *child) run(first goAhead) int {
	orders, lost := make(chan order), make(chan struct{})
	go c.receive(orders, lost) // ends with the connection, at the latest with the process

	if code, done := c.pause(lost); done {
		return code
	}
	if first.Down {
		c.say("Error: the runtime is down\n")
		return c.leave(departure{code: 1}, lost)
	}
	quiet := c.play
	quiet.Stdout, quiet.Stderr = c.stdout, c.errs
	inv, code, done := front(quiet, c.version)
	if !done && first.Refuse {
		c.say("Error: the start was refused\n")
		code, done = 1, true
	}
	if done {
		return c.leave(departure{code: code}, lost)
	}
	if code, done := c.begin(inv, first, lost); done {
		return code
	}
	if first.Replay != nil {
		err := replay(c.out, first.Replay.Stdout)
		if err = errors.Join(err, c.out.Close()); err != nil && !errors.Is(err, wire.ErrCut) {
			c.say("adaptercheck: " + err.Error() + "\n")
		}
		if !first.Replay.WaitSignal {
			c.leaving = &departure{code: first.Replay.Exit}
		}
	}
	return c.serve(orders, lost)
}

// receive passes orders on until the puppet is gone.
func (c *child) receive(orders chan<- order, lost chan<- struct{}) {
	defer close(lost)
	for {
		var m toProcess
		if c.in.next(&m) != nil {
			return
		}
		if m.Order != nil {
			orders <- *m.Order // taken by serve, or the process ends
		}
	}
}

// begin reads stdin, opens the thread and reports the run.
func (c *child) begin(inv invocation, first goAhead, lost <-chan struct{}) (code int, done bool) {
	var stdin []byte
	p := c.play
	p.Stderr = c.errs
	if drainsStdin(inv, c.version, p) {
		read := readAll(c.play.Stdin)
		for stdin == nil {
			select {
			case stdin = <-read:
				if stdin == nil {
					stdin = []byte{}
				}
			case s := <-c.signals:
				return stopBy(nameOf(s), c.version), true
			case <-lost:
				return exitUnheard, true
			}
		}
	}
	threads := store{dir: c.play.Getenv(envHome)}
	text, err := message(inv, stdin)
	var id, asked string
	var spent totals
	if err == nil {
		id, asked, spent, err = open(inv, c.version, threads, first.Thread)
	}
	if err != nil {
		c.say(err.Error() + "\n")
		return c.leave(departure{code: 1}, lost), true
	}
	c.r = &renderer{version: c.version, out: c, store: threads, asJSON: inv.json, thread: id, spent: spent, calls: map[string]*call{}, lastFile: inv.message}
	start := begun{Args: c.play.Args, Env: envNames(c.play.Env), Dir: workDir(inv), Message: text, Model: inv.model, Resume: asked, Session: id, Plain: !inv.json}
	if send(c.conn, toPuppet{Begun: &start}) != nil {
		return exitUnheard, true
	}
	return 0, false
}

// serve carries out orders and signals until the process ends.
func (c *child) serve(orders <-chan order, lost <-chan struct{}) int {
	for {
		if c.leaving != nil {
			return c.leave(*c.leaving, lost)
		}
		if err := c.stdout.settle(); err != nil {
			return c.panicOn(err)
		}
		select {
		case o := <-orders:
			if code, done := c.obey(o, lost); done {
				return code
			}
		case s := <-c.signals:
			if code, done := c.signalled(nameOf(s)); done {
				return code
			}
		case <-c.stdout.drained:
		case <-lost:
			return exitUnheard
		}
	}
}

// obey carries out one order and acknowledges it when its bytes are out, or when
// nobody takes them.
func (c *child) obey(o order, lost <-chan struct{}) (code int, done bool) {
	if code, done := c.pause(lost); done {
		return code, true
	}
	before := c.out.Receipt()
	err := c.carryOut(o)
	if flushed := c.out.Flush(); err == nil {
		err = flushed
	}
	if errors.Is(err, wire.ErrCut) {
		c.Cut()
		c.Leave(0, "")
		err = nil
	}
	broken := errors.Join(c.stdout.settle(), c.errs.settle())
	after := c.out.Receipt()
	answer := ack{Order: o.Number, Frames: after.Frames - before.Frames, Bytes: after.Bytes - before.Bytes}
	if err != nil {
		answer.Error = err.Error()
	}
	if send(c.conn, toPuppet{Ack: &answer}) != nil {
		return exitUnheard, true
	}
	if broken != nil {
		return c.panicOn(broken), true
	}
	return 0, false
}

func (c *child) carryOut(o order) error {
	switch o.Fault {
	case fakes.FaultSilent:
		return c.r.Silent(fakes.Silent{})
	case fakes.FaultCut:
		return c.r.Cut(fakes.Cut{})
	case fakes.FaultDeaf:
		for _, s := range stopSignals {
			c.Ignore(nameOf(s))
		}
		return nil
	case fakes.FaultHold:
		c.hold = true
		return nil
	case fakes.FaultSlow:
		c.delay = o.Delay
		return nil
	}
	frames, err := script.DecodeFrames(o.Frames)
	if err != nil {
		return err
	}
	for i, f := range frames {
		if err := f.Accept(c.r); err != nil {
			return fmt.Errorf("frame %d (%s): %w", i, f.Word(), err)
		}
	}
	return nil
}

// pause is what a slow runtime does before an answer. Signals wait so long.
func (c *child) pause(lost <-chan struct{}) (code int, done bool) {
	if c.delay <= 0 {
		return 0, false
	}
	timer := time.NewTimer(time.Duration(c.delay) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return 0, false
	case <-lost:
		return exitUnheard, true
	}
}

// signalled reports a signal and does what the CLI does on it, if it hears it.
func (c *child) signalled(name string) (code int, done bool) {
	if send(c.conn, toPuppet{Call: &heard{name}}) != nil {
		return exitUnheard, true
	}
	if c.hold || c.deaf[name] {
		return 0, false
	}
	if name == "INT" {
		for _, p := range c.sleeps {
			_ = p.Kill() // it may have ended
		}
	}
	return stopBy(name, c.version), true
}

// leave ends the process when all that it said is out. A stop signal still hastens
// it.
func (c *child) leave(d departure, lost <-chan struct{}) int {
	for !c.stdout.empty() || !c.errs.empty() {
		select {
		case <-c.stdout.drained:
		case <-c.errs.drained:
		case s := <-c.signals:
			if c.r == nil {
				return stopBy(nameOf(s), c.version)
			}
			if code, done := c.signalled(nameOf(s)); done {
				return code
			}
		case <-lost:
			return exitUnheard
		}
	}
	if err := c.stdout.settle(); err != nil {
		return c.panicOn(err)
	}
	return d.take()
}

// panicOn ends the process as the CLI ends when nobody reads its stdout.
func (c *child) panicOn(err error) int {
	if _, werr := fmt.Fprintf(c.errs, "thread 'main' panicked: failed printing to stdout: %v\n", err); werr == nil {
		_ = c.errs.settle() // a last word; nobody may be there
	}
	return 101
}

func (c *child) say(text string) { _, _ = c.errs.Write([]byte(text)) }

// The sink of the renderer.

func (c *child) Frame(line []byte) error { return c.out.Frame(line) }
func (c *child) Raw(b []byte) error      { return c.out.Raw(b) }

func (c *child) Stderr(b []byte) error {
	_, err := c.errs.Write(b)
	return err
}

func (c *child) Leave(code int, signal string) { c.leaving = &departure{code, signal} }
func (c *child) Stay()                         { c.leaving = nil }
func (c *child) Ignore(signal string)          { c.deaf[signal] = true }

func (c *child) Cut() {
	if err := c.out.Flush(); err == nil || errors.Is(err, wire.ErrCut) {
		c.stdout.close()
	}
}

func (c *child) Child(ownSession bool) error {
	p, err := launchSleeper(c.play.Env, ownSession)
	if err == nil {
		c.sleeps = append(c.sleeps, p)
	}
	return err
}
