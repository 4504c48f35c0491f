package memory_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// open starts a run and returns both ends of it.
func open(t *testing.T, r *memory.Runtime, q memory.Request) (*memory.Conn, fakes.Run) {
	t.Helper()
	conn, err := r.Open(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	run, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn, run
}

// words reads frames until the wire ends or nothing more is there.
func words(t *testing.T, c *memory.Conn) []string {
	t.Helper()
	var got []string
	for {
		f, err := c.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f.Word())
	}
}

func TestWhatArrives(t *testing.T) {
	r := memory.New()
	conn, run := open(t, r, memory.Request{Session: "s", Message: "m", Model: "x", Agent: "a", Resume: "n", Blocklist: []string{"shell"}})
	for _, err := range []error{
		r.SetModel(t.Context(), "s", "y"), r.WriteContext(t.Context(), "s", "k", "v"),
		conn.Answer(t.Context(), "q", true), conn.Cancel(t.Context()),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	begun := fakes.Call{Method: fakes.MethodStart, Session: "s", Message: "m", Model: "x", Agent: "a", Resume: "n", Blocklist: []string{"shell"}}
	if diff := cmp.Diff(begun, run.Begun()); diff != "" {
		t.Errorf("begun (-want +got):\n%s", diff)
	}
	calls := []fakes.Call{
		{Method: fakes.MethodSetModel, Session: "s", Model: "y"},
		{Method: fakes.MethodContext, Session: "s", Key: "k", Value: "v"},
		{Method: fakes.MethodAnswer, Session: "s", Question: "q", Allow: true},
		{Method: fakes.MethodCancel, Session: "s"},
	}
	if diff := cmp.Diff(calls, run.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if err := r.SetModel(t.Context(), "nobody", "y"); err == nil {
		t.Error("a session that never was takes a model")
	}
}

func TestWhatIsSaid(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		fault  fakes.FaultKind
		cancel bool
		want   []string
	}{
		{"frames, then the end of the wire", []fakes.Frame{fakes.Init{}, fakes.Delta{Text: "a"}, fakes.Cut{}, fakes.Delta{Text: "late"}}, "", false, []string{"init", "delta"}},
		{"silence", []fakes.Frame{fakes.Init{}, fakes.Silent{}, fakes.Delta{Text: "a"}}, "", false, []string{"init"}},
		{"cancel ends the run", []fakes.Frame{fakes.Init{}}, "", true, []string{"init", "end"}},
		{"deaf to cancel", []fakes.Frame{fakes.Init{}}, fakes.FaultDeaf, true, []string{"init"}},
		{"silent when cancelled", []fakes.Frame{fakes.Init{}}, fakes.FaultSilent, true, []string{"init"}},
		{"cut from outside", []fakes.Frame{fakes.Init{}}, fakes.FaultCut, false, []string{"init"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := memory.New()
			conn, run := open(t, r, memory.Request{Session: "s"})
			if _, err := run.Emit(t.Context(), c.frames...); err != nil {
				t.Fatal(err)
			}
			if c.fault != "" {
				if err := run.Fault(t.Context(), fakes.Fault{Kind: c.fault}); err != nil {
					t.Fatal(err)
				}
			}
			if c.cancel {
				if err := conn.Cancel(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Close(); err != nil { // the wire ends, what was said stays
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, words(t, conn)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A frame without a meaning in memory is refused, and nothing of its call leaves.
func TestUnplayable(t *testing.T) {
	r := memory.New()
	conn, run := open(t, r, memory.Request{})
	for _, f := range []fakes.Frame{fakes.Ack{}, fakes.Reject{}, fakes.Attempt{}, fakes.Log{}, fakes.Raw{}, fakes.Stderr{}, fakes.Exit{}, fakes.Child{}, fakes.Ignore{}} {
		if _, err := run.Emit(t.Context(), fakes.Init{}, f); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("%s: %v", f.Word(), err)
		}
	}
	if err := run.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultDown}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Errorf("a run that is down: %v", err)
	}
	if err := r.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultCut}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Errorf("a runtime that is cut: %v", err)
	}
	_ = r.Close()
	if got := words(t, conn); got != nil {
		t.Errorf("left all the same: %v", got)
	}
}

// A client that comes back for a run is told what it has not read, and nothing else.
func TestComingBack(t *testing.T) {
	say := func(t *testing.T, run fakes.Run, words ...string) {
		t.Helper()
		for _, w := range words {
			if _, err := run.Emit(t.Context(), fakes.Delta{Text: w}); err != nil {
				t.Fatal(err)
			}
		}
	}
	// hears reads n frames, and the place of the last.
	hears := func(t *testing.T, c *memory.Conn, n int) (string, int) {
		t.Helper()
		all := ""
		for range n {
			f, err := c.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all += f.(fakes.Delta).Text
		}
		return all, c.Place()
	}
	fault := func(t *testing.T, r *memory.Runtime, kinds ...fakes.FaultKind) {
		t.Helper()
		for _, k := range kinds {
			if err := r.Fault(t.Context(), fakes.Fault{Kind: k}); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Run("dropped", func(t *testing.T) {
		r := memory.New()
		conn, run := open(t, r, memory.Request{})
		say(t, run, "a", "b")
		_, place := hears(t, conn, 1)
		fault(t, r, fakes.FaultDown, fakes.FaultDrop)
		say(t, run, "c")
		if got, _ := hears(t, conn, 1); got != "b" { // it had left before
			t.Errorf("read %q", got)
		}
		if _, err := conn.Next(t.Context()); !errors.Is(err, memory.ErrLost) {
			t.Errorf("after the loss: %v", err)
		}
		if err := conn.Cancel(t.Context()); !errors.Is(err, memory.ErrLost) {
			t.Errorf("cancel after the loss: %v", err)
		}
		if _, err := conn.Resume(t.Context(), place); !errors.Is(err, memory.ErrDown) {
			t.Errorf("back while it is down: %v", err)
		}
		fault(t, r, fakes.FaultUp)
		next, err := conn.Resume(t.Context(), place)
		if err != nil {
			t.Fatal(err)
		}
		say(t, run, "d")
		if got, place := hears(t, next, 3); got != "bcd" || place != 4 {
			t.Errorf("read %q up to %d", got, place)
		}
		if err := next.Close(); err != nil || !r.Residue().Zero() || run.Gone(t.Context()) != nil {
			t.Errorf("%v, held %+v", err, r.Residue())
		}
	})
	t.Run("lost on the way", func(t *testing.T) {
		r := memory.New()
		conn, run := open(t, r, memory.Request{})
		say(t, run, "a")
		if err := run.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultLose}); err != nil {
			t.Fatal(err)
		}
		say(t, run, "b", "c")
		if got, place := hears(t, conn, 2); got != "ac" || place != 3 {
			t.Errorf("read %q up to %d", got, place)
		}
		next, err := conn.Resume(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got, place := hears(t, next, 1); got != "b" || place != 2 {
			t.Errorf("read %q up to %d", got, place)
		}
	})
	t.Run("restarted", func(t *testing.T) {
		r := memory.New()
		conn, run := open(t, r, memory.Request{})
		fault(t, r, fakes.FaultRestart)
		if _, err := run.Emit(t.Context(), fakes.Init{}); !errors.Is(err, fakes.ErrGone) {
			t.Errorf("said by a run that is lost: %v", err)
		}
		if _, err := conn.Next(t.Context()); !errors.Is(err, memory.ErrLost) {
			t.Errorf("after the loss: %v", err)
		}
		if _, err := conn.Resume(t.Context(), 0); !errors.Is(err, memory.ErrForgotten) {
			t.Errorf("back after a restart: %v", err)
		}
		next, again := open(t, r, memory.Request{})
		say(t, again, "a")
		if got, _ := hears(t, next, 1); got != "a" {
			t.Errorf("the next run: %q", got)
		}
	})
	t.Run("swallowed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := memory.New()
			fault(t, r, fakes.FaultSwallow)
			short, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := r.Open(short, memory.Request{}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a start that nobody acknowledges: %v", err)
			}
			if _, err := r.Next(t.Context()); err != nil || !r.Residue().Zero() {
				t.Errorf("the run that it began: %v, held %+v", err, r.Residue())
			}
		})
	})
}

// Every script of the module has a meaning in memory.
func TestFixtureScriptsPlay(t *testing.T) {
	found, err := fs.Glob(fixtures.Scripts(), "*.yaml")
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, name := range found {
		data, err := fs.ReadFile(fixtures.Scripts(), name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := script.Parse(name, data)
		if err != nil {
			t.Fatal(err)
		}
		r := memory.New()
		conn, run := open(t, r, memory.Request{})
		if _, err := run.Emit(t.Context(), s.Frames...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = r.Close()
		if got := words(t, conn); len(got) == 0 || got[0] != "init" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRuntimeFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := memory.New()
		fault := func(f fakes.Fault) {
			if err := r.Fault(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		fault(fakes.Fault{Kind: fakes.FaultRefuse})
		if _, err := r.Open(t.Context(), memory.Request{}); !errors.Is(err, memory.ErrRefused) {
			t.Errorf("refused start: %v", err)
		}
		if _, err := r.Open(t.Context(), memory.Request{}); err != nil {
			t.Errorf("the start after it: %v", err)
		}
		fault(fakes.Fault{Kind: fakes.FaultSlow, Delay: 1000})
		begun := time.Now()
		if err := r.Ping(t.Context()); err != nil || time.Since(begun) != time.Second {
			t.Errorf("slow ping: %v after %v", err, time.Since(begun))
		}
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := r.Ping(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("slow ping with a short context: %v", err)
		}
		fault(fakes.Fault{Kind: fakes.FaultDown})
		if err := r.Ping(t.Context()); !errors.Is(err, memory.ErrDown) {
			t.Errorf("ping of a runtime that is down: %v", err)
		}
	})
}

func TestLettingGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := memory.New()
		conn, run := open(t, r, memory.Request{})
		if got := r.Residue().Subscribers; got != 1 {
			t.Errorf("%d subscribers, want 1", got)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := run.Gone(short); err == nil {
			t.Error("gone while it is held")
		}
		_ = conn.Close()
		_ = conn.Close()
		if err := run.Gone(t.Context()); err != nil || !r.Residue().Zero() {
			t.Errorf("%v, %+v", err, r.Residue())
		}
		waiting := make(chan error, 1)
		go func() { _, err := r.Next(t.Context()); waiting <- err }()
		synctest.Wait()
		_ = r.Close()
		if err := <-waiting; !errors.Is(err, fakes.ErrClosed) {
			t.Errorf("a wait for a run over the close: %v", err)
		}
	})
}
