package provider

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// What is recorded of an answer: when its pieces came, and its shape.
func TestTaken(t *testing.T) {
	chunk := func(delta string) string {
		return `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n"
	}
	begin, first, second, third := chunk(`{"role":"assistant"}`), chunk(`{"content":"a"}`), chunk(`{"content":"b"}`), chunk(`{"content":"c"}`)
	ms := time.Millisecond
	for _, test := range []struct {
		name     string
		stream   bool
		crlf     bool
		arrivals []time.Duration // of the events, in order; those of one time came together
		want     string
	}{
		{"piece by piece", true, false, []time.Duration{50 * ms, 120 * ms, 130 * ms, 150 * ms}, "pace: {first: 120ms, every: 15ms}"},
		{"by lines of another kind", true, true, []time.Duration{50 * ms, 120 * ms, 130 * ms, 150 * ms}, "pace: {first: 120ms, every: 15ms}"},
		{"all at once, late", true, false, []time.Duration{50 * ms, 50 * ms, 50 * ms, 50 * ms}, "pace: {first: 50ms}"},
		{"at once", true, false, []time.Duration{1, 1, 1, 1}, ""},
		{"whole", false, false, []time.Duration{80 * ms}, "pace: {first: 80ms}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := &taken{dialect: Chat, request: &request{dialect: Chat}, status: 200, contentType: "application/json"}
			events := []string{`{"object":"chat.completion","choices":[{"message":{"content":"abc"},"finish_reason":"stop"}]}`}
			if test.stream {
				x.contentType = "text/event-stream"
				events = []string{begin, first, second, third}
			}
			for i, e := range events {
				if test.crlf {
					e = strings.ReplaceAll(e, "\n", "\r\n")
				}
				x.body.WriteString(e)
				x.arrivals = append(x.arrivals, arrival{x.body.Len(), test.arrivals[i]})
			}
			var b bytes.Buffer
			x.rule(&b)
			_, rest, paced := strings.Cut(b.String(), "    pace: ")
			got, _, _ := strings.Cut(rest, "\n")
			if want := strings.TrimPrefix(test.want, "pace: "); paced != (want != "") || got != want {
				t.Errorf("pace %q, want %q in\n%s", got, want, b.String())
			}
			shape := `      - "chat.completion.chunk: choices[].delta.role=assistant choices[].index object=chat.completion.chunk"
      - "chat.completion.chunk: choices[].delta.content choices[].index object=chat.completion.chunk"
      - "cut"
`
			if !test.stream {
				shape = `      - "body: choices[].finish_reason choices[].message.content object=chat.completion"
`
			}
			if _, is, _ := strings.Cut(b.String(), "    shape:\n"); is != shape {
				t.Errorf("shape\n%swant\n%s", is, shape)
			}
		})
	}
}
