package hermes

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// frame is a record of the stream format, as far as the adapter reads it. What a field
// holds is looked at where it counts: a record of an unknown type may use the same
// names for something else, and must cost nothing.
type frame struct {
	Type    jsontext.Value `json:"type"`
	Subtype jsontext.Value `json:"subtype"`
	Session jsontext.Value `json:"session_id"`
	Model   jsontext.Value `json:"model"`
	Text    jsontext.Value `json:"text"`
	Name    jsontext.Value `json:"name"`
	Call    jsontext.Value `json:"tool_call_id"`
	Input   jsontext.Value `json:"input"`
	Output  jsontext.Value `json:"output"`
	IsError jsontext.Value `json:"is_error"`
	Exit    jsontext.Value `json:"exit_code"`
	Error   jsontext.Value `json:"error"`
	Tokens  jsontext.Value `json:"tokens"`
}

// tokens are the counts of a result: those of its process alone.
type tokens struct {
	Input   int64 `json:"input"`
	Output  int64 `json:"output"`
	Cached  int64 `json:"cache_read"`
	Written int64 `json:"cache_write"`
}

// lenient accepts bytes that are not UTF-8: a message with one of those is still the
// message.
var lenient = jsontext.AllowInvalidUTF8(true)

// decode reads JSON text strictly otherwise.
func decode(text []byte, into any) error { return json.Unmarshal(text, into, lenient) }

// str returns the string that v holds, empty for anything else.
func str(v jsontext.Value) string {
	var s string
	if v.Kind() != '"' || decode(v, &s) != nil {
		return ""
	}
	return s
}

// compact returns JSON text without white space, null where there is none.
func compact(v jsontext.Value) executor.JSON {
	v = v.Clone()
	if len(v) == 0 || v.Compact(lenient) != nil {
		return "null"
	}
	return executor.JSON(v)
}
