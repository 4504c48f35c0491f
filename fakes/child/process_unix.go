//go:build unix && !linux

package child

import "syscall"

const onLinux = false

// process is a process by its id.
type process struct{ pid int }

func processOf(pid int) process { return process{pid} }

// unreaped reports whether the process lives or has ended and waits to be reaped.
func (p process) unreaped() bool { return syscall.Kill(p.pid, 0) == nil }

// running is false: a process that has ended cannot be told from one that lives.
func (p process) running() bool { return false }

// kill ends the process.
func (p process) kill() {
	if p.pid > 0 {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may just have ended
	}
}
