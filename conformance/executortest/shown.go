package executortest

import (
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Shown ends the check under the case's own assertion code unless the observer saw
// a word that the runtime said in this run, and that nobody could know before:
// events that an adapter makes up by itself show nothing.
func (l *Live) Shown(o *Observer) {
	seen := []string{o.Text(), verify.Text(o.Events, "", executor.Reasoning)}
	for _, e := range o.Events {
		switch e := e.(type) {
		case executor.ToolCall:
			seen = append(seen, string(e.Input))
		case executor.ToolResult:
			seen = append(seen, e.Output)
		case executor.Error:
			seen = append(seen, e.Message)
		}
	}
	all := strings.Join(seen, "\n")
	shown := false
	for _, word := range l.said {
		shown = shown || strings.Contains(all, word)
	}
	l.t.Expect(shown).To(BeTrue())
}

// words lists the words of [T.Word] in what a frame says.
func (t *T) words(f fakes.Frame) []string {
	var said string
	switch f := f.(type) {
	case fakes.Delta:
		said = f.Text
	case fakes.Think:
		said = f.Text
	case fakes.Snapshot:
		said = f.Text
	case fakes.Final:
		if f.Text != nil {
			said = *f.Text
		}
	case fakes.ToolCall:
		said = f.Input
	case fakes.Result:
		said = f.Out
	case fakes.Failure:
		said = f.Message
	}
	var words []string
	for {
		_, rest, found := strings.Cut(said, t.Canary)
		if !found {
			return words
		}
		n := min(len(rest), len("-00"))
		words = append(words, t.Canary+rest[:n])
		said = rest
	}
}
