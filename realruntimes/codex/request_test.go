package codex

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

func TestRequest(t *testing.T) {
	const body = `{"model":"m1","prompt_cache_key":"t0","stream":true,"input":[
	{"type":"message","role":"user","content":[{"type":"input_text","text":"first"}]},
	{"type":"function_call_output","call_id":"c1","output":"said \ud800"},
	{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]},
	{"type":"message","role":"user","content":[{"type":"input_text","text":"la"},{"type":"input_text","text":"st"}]},
	{"type":"reasoning","summary":[],"content":null}]}`
	for _, c := range []struct {
		name   string
		header http.Header
		thread string
	}{
		{"by its key", nil, "t0"},
		{"by its header", http.Header{"Thread-Id": {"t9"}}, "t9"},
	} {
		got, err := read(nil, provider.Exchange{Header: c.header, Model: "m1", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		want := &asked{model: "m1", thread: c.thread, prompt: "last", outputs: map[string]string{"c1": "said \ufffd", "c2": "ab"}}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(asked{}), cmpopts.IgnoreFields(asked{}, "Call")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
