//go:build unix

package remote_test

import "syscall"

// detached has a process leave the group of whoever starts it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
