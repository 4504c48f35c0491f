//go:build !unix

package reference

import "os"

// lockPath is the file that a writer locks. Locks keep readers out here, so it
// stands beside the session.
func lockPath(session string) string { return session + ".lock" }

const lockFlag = os.O_CREATE | os.O_RDWR

// syncDir has nothing to do where directories cannot be opened.
func syncDir(string) error { return nil }
