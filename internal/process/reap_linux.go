package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

// waitUnreaped waits until the child has exited and leaves it unreaped, so that its
// pid stays taken. False means that it could not tell.
func waitUnreaped(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
