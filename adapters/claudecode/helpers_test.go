package claudecode

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fixtures"
	"github.com/adaptercheck/adaptercheck/internal/ndjson"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// plain is a mapper for a session that is new.
func plain() *mapper { return newMapper(func(s string) string { return s }, state{}) }

// feed gives a whole stdout to the mapper, as the host of a run does.
func feed(m *mapper, stdout []byte) []executor.Event {
	lines := ndjson.NewReader(bytes.NewReader(stdout), ndjson.Options{})
	var out []executor.Event
	for {
		line, err := lines.Next()
		switch {
		case err != nil:
			return out
		case line.Blank:
		case line.TooLong:
			out = append(out, m.tooLong(line.Number, line.Length)...)
		default:
			out = append(out, m.line(line.Number, line.Bytes)...)
		}
	}
}

// play gives lines to the mapper and ends the process in peace.
func play(m *mapper, lines ...string) []executor.Event {
	out := feed(m, []byte(strings.Join(lines, "\n")))
	return append(out, m.finish(oneshot.Ending{How: "exit code 0"})...)
}

// enveloped numbers events as a stream does, so that they can be judged by the rules
// of the contract.
func enveloped(events []executor.Event) []executor.Event {
	out := make([]executor.Event, len(events))
	for i, e := range events {
		out[i] = e.WithHead(executor.Envelope{RunID: "r", TS: 1, Seq: int64(i + 1)})
	}
	return out
}

func load(t *testing.T, runtime, name string) fixtures.Recording {
	t.Helper()
	r, err := fixtures.Load(runtime, name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ending is how the recorded process ended.
func ending(r fixtures.Recording) oneshot.Ending {
	e := oneshot.Ending{Stderr: strings.TrimSpace(r.Stderr)}
	if r.Signal != nil {
		e.How, e.Failed = "signal "+*r.Signal, true
		return e
	}
	e.How, e.Failed = fmt.Sprintf("exit code %d", *r.Exit), *r.Exit != 0
	return e
}

// show is an event in one line.
func show(e executor.Event) string {
	switch e := e.(type) {
	case executor.TextDelta:
		if e.OnReasoning() {
			return fmt.Sprintf("reasoning %q", e.Text)
		}
		return fmt.Sprintf("text %q", e.Text)
	case executor.ToolCall:
		return fmt.Sprintf("call %s %s %s", e.ID, e.Name, e.Input)
	case executor.ToolResult:
		return fmt.Sprintf("result %s %s error=%v %q", e.ID, e.Name, e.IsError, e.Output)
	case executor.Status:
		return strings.Join(strings.Fields(fmt.Sprintf("status %s %s %s", e.Phase, e.Detail, e.Model)), " ")
	case executor.Cost:
		out := "cost " + usd(e.CostUSD) + " " + tokens(&e.Usage)
		if e.Model != nil {
			out += " " + *e.Model
		}
		if e.Estimated {
			out += " estimated"
		}
		return out
	case executor.Done:
		return fmt.Sprintf("done %s %q", e.Reason, e.Summary)
	case executor.Error:
		return fmt.Sprintf("error %s fatal=%v %q", *e.Code, e.Fatal, e.Message)
	}
	return "?"
}

func usd(v *float64) string {
	if v == nil {
		return "unpriced"
	}
	return fmt.Sprintf("%.6f", *v)
}

func tokens(u *executor.Usage) string {
	return fmt.Sprintf("in=%d cached=%d out=%d", u.InputTokens, *u.CachedInputTokens, u.OutputTokens)
}

func showAll(events []executor.Event) []string {
	var out []string
	for _, e := range events {
		out = append(out, show(e))
	}
	return out
}
