package child_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// closing is a stdout that notes that it was closed.
type closing struct {
	bytes.Buffer
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// alone plays frames without a puppet. The context is over, so that what waits ends.
func alone(t *testing.T, faults wire.Faults, frames ...fakes.Frame) (out *closing, errs string, code int) {
	t.Helper()
	out = &closing{}
	var stderr bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code = child.Alone(ctx, bells(), fakes.Play{Stdout: out, Stderr: &stderr}, child.Start{Wire: faults}, func(p *child.Process) int {
		p.Cast(newBell(p))
		return p.Perform(frames)
	})
	return out, stderr.String(), code
}

// pieces is a stdout that notes what each write brought.
type pieces struct{ writes []string }

func (p *pieces) Write(b []byte) (int, error) {
	p.writes = append(p.writes, string(b))
	return len(b), nil
}

// Raw bytes leave apart from what comes before and after, in pieces where that is asked
// for.
func TestRawLeavesApart(t *testing.T) {
	var out pieces
	child.Alone(t.Context(), bells(), fakes.Play{Stdout: &out, Stderr: io.Discard}, child.Start{}, func(p *child.Process) int {
		b := newBell(p)
		p.Cast(b)
		for _, f := range []fakes.Frame{fakes.Delta{Text: "a"}, fakes.Delta{Text: "b"}, fakes.Raw{Line: "one", EOL: fakes.EOLNone},
			fakes.Raw{Line: "\xf0\x9f\xa6\x9c", Piece: 3}, fakes.Raw{EOL: fakes.EOLNone}, fakes.Delta{Text: "c"}} {
			if err := f.Accept(b); err != nil {
				t.Error(err)
			}
		}
		return p.Quit(0)
	})
	if diff := cmp.Diff([]string{"a\nb\n", "one", "\xf0\x9f\xa6", "\x9c\n", "c\n"}, out.writes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A program has no requests to answer, and no provider that a script could play.
func TestUnplayableOfEveryProgram(t *testing.T) {
	d := child.Deeds{Program: bells(), Stage: child.Trial{}}
	for _, err := range []error{d.Ack(fakes.Ack{Request: fakes.RequestStart}), d.Reject(fakes.Reject{Request: fakes.RequestResume}), d.Attempt(fakes.Attempt{Number: 1})} {
		if !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("%v", err)
		}
	}
}

func TestPerform(t *testing.T) {
	hello := []fakes.Frame{fakes.Init{}, fakes.Delta{Text: "a"}, fakes.Delta{Text: "b"}, fakes.End{}}
	for _, c := range []struct {
		name   string
		faults wire.Faults
		frames []fakes.Frame
		out    string
		errs   int
		code   int
		closed bool
	}{
		{"all", nil, hello, "bell\na\nb\nding\n", 0, 0, false},
		{"no end", nil, hello[:2], "bell\na\n", 0, 0, false},
		{"exit", nil, []fakes.Frame{fakes.Exit{Code: 7}}, "", 0, 7, false},
		{"the last word counts", nil, []fakes.Frame{fakes.Exit{Code: 7}, fakes.End{}, fakes.Exit{Code: 8}}, "ding\n", 0, 8, false},
		{"cut", nil, []fakes.Frame{fakes.Init{}, fakes.Cut{}, fakes.Delta{Text: "late"}}, "bell\n", 0, 0, true},
		{"raw", nil, []fakes.Frame{fakes.Raw{Line: "x", EOL: fakes.EOLCRLF}, fakes.Raw{Line: "y", EOL: fakes.EOLNone}}, "x\r\ny", 0, 0, false},
		{"stderr", nil, []fakes.Frame{fakes.Stderr{N: 100}, fakes.Stderr{Text: "w"}}, "", 101, 0, false},
		{"log", nil, []fakes.Frame{fakes.Log{Text: "ten bytes"}}, "", 10, 0, false},
		{"native", nil, []fakes.Frame{fakes.Native{Type: "t", Fields: ` {"a": 1} `}, fakes.Native{Type: "u"}}, `{"type":"t","a":1}` + "\n" + `{"type":"u"}` + "\n", 0, 0, false},
		{"flood", wire.Faults{{Kind: wire.Flood, Frame: 1, N: 99}}, hello, "bell\na\nb\nding\n", 99, 0, false},
		{"fault: cut", wire.Faults{{Kind: wire.Cut, Frame: 2}}, hello, "bell\na\n", 0, 0, true},
		{"fault: close", wire.Faults{{Kind: wire.Close, Frame: 2}}, append(slices.Clone(hello), fakes.Exit{Code: 9}), "bell\na\n", 0, 9, true},
		{"fault: exit beats the end", wire.Faults{{Kind: wire.Exit, Frame: 2, Byte: 1, N: 5}}, hello, "bell\na\nb", 0, 5, false},
		{"fault: stall keeps it until it is stopped", wire.Faults{{Kind: wire.Stall, Frame: 1}}, hello, "bell\n", 0, 3, false},
		{"fault: stall at the end", wire.Faults{{Kind: wire.Stall, Frame: 4}}, hello, "bell\na\nb\nding\n", 0, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, errs, code := alone(t, c.faults, c.frames...)
			if diff := cmp.Diff(c.out, out.String()); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if code != c.code || len(errs) != c.errs || out.closed != c.closed {
				t.Errorf("exit code %d, %d bytes on stderr, closed %v; want %d, %d, %v", code, len(errs), out.closed, c.code, c.errs, c.closed)
			}
		})
	}
}

// A frame that fails ends the script, with a word about which.
func TestPerformTellsWhatFailed(t *testing.T) {
	out, errs, code := alone(t, nil, fakes.Init{}, fakes.Ask{}, fakes.End{})
	if out.String() != "bell\n" || code != 1 || errs != "adaptercheck: ask: bell: questions: unplayable: the fake's wire has no such thing\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// What another goroutine hears is done among the other things, until the end.
func TestListenAndAwait(t *testing.T) {
	in, stdin := io.Pipe()
	go func() {
		_, _ = io.WriteString(stdin, "one") // it is read
		stdin.Close()
	}()
	var heard strings.Builder
	var late func() bool
	code := child.Alone(t.Context(), bells(), fakes.Play{Stdin: in, Stdout: io.Discard, Stderr: io.Discard}, child.Start{}, func(p *child.Process) int {
		p.Cast(newBell(p))
		over := false
		p.Listen(func(piece []byte, err error) {
			heard.Write(piece)
			over = err != nil
		})
		if code, ended := p.Await(func() bool { return over }); ended {
			return code
		}
		late = func() bool { return p.Do(func() { heard.WriteString("late") }) }
		return p.Quit(0)
	})
	if code != 0 || late() || heard.String() != "one" {
		t.Errorf("exit code %d, heard %q", code, heard.String())
	}
}

func TestEnvNames(t *testing.T) {
	env := []string{"B=1", "A=2", "B=3", "ADAPTERCHECK_FAKE=x", "GORACE=y", "PWD=/", "=odd"}
	if diff := cmp.Diff([]string{"A", "B"}, child.EnvNames(env)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStore(t *testing.T) {
	type state struct{ N int }
	s := child.Store[state]{Dir: t.TempDir()}
	if _, known, err := s.Load("a"); known || err != nil {
		t.Errorf("before: %v, %v", known, err)
	}
	for i, id := range []string{"a", "b/../c", "a"} {
		if err := s.Save(id, state{i}); err != nil {
			t.Fatal(err)
		}
		if last, err := s.Last(); last != id || err != nil {
			t.Errorf("last %q, %v", last, err)
		}
	}
	for id, n := range map[string]int{"a": 2, "b/../c": 1} {
		if got, known, err := s.Load(id); !known || err != nil || got.N != n {
			t.Errorf("%s: %+v, %v, %v", id, got, known, err)
		}
	}
	var nowhere child.Store[state]
	if err := nowhere.Save("a", state{}); err != nil {
		t.Error(err)
	}
	if _, known, err := nowhere.Load("a"); known || err != nil {
		t.Errorf("nowhere: %v, %v", known, err)
	}
}
