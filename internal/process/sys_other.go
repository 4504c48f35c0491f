//go:build !unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// stopSignal does not exist here; signalGroup passes over it.
const stopSignal = syscall.Signal(0)

func setGroup(*exec.Cmd) {}

// signalGroup ends the child whatever the signal is: there is no gentle way.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) error {
	if sig == stopSignal {
		return nil
	}
	return cmd.Process.Kill()
}

func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
