package claudecode

import (
	"bytes"
	"testing"

	"github.com/adaptercheck/adaptercheck/fixtures"
	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

// BenchmarkPartialLines maps the recorded increments, from bytes to events, on one
// core.
func BenchmarkPartialLines(b *testing.B) {
	r, err := fixtures.Load("claude-code-2.1.332", "in-eof-midstream")
	if err != nil {
		b.Fatal(err)
	}
	var partial []byte
	for _, line := range r.Lines() {
		if bytes.Contains(line, []byte(`"stream_event"`)) {
			partial = append(append(partial, line...), '\n')
		}
	}
	partial = bytes.Repeat(partial, 20)
	b.SetBytes(int64(len(partial)))
	b.ReportAllocs()
	for b.Loop() {
		m := plain()
		lines := ndjson.NewReader(bytes.NewReader(partial), ndjson.Options{})
		events := 0
		for {
			line, err := lines.Next()
			if err != nil {
				break
			}
			events += len(m.line(line.Number, line.Bytes))
		}
		if events == 0 {
			b.Fatal("no events")
		}
	}
}
