package remote

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

// plain names the field of each word that may stand as a plain value where it is
// the only one.
var plain = map[string]string{
	"delta": "text", "think": "text", "snapshot": "text", "final": "text", "end": "reason", "error": "msg",
	"turn": "state", "frame": "type", "raw": "line", "stderr": "text", "exit": "code", "ignore": "signal",
}

// texts names the field under which a word's JSON text is written as a value.
var texts = map[string]string{"call": "input", "frame": "fields"}

// writeFrame writes a frame as a person writes a step: {"delta": "Hel"}, with
// values as values.
func writeFrame(f fakes.Frame) (jsontext.Value, error) {
	b, err := script.EncodeFrames(f)
	if err != nil {
		return nil, err
	}
	var steps []map[string]map[string]jsontext.Value
	if err := json.Unmarshal(b, &steps); err != nil || len(steps) != 1 {
		return nil, fmt.Errorf("frame %s: %w", f.Word(), err)
	}
	word := f.Word()
	fields := steps[0][word]
	if text, ok := stringOf(fields["json"]); ok && jsontext.Value(text).IsValid() {
		delete(fields, "json")
		fields[texts[word]] = jsontext.Value(text)
	}
	var body any = fields
	if only := fields[plain[word]]; only != nil && len(fields) == 1 {
		body = only
	}
	return json.Marshal(map[string]any{word: body}, json.Deterministic(true))
}
