//go:build unix

package openclaw_test

import (
	"syscall"
	"time"
)

// cpuTime is what this process has taken so far, in user and system mode.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
