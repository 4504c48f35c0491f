//go:build unix

// Package childtest starts a fake that is a program as an adapter would, for the tests
// of such fakes: a host that reads its lines, writes its stdin, sends it signals and
// reaps it.
//
//	h := childtest.Start(t, rt, "exec", "--json", "go")
//	run := childtest.Next(t, rt)
//	childtest.Emit(t, run, fakes.Init{})
//	line := h.Line(t)
//
// The package imports fakes.
package childtest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// limit is how long a step may take before it has failed.
const limit = 20 * time.Second

// Within is a context that ends when a step has taken too long.
func Within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// Await looks until something holds that nothing tells.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx := Within(t)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("in vain: %s", what)
		}
	}
}

// Host is a process that a test started.
type Host struct {
	*exec.Cmd
	// In is its stdin, where [StartOpen] started it.
	In io.WriteCloser
	// Errs is what it wrote to stderr. It is complete when the process was reaped.
	Errs bytes.Buffer

	pipe   io.Closer
	out    *bufio.Reader
	reaped sync.Once
}

// Start starts the program of a fake with an empty stdin.
func Start(t testing.TB, rt fakes.Runtime, args ...string) *Host {
	t.Helper()
	return StartWith(t, rt, func(h *Host) { h.Stdin = strings.NewReader("") }, args...)
}

// StartOpen starts it with a stdin that stays open.
func StartOpen(t testing.TB, rt fakes.Runtime, args ...string) *Host {
	t.Helper()
	return StartWith(t, rt, func(h *Host) {
		var err error
		if h.In, err = h.StdinPipe(); err != nil {
			t.Fatal(err)
		}
	}, args...)
}

// StartWith starts it as how says. The test ends the process.
func StartWith(t testing.TB, rt fakes.Runtime, how func(*Host), args ...string) *Host {
	t.Helper()
	h := &Host{Cmd: exec.Command(rt.Endpoint().Command[0], args...)}
	h.Stderr = &h.Errs
	h.Env = []string{"PATH=" + os.Getenv("PATH"), "PROBE=1"}
	h.Dir = t.TempDir()
	how(h)
	out, err := h.StdoutPipe()
	if err == nil {
		err = h.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	h.pipe, h.out = out, bufio.NewReader(out)
	t.Cleanup(func() {
		_ = h.Process.Kill() // it may have ended
		h.Reap()
	})
	return h
}

// Reap waits for the process and returns its exit code, or its signal as -N.
func (h *Host) Reap() int {
	h.reaped.Do(func() { _ = h.Wait() }) // the state tells
	if status := h.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return -int(status.Signal())
	}
	return h.ProcessState.ExitCode()
}

// Rest reads stdout to its end.
func (h *Host) Rest(t testing.TB) string {
	t.Helper()
	out, err := io.ReadAll(h.out)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Line reads one line, with its end.
func (h *Host) Line(t testing.TB) string {
	t.Helper()
	line, err := h.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return line
}

// CloseOut stops reading stdout.
func (h *Host) CloseOut() { h.pipe.Close() }

// Say writes a line to stdin.
func (h *Host) Say(t testing.TB, line string) {
	t.Helper()
	if _, err := io.WriteString(h.In, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// Signal sends a signal to the process.
func (h *Host) Signal(t testing.TB, s os.Signal) {
	t.Helper()
	if err := h.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// Next is the run that has begun.
func Next(t testing.TB, rt fakes.Runtime) fakes.Run {
	t.Helper()
	run, err := rt.Next(Within(t))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Emit lets the run say the frames.
func Emit(t testing.TB, run fakes.Run, frames ...fakes.Frame) fakes.Receipt {
	t.Helper()
	r, err := run.Emit(Within(t), frames...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Fault makes the run misbehave.
func Fault(t testing.TB, run fakes.Run, kind fakes.FaultKind) {
	t.Helper()
	if err := run.Fault(Within(t), fakes.Fault{Kind: kind}); err != nil {
		t.Fatal(err)
	}
}

// Closing closes a fake when the test ends, and passes it on.
func Closing[R fakes.Runtime](t testing.TB, rt R, err error) R {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return rt
}
