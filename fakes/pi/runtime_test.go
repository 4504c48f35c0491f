//go:build unix

package pi_test

import (
	"bytes"
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/pi"
)

const prompt = `{"id":"p","type":"prompt","message":"go"}`

// started is a run that was given its prompt.
func started(t *testing.T, o pi.Options) (*childtest.Host, fakes.Run) {
	t.Helper()
	rt, err := pi.New(t.Context(), o)
	childtest.Closing(t, rt, err)
	h := childtest.StartOpen(t, rt, "--mode", "rpc")
	h.Say(t, prompt)
	h.Line(t) // it is taken
	return h, childtest.Next(t, rt)
}

// until reads lines until one holds the text.
func until(t *testing.T, h *childtest.Host, text string) {
	t.Helper()
	for !strings.Contains(h.Line(t), text) {
	}
}

func TestStdinEndsTheProcess(t *testing.T) {
	h, run := started(t, pi.Options{})
	childtest.Emit(t, run, fakes.Init{}, fakes.Delta{Text: "half"})
	h.In.Close()
	if rest := h.Rest(t); strings.Contains(rest, "agent_end") || !strings.Contains(rest, "half") {
		t.Errorf("%s", rest)
	}
	if code := h.Reap(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestSignals(t *testing.T) {
	for s, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129, syscall.SIGINT: -int(syscall.SIGINT)} {
		h, run := started(t, pi.Options{})
		childtest.Emit(t, run, fakes.Init{})
		h.Signal(t, s)
		h.Rest(t)
		if code := h.Reap(); code != want {
			t.Errorf("%s: exit code %d, want %d", s, code, want)
		}
	}
}

// An extension that waits for its answer holds up an abort.
func TestAbortWaitsForAnswers(t *testing.T) {
	h, run := started(t, pi.Options{})
	childtest.Emit(t, run, fakes.Init{}, fakes.ToolCall{ID: "c", Name: "bash", Input: `{"command":"ls"}`}, fakes.Ask{ID: "q", Tool: "bash"})
	until(t, h, "extension_ui_request")
	h.Say(t, `{"id":"a","type":"abort"}`)
	h.Say(t, `{"id":"s","type":"get_state"}`)
	if line := h.Line(t); !strings.Contains(line, `"isStreaming":true`) {
		t.Errorf("%s", line)
	}
	h.Say(t, `{"type":"extension_ui_response","id":"q","confirmed":false}`)
	if line := h.Line(t); !strings.Contains(line, "Blocked by user") {
		t.Errorf("%s", line)
	}
	until(t, h, `"id":"a","type":"response","command":"abort","success":true`)
}

func TestBreaches(t *testing.T) {
	h, run := started(t, pi.Options{})
	for _, line := range []string{"{bad", `{"type":"nosuch"}`, prompt, `{"type":"extension_ui_response","id":"q","confirmed":true}`} {
		h.Say(t, line)
	}
	codes := func() (all []string) {
		for _, c := range run.Calls() {
			if c.Method == fakes.MethodBreach {
				all = append(all, c.Code)
			}
		}
		return all
	}
	want := []string{pi.BreachInput, pi.BreachCommand, pi.BreachBusy, pi.BreachAnswer}
	childtest.Await(t, "four breaches", func() bool { return len(codes()) == len(want) })
	if got := codes(); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%q, want %q", got, want)
	}
}

// Lines end with LF alone: the separators of Unicode stay as they are.
func TestSeparatorsStay(t *testing.T) {
	h, run := started(t, pi.Options{})
	childtest.Emit(t, run, fakes.Init{}, fakes.Delta{Text: "a\u2028b"})
	until(t, h, "a\u2028b")
}

func TestSessionsThatAreNotThere(t *testing.T) {
	rt, err := pi.New(t.Context(), pi.Options{})
	childtest.Closing(t, rt, err)
	h := childtest.StartOpen(t, rt, "--mode", "rpc", "--session", "01a2310b-406e-72e1-a17c-34508e8766ab")
	h.Rest(t)
	if code := h.Reap(); code != 1 || !strings.Contains(h.Errs.String(), "No session found matching") {
		t.Errorf("an id: exit code %d, %s", code, &h.Errs)
	}
	h = childtest.StartOpen(t, rt, "--mode", "rpc", "--session", h.Dir+"/none.jsonl")
	h.Say(t, `{"id":"s","type":"get_state"}`)
	if line := h.Line(t); !strings.Contains(line, "none.jsonl") || !strings.Contains(line, `"messageCount":0`) {
		t.Errorf("a file: %s", line)
	}
}

// A process that nobody plays reads its prompt to the end, plays a script and exits with
// 0 in mode json, and with 1 in mode text where the answer failed.
func TestPlayScript(t *testing.T) {
	failed := []fakes.Frame{fakes.Init{}, fakes.Failure{Message: "no key", Fatal: true}}
	for mode, want := range map[string]int{"json": 0, "text": 1} {
		var out, errs bytes.Buffer
		code := pi.PlayScript(context.Background(), failed, fakes.Play{
			Args: []string{"--mode", mode, "-p", "hi"}, Stdin: strings.NewReader("from stdin"), Stdout: &out, Stderr: &errs,
		}, pi.Options{})
		if code != want || (mode == "json") != strings.Contains(out.String(), `from stdin\nhi`) || (mode == "text") != strings.Contains(errs.String(), "no key") {
			t.Errorf("%s: exit code %d\n%s\n%s", mode, code, &out, &errs)
		}
	}
	var errs bytes.Buffer
	if code := pi.PlayScript(context.Background(), []fakes.Frame{fakes.End{Reason: fakes.EndBudget}}, fakes.Play{Stderr: &errs}, pi.Options{}); code != 2 {
		t.Errorf("a limit of money: exit code %d, %s", code, &errs)
	}
}

func TestVersions(t *testing.T) {
	if _, err := pi.New(t.Context(), pi.Options{Version: "9"}); err == nil {
		t.Error("version 9 is played")
	}
}

func TestNothingLeaks(t *testing.T) {
	childtest.NothingLeaks(t, 3, func(int) {
		rt, err := pi.New(t.Context(), pi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
