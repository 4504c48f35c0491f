package fakes

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// EnvFake names the environment variable that tells a binary to play a fake
// instead of doing its own work. Its value is the fake's name. Only the wrapper
// scripts that process fakes generate set it.
const EnvFake = "ADAPTERCHECK_FAKE"

// Play is what a process fake is given when it runs as a process of its own.
type Play struct {
	Args   []string // argv without the program
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Env    []string // name=value, as the process got it
}

// Getenv returns the last value of a variable in Env, empty if there is none.
func (p Play) Getenv(name string) string {
	for _, entry := range slices.Backward(p.Env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// Player is a fake that a binary can play as a child process of itself.
type Player struct {
	// Name as [EnvFake] carries it.
	Name string
	// Play acts as the runtime and returns the exit code.
	Play func(ctx context.Context, p Play) int
	// Playable reports the first frame that a version of the runtime has no form for, as
	// a [*FrameError]. Nil is a fake that plays no scripts.
	Playable func(version string, frames []Frame) error
}

// Main runs the tests of a package that starts process fakes, which are the test
// binary itself, started again. It is one line of the package's TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(fakes.Main(m, codex.Player())) }
//
// In a process that was started to be a fake it plays that fake and returns its
// exit code; the tests do not run there.
func Main(m interface{ Run() int }, players ...Player) int {
	if played, code := PlayChild(players...); played {
		return code
	}
	return m.Run()
}

// PlayChild does the same for a program: the first thing in main.
//
//	if played, code := fakes.PlayChild(codex.Player()); played {
//		os.Exit(code)
//	}
//
// It reports false where the process was not started to be a fake, and remembers
// which ones this binary can play, for [Startable].
func PlayChild(players ...Player) (played bool, code int) {
	name, isFake := os.LookupEnv(EnvFake)
	if !isFake {
		playable.add(players)
		return false, 0
	}
	play := Play{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ()}
	for _, p := range players {
		if p.Name == name {
			return true, p.Play(context.Background(), play)
		}
	}
	fmt.Fprintf(os.Stderr, "adaptercheck: this binary cannot play the fake %q: name it in fakes.Main or fakes.PlayChild\n", name)
	return true, 2
}

// Startable reports why a process fake of that name cannot be started from this
// process, nil if it can. A binary that would not play it when started again would
// run its own main or its own tests instead, without end; so would one that is a
// fake itself.
func Startable(name string) error {
	if of, isFake := os.LookupEnv(EnvFake); isFake {
		return fmt.Errorf("fake %s: this process is itself a fake (%s=%s): start fakes from the process that runs the checks", name, EnvFake, of)
	}
	if !playable.has(name) {
		return fmt.Errorf("fake %s: this binary cannot play it: a test needs\n"+
			"\tfunc TestMain(m *testing.M) { os.Exit(fakes.Main(m, %[1]s.Player())) }\n"+
			"and a program, first thing in main,\n"+
			"\tif played, code := fakes.PlayChild(%[1]s.Player()); played { os.Exit(code) }", name)
	}
	return nil
}

// playable is the one piece of process state here: it says what this very binary
// does when it is started again, which is a fact about the process.
var playable = &playerSet{names: map[string]bool{}}

type playerSet struct {
	mu    sync.Mutex
	names map[string]bool
}

func (s *playerSet) add(players []Player) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range players {
		s.names[p.Name] = true
	}
}

func (s *playerSet) has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[name]
}
