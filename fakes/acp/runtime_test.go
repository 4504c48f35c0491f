//go:build unix

package acp_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

func TestRunFromStartToEnd(t *testing.T) {
	h := running(t, acp.Options{})
	b := h.run.Begun()
	expect(t, "begun", []string{"hello", h.session, "", "", "/w"}, []string{b.Message, b.Session, b.Resume, b.Model, b.Dir})
	r := childtest.Emit(t, h.run, fakes.Init{}, fakes.Delta{Text: "hi"}, done)
	if r.Frames != 3 || r.Session != h.session {
		t.Errorf("receipt %+v", r)
	}
	rest, code := h.finish(t)
	expect(t, "said", []string{"agent_message_chunk hi", "usage_update", "answer end_turn"}, rest)
	if code != 0 || h.Errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, &h.Errs)
	}
	if err := h.run.Gone(childtest.Within(t)); err != nil {
		t.Error(err)
	}
	if _, err := h.run.Emit(childtest.Within(t), done); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("emit after the end: %v", err)
	}
}

// A process is a run only when it was sent a prompt; a greeting is answered, and the end
// of the input is a good end.
func TestCommands(t *testing.T) {
	rt := newRuntime(t, acp.Options{})
	for _, c := range []struct {
		args        []string
		code        int
		out, stderr string
	}{
		{[]string{"--version"}, 0, "1.18.33\n", ""},
		{nil, 0, "", ""},
		{[]string{"acp"}, 0, "", ""},
		{[]string{"--experimental-acp"}, 0, "", ""},
		{[]string{"serve"}, 2, "", "unexpected argument 'serve'"},
	} {
		h := childtest.Start(t, rt, c.args...)
		out, code := h.Rest(t), h.Reap()
		if out != c.out || code != c.code || !strings.Contains(h.Errs.String(), c.stderr) {
			t.Errorf("%v: exit code %d, %q, stderr %q", c.args, code, out, &h.Errs)
		}
	}
	h := connect(t, rt)
	if rest, code := h.finish(t); len(rest) > 0 || code != 0 {
		t.Errorf("a greeting alone: exit code %d, %q", code, rest)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rt.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a run began: %v", err)
	}
}

func TestRuntimeThatIsDown(t *testing.T) {
	rt := newRuntime(t, acp.Options{})
	if err := rt.Fault(childtest.Within(t), fakes.Fault{Kind: fakes.FaultDown}); err != nil {
		t.Fatal(err)
	}
	h := childtest.Start(t, rt, "acp")
	if out, code := h.Rest(t), h.Reap(); out != "" || code != 1 || h.Errs.Len() == 0 {
		t.Errorf("exit code %d, %q", code, out)
	}
}

// A refusal is the answer to the request for a session.
func TestRefusedStart(t *testing.T) {
	rt := newRuntime(t, acp.Options{})
	if err := rt.Fault(childtest.Within(t), fakes.Fault{Kind: fakes.FaultRefuse}); err != nil {
		t.Fatal(err)
	}
	h := connect(t, rt)
	h.Say(t, begin)
	expect(t, "answer", []string{"refused -32603: Internal error: the start was refused"}, h.lines(t, 1))
}

func TestFaultsOfARun(t *testing.T) {
	t.Run("silent", func(t *testing.T) {
		h := running(t, acp.Options{})
		childtest.Fault(t, h.run, fakes.FaultSilent)
		h.cancel(t)
		h.send(t, "no/such", "")
		h.calls(t, 2)
		if r := childtest.Emit(t, h.run, fakes.Delta{Text: "x"}, done); r.Frames != 0 {
			t.Errorf("receipt %+v", r)
		}
		h.Signal(t, syscall.SIGTERM)
		if rest, code := h.finish(t); len(rest) > 0 || code != 0 {
			t.Errorf("exit code %d, %q", code, rest)
		}
	})
	t.Run("deaf", func(t *testing.T) {
		h := running(t, acp.Options{})
		childtest.Fault(t, h.run, fakes.FaultDeaf)
		h.cancel(t)
		h.Signal(t, syscall.SIGTERM)
		h.calls(t, 2)
		childtest.Emit(t, h.run, fakes.Exit{Code: 4})
		if rest, code := h.finish(t); len(rest) > 0 || code != 4 {
			t.Errorf("exit code %d, %q", code, rest)
		}
	})
	t.Run("hold", func(t *testing.T) {
		h := running(t, acp.Options{})
		childtest.Fault(t, h.run, fakes.FaultHold)
		h.cancel(t)
		h.calls(t, 1)
		childtest.Emit(t, h.run, fakes.Delta{Text: "late"}, done)
		expect(t, "said", []string{"agent_message_chunk late", "usage_update", "answer end_turn"}, h.lines(t, 3))
	})
	t.Run("cut", func(t *testing.T) {
		h := running(t, acp.Options{})
		childtest.Fault(t, h.run, fakes.FaultCut)
		if out, code := h.Rest(t), h.Reap(); out != "" || code != 0 {
			t.Errorf("exit code %d, %q", code, out)
		}
	})
}

