//go:build unix

package openclaw_test

import "syscall"

func errReset() error { return syscall.ECONNRESET }
