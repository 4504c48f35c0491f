//go:build unix

package appserver_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

func newRuntime(t *testing.T, o appserver.Options) *appserver.Runtime {
	t.Helper()
	rt, err := appserver.New(t.Context(), o)
	return childtest.Closing(t, rt, err)
}

func TestRunFromStartToEnd(t *testing.T) {
	c := running(t, appserver.Options{})
	r := childtest.Emit(t, c.run, fakes.Delta{Text: "hi"}, done)
	c.In.Close()
	out := c.Rest(t)
	if diff := cmp.Diff(fakes.Receipt{Frames: 5, Bytes: int64(len(out)), Session: c.thread}, r); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	if code := c.Reap(); code != 0 || c.Errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, &c.Errs)
	}
	if err := c.run.Gone(childtest.Within(t)); err != nil {
		t.Error(err)
	}
	if _, err := c.run.Emit(childtest.Within(t), done); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("emit after the end: %v", err)
	}
}

// A process is a run only if it serves; other commands are answered without one.
func TestCommands(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	for _, c := range []struct {
		args        []string
		code        int
		out, stderr string
	}{
		{[]string{"--version"}, 0, "codex-cli 0.171.0\n", ""},
		{[]string{"app-server", "-V"}, 0, "codex-cli 0.171.0\n", ""},
		{[]string{"login", "status"}, 0, "", "Logged in using an API key"},
		{nil, 1, "", "stdin is not a terminal"},
		{[]string{"exec", "--json", "go"}, 2, "", "unexpected argument 'exec' found"},
		{[]string{"app-server", "--port=1"}, 2, "", "unexpected argument '--port' found"},
		{[]string{"--listen", "x", "app-server"}, 2, "", "unexpected argument '--listen' found"},
		{[]string{"app-server", "-c"}, 2, "", "a value is required for '-c'"},
		{[]string{"-c", "a=1", "--enable=x", "app-server", "--listen", "stdio://", "--strict-config"}, 0, "", ""},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			h := childtest.Start(t, rt, c.args...)
			if out := h.Rest(t); out != c.out {
				t.Errorf("stdout %q", out)
			}
			if code := h.Reap(); code != c.code || !strings.Contains(h.Errs.String(), c.stderr) {
				t.Errorf("exit code %d, stderr %q", code, &h.Errs)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rt.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a run began: %v", err)
	}
}

func TestRuntimeThatIsDown(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	if err := rt.Fault(childtest.Within(t), fakes.Fault{Kind: fakes.FaultDown}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--version"}, {"app-server"}} {
		h := childtest.Start(t, rt, args...)
		if out, code := h.Rest(t), h.Reap(); out != "" || code != 1 || h.Errs.Len() == 0 {
			t.Errorf("%v: exit code %d, %q", args, code, out)
		}
	}
}

func TestFaultsOfARun(t *testing.T) {
	t.Run("silent", func(t *testing.T) {
		c := running(t, appserver.Options{})
		childtest.Fault(t, c.run, fakes.FaultSilent)
		c.interrupt(t)
		c.send(t, "no/such", `"x":1`)
		c.calls(t, 2)
		c.In.Close()
		childtest.Await(t, "the end of the input is heard", func() bool { return len(c.run.Calls()) == 3 })
		if r := childtest.Emit(t, c.run, fakes.Delta{Text: "x"}, done); r.Frames != 0 {
			t.Errorf("receipt %+v", r)
		}
		c.Signal(t, syscall.SIGTERM)
		if out, code := c.Rest(t), c.Reap(); out != "" || code != 0 {
			t.Errorf("exit code %d, %q", code, out)
		}
	})
	t.Run("deaf", func(t *testing.T) {
		c := running(t, appserver.Options{})
		childtest.Fault(t, c.run, fakes.FaultDeaf)
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			c.Signal(t, s)
		}
		c.calls(t, 2)
		childtest.Emit(t, c.run, fakes.Exit{Code: 4})
		if c.Rest(t); c.Reap() != 4 {
			t.Errorf("exit code %d", c.Reap())
		}
	})
	t.Run("cut", func(t *testing.T) {
		c := running(t, appserver.Options{})
		childtest.Fault(t, c.run, fakes.FaultCut)
		if out, code := c.Rest(t), c.Reap(); out != "" || code != 0 {
			t.Errorf("exit code %d, %q", code, out)
		}
	})
	t.Run("unplayable", func(t *testing.T) {
		c := running(t, appserver.Options{})
		if err := c.run.Fault(childtest.Within(t), fakes.Fault{Kind: fakes.FaultDown}); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("down: %v", err)
		}
	})
}

