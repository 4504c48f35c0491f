package process

import (
	"errors"
	"io"
	"os"
	"sync"
)

// pipe is the reading end of a pipe whose writing end a child has.
type pipe struct {
	file *os.File
	once sync.Once
	err  error
}

// newPipe returns both ends. The writing end is for the child alone.
func newPipe() (*pipe, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return &pipe{file: r}, w, nil
}

// pipes are the two sides of a child's standard streams.
type pipes struct {
	stdin          *os.File // to an interactive child
	stdout, stderr *pipe
	child          []*os.File // stdout, stderr and, for an interactive child, stdin
}

func openPipes(interactive bool) (*pipes, error) {
	p := &pipes{}
	for _, reading := range []**pipe{&p.stdout, &p.stderr} {
		r, w, err := newPipe()
		if err != nil {
			p.closeChild()
			p.closeOurs()
			return nil, err
		}
		*reading, p.child = r, append(p.child, w)
	}
	if !interactive {
		return p, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		p.closeChild()
		p.closeOurs()
		return nil, err
	}
	p.stdin, p.child = w, append(p.child, r)
	return p, nil
}

// closeChild closes the child's side here, where the child has it or never will.
func (p *pipes) closeChild() {
	for _, f := range p.child {
		f.Close()
	}
}

func (p *pipes) closeOurs() {
	for _, r := range []*pipe{p.stdout, p.stderr} {
		if r != nil {
			r.Close()
		}
	}
	if p.stdin != nil {
		p.stdin.Close()
	}
}

// Read reads what the child wrote. The end of the pipe, the closed pipe and, after
// expire, an empty pipe are io.EOF.
func (p *pipe) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, err := p.file.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		n, err = p.readNow(b)
	}
	if errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	if errors.Is(err, io.EOF) {
		p.Close()
	}
	return n, err
}

// Close gives up the reading end. A Read that waits ends.
func (p *pipe) Close() error {
	p.once.Do(func() { p.err = p.file.Close() })
	return p.err
}
