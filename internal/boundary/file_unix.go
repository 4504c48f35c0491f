//go:build unix

package boundary

import (
	"os"
	"syscall"
)

// openNonblocking opens a file for reading. Opening a pipe by mistake does not wait
// for its other end.
func openNonblocking(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
