package acp

import (
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// FuzzLines gives any lines to a wire that was sent its prompt. Whatever they hold, the
// run breaks no rule, and what is written is of the protocol.
func FuzzLines(f *testing.F) {
	for _, lines := range [][]string{
		{said("a"), saidBy("m", "b"), ends},
		{called(`"toolCallId":"t","title":"x","rawInput":{}`), about(`"toolCallId":"t","status":"failed","rawOutput":[1]`), stops(`"stopReason":"max_tokens"`)},
		{permission(`"q"`, `"toolCallId":"t"`), costs("0.5"), `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"x","data":{}}}`, said("late")},
		{`{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}`, "{", "\xff", `{"id":null,"error":{}}`},
	} {
		f.Add(strings.Join(lines, "\n"))
	}
	f.Fuzz(func(t *testing.T, lines string) {
		d := newDesk(Options{}, oneshot.Request[state]{Prompt: "go"})
		d.hear(shaken...)
		events := enveloped(append(d.hear(strings.Split(lines, "\n")...), d.Finish(oneshot.Ending{})...))
		if found := verify.Whole(events); len(found) > 0 {
			t.Errorf("breaks rules: %v", found)
		}
		if _, is := events[len(events)-1].(executor.Done); !is {
			t.Error("no end")
		}
		d.written(t)
	})
}
