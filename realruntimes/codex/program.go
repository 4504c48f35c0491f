package codex

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// Name is the name of the gate, as [fakes.EnvFake] carries it.
const Name = "real-codex"

// envKey is the variable by which the program is told the key of its requests.
const envKey = "ADAPTERCHECK_RUN"

// link is the name, in the home of a runtime, of a link to the program.
const link = "real-program"

// opening is the frame by which the gate is told to become the program.
const opening = "open"

// Player lets a binary be the gate, see [fakes.Main].
func Player() fakes.Player { return program().Player() }

func program() child.Program {
	return child.Program{Name: Name, File: "codex", Runs: runs, Play: gate, Playable: func(_ string, frames []fakes.Frame) error {
		for i, f := range frames {
			if n, ok := f.(fakes.Native); !ok || n.Type != opening {
				return &fakes.FrameError{Index: i, Word: f.Word(), Err: unplayable("a frame for the gate")}
			}
		}
		return nil
	}}
}

// runs reports whether the program begins a run with these arguments.
func runs(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(a string) bool { return a == "exec" || a == "app-server" })
}

// gate is a process that becomes the program when it is told to. One that is no run
// becomes it at once.
func gate(p *child.Process) int {
	g := &keeper{}
	p.Cast(g)
	run := runs(p.Play.Args)
	if code, ended := p.Front(func() (int, bool) { return 0, false }); ended {
		return code
	}
	if run {
		dir, err := os.Getwd()
		if err != nil {
			dir = ""
		}
		// The process id stands where calls of other runtimes have a run id.
		p.Begin(fakes.Call{Method: fakes.MethodStart, Run: strconv.Itoa(os.Getpid()), Args: p.Play.Args, Env: child.EnvNames(p.Play.Env), Dir: dir})
		if code, ended := p.Await(func() bool { return g.open }); ended {
			return code
		}
	}
	err := become(p.Play, g.key)
	p.LastWord(fmt.Sprintf("adaptercheck: start the real program: %v\n", err))
	return 1
}

// become replaces this process by the program.
func become(p fakes.Play, key string) error {
	path, err := os.Readlink(filepath.Join(filepath.Dir(child.Home(p)), link))
	if err != nil {
		return err
	}
	return syscall.Exec(path, append([]string{"codex"}, p.Args...), environment(p.Env, key))
}

// environment is what the gate was given, without what makes it a gate. The git that the
// program starts by itself must not leave the machine.
func environment(env []string, key string) []string {
	given := append(child.EnvNames(env), "PWD")
	out := []string{envKey + "=" + key, "GIT_ALLOW_PROTOCOL=file"}
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(given, name) {
			out = append(out, entry)
		}
	}
	return out
}

// keeper is what the gate does while it waits. It hears of no frame but the one that
// opens it.
type keeper struct {
	fakes.FrameVisitor // nil
	open               bool
	key                string
}

var _ child.Actor = (*keeper)(nil)

// Native opens the gate.
func (g *keeper) Native(f fakes.Native) error {
	var fields struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal([]byte(f.Fields), &fields); err != nil {
		return err
	}
	g.open, g.key = true, fields.Key
	return nil
}

// openWith is the frame that opens the gate.
func openWith(key string) fakes.Frame {
	quoted, _ := jsontext.AppendQuote([]byte(`{"key":`), key) // keys are digits
	return fakes.Native{Type: opening, Fields: string(append(quoted, '}'))}
}

// Stop is what a stop signal does to a program that has not come far enough to hear it.
func (g *keeper) Stop(signal string) (code int, ended bool) { return child.DieBy(signal), true }

// Broken is the exit code when nobody reads.
func (g *keeper) Broken(error) int { return 1 }

// Over does nothing: the gate has no script.
func (g *keeper) Over() {}

func unplayable(what string, args ...any) error {
	return child.Program{Name: Name}.Unplayable(what, args...)
}
