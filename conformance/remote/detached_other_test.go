//go:build !unix

package remote_test

import "syscall"

// detached does nothing: there are no sessions.
func detached() *syscall.SysProcAttr { return nil }