func TestEndings(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		ends   bool // by itself
		stays  bool // when its input ends
		want   int
	}{
		{"end", []fakes.Frame{done}, false, false, 0},
		{"failure", []fakes.Frame{fakes.Failure{Message: "m", Fatal: true}}, false, false, 0},
		{"end and never exit", []fakes.Frame{done, fakes.Silent{}}, false, true, 0},
		{"silent", []fakes.Frame{fakes.Silent{}}, false, false, 0},
		{"end, then a code", []fakes.Frame{done, fakes.Exit{Code: 3}}, true, false, 3},
		{"killed", []fakes.Frame{fakes.Exit{Signal: "KILL"}}, true, false, -int(syscall.SIGKILL)},
		{"cut", []fakes.Frame{fakes.Cut{}}, true, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := running(t, appserver.Options{})
			childtest.Emit(t, h.run, c.frames...)
			if !c.ends {
				childtest.Emit(t, h.run, fakes.Stderr{Text: "it lives"}) // a fence
				h.In.Close()
			}
			if c.stays {
				h.calls(t, 1)
				childtest.Emit(t, h.run, fakes.Stderr{Text: "it still lives"})
				h.Signal(t, syscall.SIGTERM)
			}
			h.Rest(t)
			if code := h.Reap(); code != c.want {
				t.Errorf("ended by %d, want %d", code, c.want)
			}
		})
	}
}

