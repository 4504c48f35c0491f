//go:build unix

package process

import (
	"errors"
	"io"
	"syscall"
	"time"
)

// expire says that the child is gone: what it wrote is in the pipe, and Read must
// wait for no more, as a descendant may hold the writing end for as long as it
// likes.
func (p *pipe) expire() {
	// An error means that the pipe is closed already.
	_ = p.file.SetReadDeadline(time.Unix(1, 0))
}

// readNow reads what lies in the pipe without waiting. An expired deadline keeps
// the runtime from reading even that, hence the system call.
func (p *pipe) readNow(b []byte) (int, error) {
	conn, err := p.file.SyscallConn()
	if err != nil {
		return 0, io.EOF
	}
	var n int
	var readErr error
	err = conn.Control(func(fd uintptr) {
		for {
			n, readErr = syscall.Read(int(fd), b)
			if !errors.Is(readErr, syscall.EINTR) {
				return
			}
		}
	})
	if err != nil || readErr != nil || n <= 0 {
		return 0, io.EOF
	}
	return n, nil
}
