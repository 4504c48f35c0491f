//go:build unix && !linux

package supervise

import "golang.org/x/sys/unix"

// redirect makes one descriptor mean what another means.
func redirect(from, to int) error { return unix.Dup2(from, to) }
