//go:build unix

package child

import (
	"os"
	"os/signal"
	"syscall"
)

var deadly = map[string]syscall.Signal{
	"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL,
	"QUIT": syscall.SIGQUIT, "ABRT": syscall.SIGABRT, "SEGV": syscall.SIGSEGV, "PIPE": syscall.SIGPIPE,
}

// CanDieBy reports whether a process can end itself by the signal of that name.
func CanDieBy(name string) bool { _, ok := deadly[name]; return ok }

// DieBy ends this process by a signal, without a last word. It does not return
// where the signal can be raised; else it returns the exit code that shells give
// such a death.
func DieBy(name string) int {
	s := deadly[name]
	switch s {
	case syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGSEGV:
		// The Go runtime keeps these to itself and prints a trace: a shell has no
		// such habit.
		return dieInShell(s)
	}
	signal.Reset(s)
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		return 128 + int(s)
	}
	select {} // the signal is on its way
}

// dieInShell replaces this process by a shell that raises the signal.
func dieInShell(s syscall.Signal) int {
	name := map[syscall.Signal]string{syscall.SIGQUIT: "QUIT", syscall.SIGABRT: "ABRT", syscall.SIGSEGV: "SEGV"}[s]
	err := syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -" + name + " $$"}, nil)
	if err != nil {
		return 128 + int(s)
	}
	return 0
}
