package child

import (
	"os"
	"syscall"
)

// stopSignals are what a host ends the process with, by the names of frames and
// calls.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

func nameOf(s os.Signal) string {
	switch s {
	case os.Interrupt:
		return "INT"
	case syscall.SIGTERM:
		return "TERM"
	case syscall.SIGHUP:
		return "HUP"
	}
	return s.String()
}
