//go:build unix

package child_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, bells().Player())) }

func newBells(t *testing.T, start child.Start) *child.Runtime {
	t.Helper()
	rt, err := child.New(t.Context(), bells(), fakes.Features{fakes.InitFrame}, start)
	return childtest.Closing(t, rt, err)
}

// The puppet's side and the process's side meet.
func TestPuppet(t *testing.T) {
	rt := newBells(t, child.Start{})
	h := childtest.StartOpen(t, rt, "ring", "it")
	run := childtest.Next(t, rt)
	want := fakes.Call{Method: fakes.MethodStart, Session: "s", Args: []string{"ring", "it"}, Env: []string{"PATH", "PROBE"}}
	if diff := cmp.Diff(want, run.Begun()); diff != "" {
		t.Errorf("begun (-want +got):\n%s", diff)
	}
	if r := childtest.Emit(t, run, fakes.Init{}, fakes.Delta{Text: "a"}); r != (fakes.Receipt{Frames: 2, Bytes: 7}) {
		t.Errorf("receipt %+v", r)
	}
	h.Say(t, "question")
	h.Signal(t, syscall.SIGINT)
	if out, code := h.Rest(t), h.Reap(); out != "bell\na\n" || code != 3 {
		t.Errorf("it said %q and ended by %d", out, code)
	}
	if err := run.Gone(childtest.Within(t)); err != nil {
		t.Error(err)
	}
	var methods []string
	for _, c := range run.Calls() {
		methods = append(methods, strings.TrimSpace(string(c.Method)+" "+c.Value+c.Signal+" "+c.Session))
	}
	if !cmp.Equal(methods, []string{"input question\n s", "cancel INT s"}) && !cmp.Equal(methods, []string{"cancel INT s"}) { // the signal may overtake
		t.Errorf("calls %q", methods)
	}
	if r := rt.Residue(); !r.Zero() {
		t.Errorf("residue %+v", r)
	}
}

// What strikes is told with the receipt.
func TestStrikesAreTold(t *testing.T) {
	faults := wire.Faults{{Kind: wire.CRLF, Frame: 1}, {Kind: wire.Garble, Frame: 2, Byte: 1, N: 1}}
	rt := newBells(t, child.Start{Wire: faults})
	h := childtest.Start(t, rt, "ring")
	run := childtest.Next(t, rt)
	childtest.Emit(t, run, fakes.Init{}, fakes.Delta{Text: "a"})
	childtest.Emit(t, run, fakes.Delta{Text: "bc"}, fakes.End{Reason: fakes.EndOK})
	want := []wire.Strike{{Fault: faults[0], Offset: 5}, {Fault: faults[1], Offset: 9}}
	if diff := cmp.Diff(want, run.(*child.Run).Strikes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if out := h.Rest(t); out != "bell\na\r\nb\xc6\r\nding\r\n" {
		t.Errorf("stdout %q", out)
	}
}

// A process that reads no more of its input is told nothing more.
func TestUnread(t *testing.T) {
	rt := newBells(t, child.Start{Wire: wire.Faults{{Kind: wire.Unread}}})
	h := childtest.StartOpen(t, rt, "ring")
	run := childtest.Next(t, rt)
	childtest.Emit(t, run, fakes.Init{})
	h.Say(t, "nobody reads this")
	childtest.Emit(t, run, fakes.End{Reason: fakes.EndOK})
	if out, code := h.Rest(t), h.Reap(); out != "bell\nding\n" || code != 0 || len(run.Calls()) > 0 {
		t.Errorf("it said %q, ended by %d and heard %+v", out, code, run.Calls())
	}
}

// Deaf to SIGTERM means deaf to nothing else.
func TestDeaf(t *testing.T) {
	rt := newBells(t, child.Start{Wire: wire.Faults{{Kind: wire.Deaf}}})
	h := childtest.Start(t, rt, "ring")
	run := childtest.Next(t, rt)
	childtest.Emit(t, run, fakes.Init{})
	h.Signal(t, syscall.SIGTERM)
	childtest.Await(t, "it is heard", func() bool { return len(run.Calls()) == 1 })
	childtest.Emit(t, run, fakes.Delta{Text: "still here"})
	h.Signal(t, syscall.SIGINT)
	if out, code := h.Rest(t), h.Reap(); out != "bell\nstill here\n" || code != 3 {
		t.Errorf("it said %q and ended by %d", out, code)
	}
}

func TestUnplayable(t *testing.T) {
	rt := newBells(t, child.Start{})
	childtest.Start(t, rt, "ring")
	run := childtest.Next(t, rt)
	if r, err := run.Emit(childtest.Within(t), fakes.Init{}, fakes.Ask{}); !errors.Is(err, fakes.ErrUnplayable) || r != (fakes.Receipt{}) {
		t.Errorf("%+v, %v", r, err)
	}
	if rt, err := child.New(t.Context(), bells(), nil, child.Start{Wire: wire.Faults{{Kind: "explode"}}}); err == nil {
		rt.Close()
		t.Error("a fault that is none")
	}
}
