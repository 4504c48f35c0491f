package child

import (
	"errors"
	"fmt"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// step waits for one thing to happen and does what follows from it.
func (p *Process) step() (code int, ended bool) {
	if p.leaving != nil {
		return p.finish(), true
	}
	if err := p.flush(); err != nil {
		return p.actor.Broken(err), true
	}
	select {
	case o := <-p.puppet.orders():
		return p.obey(o)
	case s := <-p.signals:
		return p.signalled(nameOf(s))
	case what := <-p.inbox:
		what()
	case <-p.stdout.drained():
	case <-p.stop:
		p.stop = nil
		if code, ended := p.actor.Stop("INT"); ended {
			return code, true
		}
		if p.leaving == nil {
			p.Leave(0, "")
		}
	case <-p.puppet.gone():
		return exitUnheard, true
	}
	return 0, false
}

// flush lets what was said leave, and waits until it is out or nobody takes it.
func (p *Process) flush() error {
	return errors.Join(p.out.Flush(), p.stdout.settle())
}

// obey carries out one order and acknowledges it when its bytes are out, or when
// nobody takes them.
func (p *Process) obey(o order) (code int, ended bool) {
	if code, ended := p.pause(); ended {
		return code, true
	}
	before := p.out.Receipt()
	err := p.carryOut(o)
	broken := errors.Join(p.flush(), p.errs.settle())
	after, strikes := p.out.Receipt(), p.out.Strikes()
	answer := ack{Order: o.Number, Frames: after.Frames - before.Frames, Bytes: after.Bytes - before.Bytes, Strikes: strikes[p.told:]}
	p.told = len(strikes)
	if err != nil {
		answer.Error = err.Error()
	}
	p.puppet.tell(toPuppet{Ack: &answer})
	if broken != nil {
		return p.actor.Broken(broken), true
	}
	return 0, false
}

func (p *Process) carryOut(o order) error {
	switch o.Fault {
	case fakes.FaultSilent:
		p.silent = true
		p.Stay()
		return nil
	case fakes.FaultCut:
		return p.actor.Cut(fakes.Cut{})
	case fakes.FaultDeaf:
		for _, s := range stopSignals {
			p.Ignore(nameOf(s))
		}
		return nil
	case fakes.FaultHold:
		p.hold = true
		return nil
	case fakes.FaultSlow:
		p.delay = o.Delay
		return nil
	case fakes.FaultTorn:
		p.out.Add(wire.Fault{Kind: wire.Split, N: 1})
		return nil
	case fakes.FaultCRLF:
		p.out.Add(wire.Fault{Kind: wire.CRLF})
		return nil
	case fakes.FaultHeld:
		p.out.Add(wire.Fault{Kind: wire.Holder})
		return nil
	}
	frames, err := script.DecodeFrames(o.Frames)
	if err != nil {
		return err
	}
	for i, f := range frames {
		p.ahead = frames[i+1:]
		if err := f.Accept(p.actor); err != nil {
			return fmt.Errorf("frame %d (%s): %w", i, f.Word(), err)
		}
	}
	return nil
}

// pause is what a slow runtime does before an answer.
func (p *Process) pause() (code int, ended bool) {
	if p.delay <= 0 {
		return 0, false
	}
	return p.sleep(time.Duration(p.delay) * time.Millisecond)
}

// sleep lets time pass. Signals and orders wait so long.
func (p *Process) sleep(d time.Duration) (code int, ended bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return 0, false
	case <-p.puppet.gone():
		return exitUnheard, true
	}
}

// signalled reports a signal and does what the program does on it, if it hears it.
func (p *Process) signalled(name string) (code int, ended bool) {
	p.Heard(fakes.Call{Method: fakes.MethodCancel, Signal: name})
	if !p.Obeys(name) {
		return 0, false
	}
	p.sealed = false
	return p.actor.Stop(name)
}

// finish ends the process when all that it said is out. A stop signal still hastens
// it.
func (p *Process) finish() int {
	if err := p.out.Close(); err != nil {
		return p.broken(err)
	}
	for !p.stdout.empty() || !p.errs.empty() {
		select {
		case <-p.stdout.drained():
		case <-p.errs.drained():
		case s := <-p.signals:
			if p.actor == nil {
				continue
			}
			if code, ended := p.signalled(nameOf(s)); ended {
				return code
			}
		case <-p.puppet.gone():
			return exitUnheard
		}
	}
	if err := p.stdout.settle(); err != nil {
		return p.broken(err)
	}
	if p.leaving == nil { // a fault at the end keeps the process
		code, _ := p.Await(func() bool { return false })
		return code
	}
	return p.leaving.take()
}

// broken is the exit code where nobody listens; before there is an actor, what was
// meant.
func (p *Process) broken(err error) int {
	if p.actor == nil {
		return p.leaving.take()
	}
	return p.actor.Broken(err)
}
