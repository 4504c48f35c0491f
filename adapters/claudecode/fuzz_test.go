package claudecode

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fixtures"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// Whatever a process prints, and however it ends, is a run by the rules.
func FuzzStdout(f *testing.F) {
	for _, name := range []string{"text", "tool1-partial", "thinking-partial", "cut-partial", "subagent", "sigint-tool", "err429", "perm-allow"} {
		r, err := fixtures.Load(runtimes[0], name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(r.Stdout, false, false)
	}
	f.Add([]byte("{\"type\":\"result\"}\nnull\n[]\n{\"type\":7}\n"), true, false)
	f.Add([]byte(`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}}`), false, true)
	f.Fuzz(func(t *testing.T, stdout []byte, failed, aborted bool) {
		m := plain()
		events := feed(m, stdout)
		events = enveloped(append(events, m.finish(oneshot.Ending{How: "exit code 1", Failed: failed, Aborted: aborted})...))
		if found := verify.Whole(events); len(found) > 0 {
			t.Errorf("%v in %v", found, showAll(events))
		}
	})
}
