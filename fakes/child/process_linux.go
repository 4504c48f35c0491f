package child

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

const onLinux = true

// process is a process as /proc tells it apart from a later one of the same id.
type process struct {
	pid   int
	start string // ticks since boot
}

func processOf(pid int) process {
	p := process{pid: pid}
	if f := statOf(pid); len(f) > 19 {
		p.start = f[19]
	}
	return p
}

// unreaped reports whether the process lives or has ended and waits to be reaped by
// a parent that could do it.
func (p process) unreaped() bool {
	f := statOf(p.pid)
	if len(f) <= 19 || f[19] != p.start {
		return false
	}
	return f[0] != "Z" || f[1] != "1" // an orphan is left to init
}

// running reports whether the process has not ended yet.
func (p process) running() bool {
	f := statOf(p.pid)
	return len(f) > 19 && f[19] == p.start && f[0] != "Z" && f[0] != "X"
}

// kill ends the process, if it is still the one that it was.
func (p process) kill() {
	if p.running() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may just have ended
	}
}

// statOf lists the fields of /proc/PID/stat from the state on.
func statOf(pid int) []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	var rest string
	if i := strings.LastIndex(string(data), ") "); i >= 0 {
		rest = string(data)[i+2:]
	}
	return strings.Fields(rest)
}
