//go:build unix

package files

import (
	"os"
	"syscall"
)

// nonblocking keeps the opening of a pipe from waiting for its other end.
const nonblocking = syscall.O_NONBLOCK

// links is how many names a file has.
func links(_ *os.File, info os.FileInfo) (uint64, error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, errLink // not known: not shown to be one
	}
	return uint64(stat.Nlink), nil
}
