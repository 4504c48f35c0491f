package child

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/fakes"
)

var _ Stage = (*Process)(nil)

func (p *Process) say(text string) { _, _ = p.errs.Write([]byte(text)) }

// LastWord writes to stderr before the process ends, if somebody listens.
func (p *Process) LastWord(text string) {
	p.say(text)
	_ = p.errs.settle() // nobody may be there
}

// Frame says a line.
func (p *Process) Frame(line []byte) error {
	if p.silent {
		return nil
	}
	return p.out.Frame(line)
}

// Raw says bytes as they are.
func (p *Process) Raw(b []byte) error {
	if p.silent {
		return nil
	}
	return p.out.Raw(b)
}

// Stderr says bytes on the second channel.
func (p *Process) Stderr(b []byte) error {
	if p.silent {
		return nil
	}
	_, err := p.errs.Write(b)
	return err
}

// Flush lets what was said leave.
func (p *Process) Flush() error { return p.out.Flush() }

// Leave asks the process to end when all is out.
func (p *Process) Leave(code int, signal string) {
	if !p.sealed {
		p.leaving = &departure{code, signal}
	}
}

// Leaving reports whether the process was asked to end.
func (p *Process) Leaving() bool { return p.leaving != nil }

// Stay takes back that the process shall end.
func (p *Process) Stay() {
	if !p.sealed {
		p.leaving = nil
	}
}

// Ignore makes the process ignore a stop signal from now on.
func (p *Process) Ignore(signal string) { p.deaf[signal] = true }

// Cut closes stdout when all is out.
func (p *Process) Cut() {
	if p.out.Flush() == nil {
		p.stdout.close()
	}
}

// Child starts a descendant.
func (p *Process) Child(ownSession bool) error {
	if err := p.launchable(); err != nil {
		return err
	}
	c, err := launchSleeper(p.program.Name, p.Play.Env, ownSession, nil)
	if err == nil {
		p.sleepers = append(p.sleepers, c)
	}
	return err
}

// launchable reports why this binary cannot be started again as a descendant.
func (p *Process) launchable() error {
	if p.Puppet() {
		return nil
	}
	return fakes.Startable(p.program.Name)
}

// EndChildren ends the descendants.
func (p *Process) EndChildren() {
	for _, c := range p.sleepers {
		_ = c.Kill() // it may have ended
	}
	p.sleepers = slices.Delete(p.sleepers, 0, len(p.sleepers))
}
