package hermes

import (
	"bytes"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// Whatever a process prints, and however it ends, is a run by the rules.
func FuzzStdout(f *testing.F) {
	f.Add([]byte(initial+"\n"+success+"\n"), false, false)
	f.Add([]byte(`{"type":"tool_use","name":"memory","tool_call_id":"c1","input":{}}`+"\n"+`{"type":"tool_result","tool_call_id":"c2"}`), true, false)
	f.Add([]byte("Session ID: s2\nnull\n[]\n{\"type\":7}\n"), false, true)
	f.Fuzz(func(t *testing.T, stdout []byte, failed, aborted bool) {
		end := oneshot.Ending{How: "exit code 1", Failed: failed, Aborted: aborted}
		streamed := &stream{ledger: &ledger{}, clean: func(s string) string { return s }}
		judge(t, "stream", stdout, streamed, end)
		judge(t, "quiet", stdout, &quiet{ledger: &ledger{}, max: 1 << 10}, end)
	})
}

func judge(t *testing.T, format string, stdout []byte, w wire, end oneshot.Ending) {
	t.Helper()
	var events []executor.Event
	number := int64(0)
	for line := range bytes.Lines(stdout) {
		number++
		events = append(events, w.Line(number, line)...)
	}
	events = append(events, w.Finish(end)...)
	for i, e := range events {
		events[i] = e.WithHead(executor.Envelope{RunID: "r", TS: 1, Seq: int64(i + 1)})
	}
	if found := verify.Whole(events); len(found) > 0 {
		t.Errorf("%s: %v", format, found)
	}
}
