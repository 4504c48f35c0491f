package child

import (
	"fmt"
	"os"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

var _ wire.Host = host{}

// host plays the faults of a wire that are not of the bytes.
type host struct{ p *Process }

func (h host) Pause(d time.Duration) { _, _ = h.p.sleep(d) } // a puppet that is gone is noticed next
func (h host) Flood(n int)           { _, _ = h.p.errs.Write(filler(n)) }
func (h host) Close()                { h.p.stdout.close() }
func (h host) Ignore(signal string)  { h.p.Ignore(signal) }
func (h host) Unread()               { h.p.unread.Store(true) }

func (h host) Cut() {
	h.p.stdout.close()
	h.Exit(0)
}

func (h host) Exit(code int) {
	h.p.Leave(code, "")
	h.p.sealed = true
}

func (h host) Stay() {
	h.p.Stay()
	h.p.sealed = true
}

func (h host) Hold() error {
	if err := h.p.launchable(); err != nil {
		return err
	}
	f, ok := h.p.stdoutFile()
	if !ok {
		return fmt.Errorf("stdout is no file that a descendant could hold: %w", fakes.ErrUnplayable)
	}
	_, err := launchSleeper(h.p.program.Name, h.p.Play.Env, true, f) // whatever ends the tools, this one stays
	return err
}

// stdoutFile is the descriptor that stdout is.
func (p *Process) stdoutFile() (*os.File, bool) {
	if d, ok := p.stdout.(direct); ok {
		f, ok := d.Writer.(*os.File)
		return f, ok
	}
	return os.Stdout, true
}
