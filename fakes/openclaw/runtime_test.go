package openclaw_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
)

var ok = fakes.End{Reason: fakes.EndOK}

// A run of text is told on both streams, in the order of the real gateway.
func TestTextRun(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k1")
	begun := run.Begun()
	if begun.Session != "s" || begun.Message != "go" || begun.Agent != "main" || begun.Method != fakes.MethodStart {
		t.Errorf("begun %+v", begun)
	}
	out := int64(7)
	receipt := emit(t, run, fakes.Init{}, fakes.Delta{Text: "Hello"}, fakes.Delta{Text: " there"}, fakes.Usage{Kind: fakes.UsageTurn, Out: &out}, ok)
	got := c.until("chat final")
	want := []string{
		"chat status preparing_workspace", "agent run_status preparing_workspace",
		"chat status preparing_context", "agent run_status preparing_context",
		"agent lifecycle start", "chat status starting_model", "agent run_status starting_model", "agent lifecycle model",
		`agent assistant "Hello"`, `chat delta "Hello"`, `agent assistant " there"`, "agent usage",
		"agent lifecycle finishing", "agent lifecycle model", "agent lifecycle end", `chat delta " there"`, "chat final",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if receipt.Frames != len(want) || receipt.Bytes == 0 {
		t.Errorf("receipt %+v for %d events", receipt, len(want))
	}
}

// An abort ends the run before its response, and an error that is none follows.
func TestAbort(t *testing.T) {
	for _, method := range []struct{ name, key string }{{"chat.abort", "sessionKey"}, {"sessions.abort", "key"}} {
		t.Run(method.name, func(t *testing.T) {
			rt := gateway(t, openclaw.Options{})
			c := open(t, rt)
			run := c.send(rt, "s", "k1")
			emit(t, run, fakes.Init{Session: "native-1"}, fakes.Delta{Text: "Hello"})
			c.until("chat delta")
			c.ask(method.name, object{method.key: "s"})
			got := c.until("agent lifecycle error")
			want := []string{
				"chat aborted", "agent lifecycle end", "agent lifecycle model", "res true", "agent lifecycle model", "agent lifecycle error",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			calls := run.Calls()
			if len(calls) != 1 || calls[0].Method != fakes.MethodCancel || calls[0].Session != "native-1" {
				t.Errorf("calls %+v", calls)
			}
		})
	}
}
