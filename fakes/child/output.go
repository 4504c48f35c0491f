package child

import "io"

// output is where a process writes.
type output interface {
	io.Writer
	// settle waits until all is written, or nobody takes more for now.
	settle() error
	// empty reports whether all is written, or never will be.
	empty() bool
	// drained gets a token each time that nothing is left to write.
	drained() <-chan struct{}
	// close closes the output when all is written.
	close()
}

// direct is an output that writes at once.
type direct struct{ io.Writer }

func (direct) settle() error            { return nil }
func (direct) empty() bool              { return true }
func (direct) drained() <-chan struct{} { return nil }

func (d direct) close() {
	if c, ok := d.Writer.(io.Closer); ok {
		c.Close()
	}
}
