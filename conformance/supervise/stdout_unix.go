//go:build unix

package supervise

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// TakeStdout takes the process's stdout away from everybody else and returns it.
// What is printed afterwards, by whatever way and also by children that inherit it,
// goes to stderr. It is the first thing that a worker does.
func TakeStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(unix.Stdout), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("take stdout: %w", err)
	}
	if err := redirect(unix.Stderr, unix.Stdout); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("take stdout: %w", err)
	}
	os.Stdout = os.Stderr
	return os.NewFile(uintptr(fd), "messages"), nil
}
