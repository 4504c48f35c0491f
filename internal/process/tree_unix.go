//go:build unix

package process

import "syscall"

// signalOne signals one process. One that is gone needs no signal.
func signalOne(pid int, sig syscall.Signal) { _ = syscall.Kill(pid, sig) }
