//go:build unix

package reference

import (
	"os"
	"syscall"
)

// openNonblocking opens a file for reading. Opening a pipe by mistake does not wait
// for its other end.
func openNonblocking(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// lockPath is the file that a writer locks: the session itself. The lock is
// advisory, so readers are not kept out.
func lockPath(session string) string { return session }

// lockFlag opens it; it never makes one.
const lockFlag = os.O_RDONLY

// syncDir makes a new name in a directory last.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
