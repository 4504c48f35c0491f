package provider

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unsent is how many bytes that were written the other side has not acknowledged.
func unsent(c net.Conn) int {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) }) // of a closed one, none
	return n
}
