//go:build unix

package executortest

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// descriptors lists what this process has open, by number and by what it leads to,
// and reports whether it can be told.
func descriptors() (map[string]bool, bool) {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return nil, false
	}
	open := map[string]bool{}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		var st syscall.Stat_t
		if syscall.Fstat(fd, &st) == nil { // it may be closed by now
			open[fmt.Sprintf("%d %d %d", fd, st.Dev, st.Ino)] = true
		}
	}
	return open, true
}
