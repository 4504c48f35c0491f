package pi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fixtures"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// stretch is what a process printed for one run.
type stretch struct {
	prompt string
	lines  [][]byte
	ending oneshot.Ending
}

// stretches parts a recording at the prompts that began a run. The modes without
// commands have one run.
func stretches(t *testing.T, runtime, name string) (all []stretch) {
	t.Helper()
	spoken, err := fixtures.LoadDialogue(runtime, name)
	if err != nil {
		t.Fatal(err)
	}
	exit := *spoken[len(spoken)-1].Exit
	end := oneshot.Ending{Failed: exit != 0, How: fmt.Sprintf("exit code %d", exit)}
	if exit < 0 {
		end.How = fmt.Sprintf("signal %d", -exit)
	}
	busy := false
	for _, s := range spoken {
		switch s.Dir {
		case fixtures.ToStdin:
			var c struct {
				Type     string `json:"type"`
				Message  string `json:"message"`
				Behavior string `json:"streamingBehavior"`
			}
			if json.Unmarshal(s.Msg, &c) != nil {
				continue
			}
			switch {
			case c.Type == "prompt" && !busy:
				all = append(all, stretch{prompt: c.Message, ending: oneshot.Ending{How: "exit code 0"}})
				busy = true
			case c.Type == "abort" && busy:
				all[len(all)-1].ending.Aborted = true
			}
		case fixtures.FromStdout:
			if len(all) == 0 && !strings.HasPrefix(name, "rpc-") {
				all = append(all, stretch{prompt: name})
			}
			if len(all) == 0 {
				continue // an answer before the first prompt
			}
			last := &all[len(all)-1]
			last.lines = append(last.lines, s.Line())
			if strings.Contains(string(s.Line()), `"type":"agent_end"`) {
				busy = false
			}
		case fixtures.FromStderr:
			end.Stderr += string(s.Line())
		}
	}
	if len(all) == 0 {
		all = append(all, stretch{prompt: name})
	}
	aborted := all[len(all)-1].ending.Aborted
	all[len(all)-1].ending = end
	all[len(all)-1].ending.Aborted = aborted
	return all
}

// TestReplays replays what the real program printed. testdata/replays.golden says what
// came of each run.
func TestReplays(t *testing.T) {
	var golden strings.Builder
	for _, runtime := range []string{"pi-1.6.0", "pi-0.73.1"} {
		for _, name := range fixtures.Names(runtime) {
			if strings.HasPrefix(name, "text-") {
				continue // plain text, which the adapter never asks for
			}
			fmt.Fprintf(&golden, "# %s/%s\n\n", runtime, name)
			for _, run := range stretches(t, runtime, name) {
				events := replayed(run)
				if found := verify.Whole(events); len(found) > 0 {
					t.Errorf("%s/%s: %s breaks rules: %v", runtime, name, run.prompt, found)
				}
				fmt.Fprintf(&golden, "%s (%s)\n", run.prompt, run.ending.How)
				for _, e := range events {
					fmt.Fprintf(&golden, "  %s\n", show(e))
				}
				golden.WriteString("\n")
			}
		}
	}
	goldie.New(t).Assert(t, "replays", []byte(golden.String()))
}

// replayed is what the mapper makes of a run.
func replayed(run stretch) []executor.Event {
	m := newMapper(func(s string) string { return s }, kept{})
	var out []executor.Event
	for i, line := range run.lines {
		out = append(out, m.line(int64(i+1), line)...)
		if q := m.heard.question; q != nil {
			out = append(out, executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailApproval + ":" + q.id})
		}
	}
	out = append(out, m.finish(run.ending)...)
	for i, e := range out {
		out[i] = e.WithHead(executor.Envelope{RunID: "r", TS: 1, Seq: int64(i)})
	}
	return out
}

// show is an event in a line.
func show(e executor.Event) string {
	switch e := e.(type) {
	case executor.Status:
		return strings.Trim(fmt.Sprintf("status %s %s", e.Phase, e.Detail), " ")
	case executor.TextDelta:
		if e.OnReasoning() {
			return fmt.Sprintf("thinks %q", e.Text)
		}
		return fmt.Sprintf("text %q", e.Text)
	case executor.ToolCall:
		return fmt.Sprintf("call %s %s %s", e.ID, e.Name, e.Input)
	case executor.ToolResult:
		return fmt.Sprintf("result %s error=%v %q", e.ID, e.IsError, e.Output)
	case executor.Cost:
		price := "unknown"
		if e.CostUSD != nil {
			price = fmt.Sprintf("%.6f", *e.CostUSD)
		}
		return fmt.Sprintf("cost %d+%d in, %d out, %s", e.Usage.InputTokens, *e.Usage.CachedInputTokens, e.Usage.OutputTokens, price)
	case executor.Error:
		return fmt.Sprintf("error %s fatal=%v %q", *e.Code, e.Fatal, e.Message)
	case executor.Done:
		price := "unknown"
		if usd, known := e.CostUSD.Get(); known {
			price = fmt.Sprintf("%.6f", usd)
		}
		return fmt.Sprintf("done %s %q %s", e.Reason, e.Summary, price)
	}
	return fmt.Sprintf("%T", e)
}
