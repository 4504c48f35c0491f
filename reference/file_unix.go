//go:build unix

package reference

import "os"

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
