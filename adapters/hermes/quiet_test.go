package hermes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// What looks like a line that names the session is one only where early versions print
// it, and if the session is that of the run.
func TestTheSessionAndTheAnswer(t *testing.T) {
	k := newKeeper(t, t.TempDir(), schema)
	k.session("20260101_000000_aaaaaa", "", 1, 0, 0, 1, 0, "")
	k.user("20260101_000000_aaaaaa", "long ago")
	before := k.entry("")
	k.session("20260201_000000_bbbbbb", "", 1, 0, 0, 1, 0, "")
	k.user("20260201_000000_bbbbbb", "now")

	known := ledger{books: k.books(), before: before, usable: true}
	blind := ledger{}
	resumed := ledger{resumed: "20260101_000000_aaaaaa"}
	told := ledger{latest: "20260201_000000_bbbbbb", shown: "20260201_000000_bbbbbb"}
	tests := []struct {
		name          string
		ledger        ledger
		output        string
		text, session string
	}{
		{"plain", known, "Hello.\n", "Hello.", ""},
		{"white space is kept", known, "\n  a\t\r\n \n\nb  \n\n", "\n  a\t\r\n \n\nb  \n", ""},
		{"a line end of another system", known, "a\r\nb\r\n", "a\r\nb", ""},
		{"no line end", known, "Hello.", "Hello.", ""},
		{"nothing", known, "", "", ""},
		{"nothing but white space", known, "\n \n", "", ""},
		{"bytes that are not UTF-8", known, "a\xffb\n", "a\uFFFDb", ""},
		{"an early version", known, "Hello.\n\nsession_id: 20260201_000000_bbbbbb\n", "Hello.", "20260201_000000_bbbbbb"},
		{"an early version that says nothing", known, "\nsession_id: 20260201_000000_bbbbbb\n", "", "20260201_000000_bbbbbb"},
		{"a session that the run did not write", known, "Hello.\n\nsession_id: 20260101_000000_aaaaaa\n", "Hello.\n\nsession_id: 20260101_000000_aaaaaa", ""},
		{"a session that there is not", known, "Hello.\n\nsession_id: 20260301_000000_cccccc\n", "Hello.\n\nsession_id: 20260301_000000_cccccc", ""},
		{"no books, by its looks", blind, "Hello.\n\nsession_id: 20260201_000000_bbbbbb\n", "Hello.", "20260201_000000_bbbbbb"},
		{"no books, by its looks none", blind, "Hello.\n\nsession_id: x\n", "Hello.\n\nsession_id: x", ""},
		{"told on the second channel", told, "Hello.\n\nsession_id: 20260101_000000_aaaaaa\n", "Hello.\n\nsession_id: 20260101_000000_aaaaaa", "20260201_000000_bbbbbb"},
		{"in the middle", known, "a\n\nsession_id: 20260201_000000_bbbbbb\nb\n", "a\n\nsession_id: 20260201_000000_bbbbbb\nb", ""},
		{"without a blank line", known, "a\nsession_id: 20260201_000000_bbbbbb\n", "a\nsession_id: 20260201_000000_bbbbbb", ""},
		{"in other words", known, "a\n\nSession ID: 20260201_000000_bbbbbb\n", "a\n\nSession ID: 20260201_000000_bbbbbb", ""},
		{"as JSON", known, `{"session_id":"20260201_000000_bbbbbb"}` + "\n", `{"session_id":"20260201_000000_bbbbbb"}`, ""},
		{"a banner of an early version", resumed, "↻ Resumed session 20260101_000000_aaaaaa (2 user messages, 4 total messages)\nHello.\n\nsession_id: 20260101_000000_aaaaaa\n", "Hello.", "20260101_000000_aaaaaa"},
		{"banners of a session that was compressed", resumed, "Session 20260101_000000_aaaaaa was compressed into 20260201_000000_bbbbbb; resuming the descendant with your transcript.\n" +
			"↻ Resumed session 20260201_000000_bbbbbb (1 user message, 2 total messages)\nHello.\n", "Hello.", ""},
		{"a banner of an empty session", resumed, "Session 20260101_000000_aaaaaa found but has no messages. Starting fresh.\nHello.\n", "Hello.", ""},
		{"a banner of another session", resumed, "↻ Resumed session x\nHello.\n", "↻ Resumed session x\nHello.", ""},
		{"a banner, and nothing was resumed", known, "↻ Resumed session 20260101_000000_aaaaaa\n", "↻ Resumed session 20260101_000000_aaaaaa", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			q := &quiet{ledger: &test.ledger, max: 1 << 20}
			for i := range len(test.output) { // pieces may end anywhere
				q.Line(int64(i+1), []byte(test.output[i:i+1]))
			}
			if text := q.answer(); text != test.text {
				t.Errorf("answer %q, want %q", text, test.text)
			}
			if q.latest != test.session {
				t.Errorf("session %q, want %q", q.latest, test.session)
			}
		})
	}
}

func TestAnAnswerThatIsTooLong(t *testing.T) {
	q := &quiet{ledger: &ledger{}, max: 5}
	for _, piece := range []string{"abc", "def", "ghi\n"} {
		q.Line(1, []byte(piece))
	}
	events := q.Finish(oneshot.Ending{})
	code := executor.CodeMalformedFrame
	want := []executor.Event{
		executor.Error{Code: &code, Message: "the answer is too long: its last 5 bytes were skipped"},
		executor.TextDelta{Text: "abcde", Channel: executor.Assistant},
		executor.Done{Reason: executor.ReasonSuccess, Summary: "abcde", CostUSD: executor.Null[float64]()},
	}
	if d := cmp.Diff(want, events, nullable); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
