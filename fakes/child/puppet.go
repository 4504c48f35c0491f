package child

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// puppet is the process's end of the control connection. A nil puppet orders nothing
// and hears nothing.
type puppet struct {
	conn  net.Conn
	in    receiver
	queue chan order
	lost  chan struct{} // closed when nobody plays the process any more
}

// connect says hello to the puppet and takes its answer.
func connect(ctx context.Context, p fakes.Play, as role) (*puppet, Start, error) {
	socket := p.Getenv(envSocket)
	if socket == "" {
		return nil, Start{}, errors.New("started as a fake, but without its control socket: start it through the wrapper that Endpoint names")
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, Start{}, fmt.Errorf("nobody plays this fake any more: %w", err)
	}
	in := newReceiver(conn)
	var answer toProcess
	if err = send(conn, toPuppet{Hello: &hello{as, os.Getpid()}}); err == nil {
		err = in.next(&answer)
	}
	if err == nil && answer.Start == nil {
		err = errors.New("no answer to hello")
	}
	if err != nil {
		conn.Close()
		return nil, Start{}, err
	}
	return &puppet{conn: conn, in: in, queue: make(chan order), lost: make(chan struct{})}, *answer.Start, nil
}

// receive passes orders on until nobody gives any, or the process is over.
func (p *puppet) receive(over <-chan struct{}) {
	defer close(p.lost)
	for {
		var m toProcess
		if p.in.next(&m) != nil {
			return
		}
		if m.Order == nil {
			continue
		}
		select {
		case p.queue <- *m.Order:
		case <-over:
			return
		}
	}
}

// tell sends a message. If it cannot be sent, lost is closed soon.
func (p *puppet) tell(m toPuppet) {
	if p != nil {
		_ = send(p.conn, m)
	}
}

func (p *puppet) orders() <-chan order {
	if p == nil {
		return nil
	}
	return p.queue
}

func (p *puppet) gone() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.lost
}
