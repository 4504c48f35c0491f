package native_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/native"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// canned answers every request at once, with a call of a tool: what remains is the loop's
// own time, and that of the SDK.
type canned struct{}

const answer = `event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I look."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"look","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

`

func (canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

// BenchmarkTurn is one turn of sixteen, with one call of a tool, without the provider's
// time.
func BenchmarkTurn(b *testing.B) {
	const turns = 16
	a := agent(b, "http://127.0.0.1:1", func(o *native.Options) {
		o.HTTPClient = &http.Client{Transport: canned{}}
		o.Tools, o.Agent.MaxTurns = box(does{name: "look"}), turns
	})
	n := 0
	for b.Loop() {
		n++
		_, done := all(b, a, begin(b, a, executor.StartOpts{SessionKey: strconv.Itoa(n)}))
		if done.Reason != executor.ReasonMaxTurns {
			b.Fatalf("done %+v", done)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/turns, "ns/turn")
}