// Nobody reads what the process says: it ends in order.
func TestBrokenStdout(t *testing.T) {
	c := running(t, appserver.Options{})
	c.CloseOut()
	if _, err := c.run.Emit(childtest.Within(t), final("x")); err != nil && !errors.Is(err, fakes.ErrGone) {
		t.Errorf("emit: %v", err)
	}
	if code := c.Reap(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Faults of the wire strike answers and frames alike, and are told.
func TestWireFaults(t *testing.T) {
	rt := newRuntime(t, appserver.Options{Wire: wire.Faults{{Kind: wire.CRLF}, {Kind: wire.Split, N: 1}, {Kind: wire.Duplicate, Frame: 6}}})
	c := connect(t, rt).on(t, "thread/start", "").start(t, "x")
	run := childtest.Next(t, rt)
	childtest.Emit(t, run, fakes.Init{})
	expect(t, "lines", []string{"status active", "status active", "turn/started"}, c.lines(t, 3))
	if struck := run.(*appserver.Run).Strikes(); len(struck) != 3 {
		t.Errorf("strikes %+v", struck)
	}
	if line := c.Line(t); !strings.HasSuffix(line, "}\r\n") {
		t.Errorf("line %q", line)
	}
}

// Two runs at once do not mix, and the ids of a seed repeat.
func TestConcurrentRunsAndSeed(t *testing.T) {
	var threads [2][]string
	for i := range threads {
		rt := newRuntime(t, appserver.Options{Seed: 42})
		a := connect(t, rt).on(t, "thread/start", "").start(t, "a")
		runA := childtest.Next(t, rt)
		b := connect(t, rt).on(t, "thread/start", "").start(t, "b")
		runB := childtest.Next(t, rt)
		childtest.Emit(t, runA, fakes.Init{})
		childtest.Emit(t, runB, fakes.Init{}, final("from b"), done)
		childtest.Emit(t, runA, final("from a"), done)
		if out, _ := a.finish(t); strings.Contains(out, "from b") || !strings.Contains(out, "from a") {
			t.Errorf("a said %q", out)
		}
		if out, _ := b.finish(t); strings.Contains(out, "from a") || !strings.Contains(out, "from b") {
			t.Errorf("b said %q", out)
		}
		threads[i] = []string{a.thread, a.turn, b.thread, b.turn}
	}
	expect(t, "ids of one seed", threads[0], threads[1])
	for i, id := range threads[0][1:] {
		if id <= threads[0][i] {
			t.Errorf("ids do not count up: %v", threads[0])
		}
	}
}

// A recording is printed in step with the client, and under its ids.
func TestRecordings(t *testing.T) {
	for _, name := range []string{"app-tool1", "app-approve-accept", "app-interrupt", "app-sigint"} {
		rec, err := fixtures.Load(version, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			o := appserver.Options{Recording: rec.Stdout, WaitSignal: rec.Exit == nil}
			if rec.Exit != nil {
				o.Exit = *rec.Exit
			}
			rt := newRuntime(t, o)
			h := childtest.StartOpen(t, rt, "app-server")
			var out strings.Builder
			read := func(until string) {
				for line := ""; !strings.Contains(line, until); out.WriteString(line) {
					line = h.Line(t)
				}
			}
			h.Say(t, strings.Replace(hello, `"id":0`, `"id":"zero"`, 1))
			read("remoteControl")
			h.Say(t, ready)
			h.Say(t, begin)
			read("thread/started")
			h.Say(t, `{"id":2,"method":"turn/start","params":{"threadId":"<UUID_2>","input":[{"type":"text","text":"go"}],"model":"m"}}`)
			run := childtest.Next(t, rt)
			if b := run.Begun(); b.Message != "go" || b.Session != "<UUID_2>" || b.Model != "m" {
				t.Errorf("begun %+v", b)
			}
			if _, err := run.Emit(childtest.Within(t), done); !errors.Is(err, fakes.ErrUnplayable) {
				t.Errorf("emit: %v", err)
			}
			switch name {
			case "app-approve-accept":
				read("requestApproval")
				h.Say(t, `{"id":0,"result":{"decision":"accept"}}`)
			case "app-interrupt":
				read("tick 3")
				h.Say(t, `{"id":3,"method":"turn/interrupt","params":{"threadId":"<UUID_2>","turnId":"<UUID_3>"}}`)
			case "app-sigint":
				read("tick 3")
				h.Signal(t, syscall.SIGINT)
			}
			if rec.Exit != nil {
				read("turn/completed")
				h.In.Close()
			}
			out.WriteString(h.Rest(t))
			want := strings.Replace(string(rec.Stdout), `{"id":0,`, `{"id":"zero",`, 1)
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if code := h.Reap(); rec.Exit != nil && code != *rec.Exit || rec.Exit == nil && code != -int(syscall.SIGINT) {
				t.Errorf("ended by %d", code)
			}
		})
	}
}

func TestCloseIsIdempotentAndLeavesNothing(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	dir := filepath.Dir(rt.Endpoint().Command[0])
	idle := connect(t, rt)
	c := connect(t, rt).on(t, "thread/start", "").start(t, "x")
	run := childtest.Next(t, rt)
	childtest.Fault(t, run, fakes.FaultDeaf)
	for range 2 {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, h := range []*client{idle, c} {
		if code := h.Reap(); code != 70 {
			t.Errorf("ended by %d", code)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory is left: %v", err)
	}
	if _, err := rt.Next(childtest.Within(t)); !errors.Is(err, fakes.ErrClosed) {
		t.Errorf("next after close: %v", err)
	}
	if r := rt.Residue(); !r.Zero() {
		t.Errorf("residue %+v", r)
	}
}

func TestNewRefusesUnknownVersion(t *testing.T) {
	if rt, err := appserver.New(t.Context(), appserver.Options{Version: "1"}); err == nil {
		rt.Close()
		t.Error("no error")
	}
	if rt, err := appserver.New(t.Context(), appserver.Options{Wire: wire.Faults{{Kind: "odd"}}}); err == nil {
		rt.Close()
		t.Error("no error for a fault that is none")
	}
}
