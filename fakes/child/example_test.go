package child_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// bell is a fake of a program that says its words and rings at the end.
type bell struct {
	child.Deeds
	process *child.Process // nil in a trial
}

func bells() child.Program {
	return child.Program{
		Name: "bell", File: "bell",
		Runs: func(args []string) bool { return len(args) > 0 && args[0] == "ring" },
		Playable: func(_ string, frames []fakes.Frame) error {
			b := &bell{Deeds: child.Deeds{Stage: child.Trial{}}}
			for _, f := range frames {
				if err := f.Accept(b); err != nil {
					return err
				}
			}
			return nil
		},
		Play: func(p *child.Process) int {
			p.Cast(newBell(p))
			if code, ended := p.Front(func() (int, bool) {
				if len(p.Play.Args) == 0 || p.Play.Args[0] != "ring" {
					fmt.Fprintln(p.Play.Stdout, "bell 1.0")
					return 0, true
				}
				return 0, false
			}); ended {
				return code
			}
			p.Begin(fakes.Call{Method: fakes.MethodStart, Session: "s", Args: p.Play.Args, Env: child.EnvNames(p.Play.Env)})
			p.Listen(func(piece []byte, err error) {
				if len(piece) > 0 {
					p.Heard(fakes.Call{Method: fakes.MethodInput, Value: string(piece)})
				}
			})
			return p.Serve()
		},
	}
}

func newBell(p *child.Process) *bell {
	return &bell{Deeds: child.Deeds{Program: bells(), Stage: p}, process: p}
}

func (b *bell) say(words ...string) error {
	if b.Muted {
		return nil
	}
	return b.Stage.Frame([]byte(strings.Join(words, " ")))
}

func (b *bell) Init(fakes.Init) error             { return b.say("bell") }
func (b *bell) Delta(f fakes.Delta) error         { return b.say(f.Text) }
func (b *bell) Think(f fakes.Think) error         { return b.say(f.Text) }
func (b *bell) Snapshot(f fakes.Snapshot) error   { return b.say(f.Text) }
func (b *bell) Final(f fakes.Final) error         { return b.say(*f.Text) }
func (b *bell) ToolCall(f fakes.ToolCall) error   { return b.say(f.Name, f.Input) }
func (b *bell) CallPart(f fakes.CallPart) error   { return b.say(f.Fragment) }
func (b *bell) Result(f fakes.Result) error       { return b.say(f.Out) }
func (b *bell) Usage(fakes.Usage) error           { return nil }
func (b *bell) Failure(f fakes.Failure) error     { return b.say(f.Message) }
func (b *bell) Turn(f fakes.Turn) error           { return b.say(f.State) }
func (b *bell) Ask(fakes.Ask) error               { return bells().Unplayable("questions") }
func (b *bell) Stop(string) (code int, done bool) { return 3, true }
func (b *bell) Broken(error) int                  { return 4 }

func (b *bell) Over() {
	if !b.process.Leaving() {
		b.Stage.Leave(0, "")
	}
}

func (b *bell) End(fakes.End) error {
	b.Stage.Leave(0, "")
	return b.say("ding")
}

func (b *bell) Native(f fakes.Native) error {
	line, err := b.Program.NativeLine(f)
	if err != nil {
		return err
	}
	return b.Stage.Frame(line)
}

// A program that is started by hand plays a script, under the faults of a wire.
func Example() {
	frames := []fakes.Frame{fakes.Init{}, fakes.Delta{Text: "hello"}, fakes.End{Reason: fakes.EndOK}}
	start := child.Start{Wire: wire.Faults{{Kind: wire.Duplicate, Frame: 1}}}
	code := child.Alone(context.Background(), bells(), fakes.Play{Stdout: os.Stdout, Stderr: os.Stderr}, start, func(p *child.Process) int {
		p.Cast(newBell(p))
		return p.Perform(frames)
	})
	fmt.Println("exit code", code)
	// Output:
	// bell
	// hello
	// hello
	// ding
	// exit code 0
}
