package child

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Program describes a fake that is a program.
type Program struct {
	// Name of the fake, as [fakes.EnvFake] carries it.
	Name string
	// File is the name of the program that an adapter starts.
	File string
	// Runs reports whether a process with these arguments is a run, rather than a
	// health command or a mistake.
	Runs func(args []string) bool
	// Playable reports the first frame that the wire has no form for, as a
	// [*fakes.FrameError].
	Playable func(version string, frames []fakes.Frame) error
	// Play is the life of a process that has a puppet; it returns the exit code.
	Play func(*Process) int
}

// Unplayable says what a wire has no form for.
func (p Program) Unplayable(what string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", p.Name, fmt.Sprintf(what, args...), fakes.ErrUnplayable)
}

// Variables of the wrapper, beside fakes.EnvFake.
const (
	envSocket = "ADAPTERCHECK_FAKE_SOCKET" // the control socket
	envHome   = "ADAPTERCHECK_FAKE_HOME"   // what lasts as long as the fake
	envRole   = "ADAPTERCHECK_FAKE_ROLE"   // sleeper, for a descendant
)

// Home is the directory that lasts as long as the fake, for what a program remembers
// from one process to the next; empty where no fake is behind the process.
func Home(p fakes.Play) string { return p.Getenv(envHome) }

// EnvNames lists the names of the variables that a process was given, sorted, without
// those that the wrapper script and the shell below it set.
func EnvNames(env []string) []string {
	names := []string{}
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case fakes.EnvFake, envSocket, envHome, envRole, "GORACE", "_", "PWD", "OLDPWD", "SHLVL", "":
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