func TestSignals(t *testing.T) {
	for name, c := range map[string]struct {
		signal syscall.Signal
		want   int
		left   int
	}{
		"INT":  {syscall.SIGINT, -int(syscall.SIGINT), 1},
		"TERM": {syscall.SIGTERM, 0, 0},
		"HUP":  {syscall.SIGHUP, -int(syscall.SIGHUP), 1},
	} {
		t.Run(name, func(t *testing.T) {
			rt := newRuntime(t, acp.Options{})
			h := connect(t, rt).on(t, begin)
			h.prompt(t, "x")
			h.run = childtest.Next(t, rt)
			childtest.Emit(t, h.run, fakes.Child{OwnSession: true})
			h.Signal(t, c.signal)
			if out, code := h.Rest(t), h.Reap(); out != "" || code != c.want {
				t.Errorf("ended by %d, want %d; said %q", code, c.want, out)
			}
			childtest.Await(t, "the descendants are as they should", func() bool { return rt.Residue().Children == c.left })
			expect(t, "calls", []fakes.Call{{Method: fakes.MethodCancel, Signal: name}}, h.calls(t, 1))
		})
	}
}

// The same seed gives the same ids, another one others; runs of a fake differ.
func TestSeeds(t *testing.T) {
	of := func(rt *acp.Runtime) string { return connect(t, rt).on(t, begin).session }
	one := newRuntime(t, acp.Options{Seed: 1})
	first, second := of(one), of(one)
	if first == second || first != of(newRuntime(t, acp.Options{Seed: 1})) || first == of(newRuntime(t, acp.Options{Seed: 2})) {
		t.Error("the ids are not those of the seed and the run")
	}
}

// A recording is printed in step with the client, its answers under the client's ids.
func TestRecordingInStep(t *testing.T) {
	recorded := `{"jsonrpc":"2.0","id":0,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"S"}}` + "\n" +
		`{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"x":[{"id":7}]}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}` + "\n"
	rt := newRuntime(t, acp.Options{Recording: []byte(recorded), Exit: 3})
	h := &host{Host: childtest.StartOpen(t, rt, "acp"), session: "S", nextID: 40}
	h.Say(t, `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}`)
	h.Say(t, strings.Replace(begin, `"id":1`, `"id":39`, 1))
	h.prompt(t, "go")
	for _, want := range []string{`"id":"a"`, `"id":39`, `"id":"q","method":"session/request_permission","params":{"x":[{"id":7}]}`} {
		if line := h.Line(t); !strings.Contains(line, want) {
			t.Errorf("%s, want %s", line, want)
		}
	}
	run := childtest.Next(t, rt)
	if b := run.Begun(); b.Session != "S" || b.Message != "go" {
		t.Errorf("begun %+v", b)
	}
	h.Say(t, `{"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"selected","optionId":"once"}}}`)
	if line := h.Line(t); !strings.Contains(line, `"id":41,"result":{"stopReason":"end_turn"}`) {
		t.Error(line)
	}
	if rest, code := h.finish(t); len(rest) > 0 || code != 3 {
		t.Errorf("exit code %d, %q", code, rest)
	}
	if _, err := run.Emit(childtest.Within(t), done); !errors.Is(err, fakes.ErrUnplayable) {
		t.Errorf("emit: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, o := range map[string]acp.Options{
		"version": {Version: "gemini-1"},
		"wire":    {Wire: wire.Faults{{Kind: "odd"}}},
	} {
		if _, err := acp.New(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if diff := cmp.Diff([]string{"opencode-1.18.33", "claude-agent-acp-0.101.0", "pi-acp-0.0.34"}, acp.Versions()); diff != "" {
		t.Error(diff)
	}
}

// The faults of the wire strike this fake, too.
func TestWireFaults(t *testing.T) {
	h := running(t, acp.Options{Wire: wire.Faults{{Kind: wire.Garble, Frame: 3, Byte: 1}}})
	childtest.Emit(t, h.run, fakes.Delta{Text: "x"}, done)
	if got := h.lines(t, 3); !strings.HasPrefix(got[0], "not JSON") || got[2] != "answer end_turn" {
		t.Errorf("%q", got)
	}
	if n := len(h.run.(*acp.Run).Strikes()); n != 1 {
		t.Errorf("%d strikes", n)
	}
}
