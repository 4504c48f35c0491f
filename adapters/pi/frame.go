package pi

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The lines of the wire, as far as they are read. Members are values until they are
// looked at: a line of an unknown type may use known names for something else, and must
// cost nothing.

// lenient accepts bytes that are not UTF-8: a message with one of those is still the
// message.
var lenient = jsontext.AllowInvalidUTF8(true)

// frame is a line.
type frame struct {
	Type jsontext.Value `json:"type"`
	ID   jsontext.Value `json:"id"`

	// Of an answer to a command.
	Command jsontext.Value `json:"command"`
	Success jsontext.Value `json:"success"`
	Error   jsontext.Value `json:"error"`
	Data    jsontext.Value `json:"data"`

	// Of the agent's work.
	Message   jsontext.Value `json:"message"`
	Event     jsontext.Value `json:"assistantMessageEvent"`
	WillRetry jsontext.Value `json:"willRetry"`
	Failure   jsontext.Value `json:"errorMessage"`

	// Of a tool.
	Call    jsontext.Value `json:"toolCallId"`
	Tool    jsontext.Value `json:"toolName"`
	Args    jsontext.Value `json:"args"`
	Result  jsontext.Value `json:"result"`
	IsError jsontext.Value `json:"isError"`

	// Of an extension.
	Method  jsontext.Value `json:"method"`
	Options jsontext.Value `json:"options"`
}

// stateData is how a process stands.
type stateData struct {
	Session   jsontext.Value `json:"sessionId"`
	File      jsontext.Value `json:"sessionFile"`
	Model     jsontext.Value `json:"model"`
	Streaming jsontext.Value `json:"isStreaming"`
	Compacts  jsontext.Value `json:"isCompacting"`
	Pending   jsontext.Value `json:"pendingMessageCount"`
}

type modelData struct {
	ID       jsontext.Value `json:"id"`
	Provider jsontext.Value `json:"provider"`
}

// answerEvent is what is new of the answer that is being given.
type answerEvent struct {
	Type    jsontext.Value `json:"type"`
	Index   jsontext.Value `json:"contentIndex"`
	Delta   jsontext.Value `json:"delta"`
	Content jsontext.Value `json:"content"`
	Call    jsontext.Value `json:"toolCall"`
}

// messageData is a message.
type messageData struct {
	Role    jsontext.Value `json:"role"`
	Content jsontext.Value `json:"content"`
	Model   jsontext.Value `json:"model"`
	Usage   jsontext.Value `json:"usage"`
	Stop    jsontext.Value `json:"stopReason"`
	Failure jsontext.Value `json:"errorMessage"`
	At      jsontext.Value `json:"timestamp"`
}

// part is one part of a message's content.
type part struct {
	Type      jsontext.Value `json:"type"`
	Text      jsontext.Value `json:"text"`
	Thinking  jsontext.Value `json:"thinking"`
	ID        jsontext.Value `json:"id"`
	Name      jsontext.Value `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// usageData is what an answer has cost.
type usageData struct {
	In         jsontext.Value `json:"input"`
	Out        jsontext.Value `json:"output"`
	CacheRead  jsontext.Value `json:"cacheRead"`
	CacheWrite jsontext.Value `json:"cacheWrite"`
	Cost       jsontext.Value `json:"cost"`
}

type costData struct {
	Total    jsontext.Value `json:"total"`
	Provided jsontext.Value `json:"totalFromProvider"`
}

// read reads a JSON object, and reports whether it is one.
func read(v []byte, into any) bool {
	value := jsontext.Value(v)
	return value.Kind() == '{' && json.Unmarshal(v, into, lenient) == nil
}

// list is the values of an array, none for anything else.
func list(v jsontext.Value) []jsontext.Value {
	var all []jsontext.Value
	if v.Kind() != '[' || json.Unmarshal(v, &all, lenient) != nil {
		return nil
	}
	return all
}

// number is the number that v is, 0 for anything else.
func number(v jsontext.Value) float64 {
	var n float64
	if v.Kind() != '0' || json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}

// count is number for what is counted: never below 0.
func count(v jsontext.Value) int64 { return int64(min(max(number(v), 0), 1<<53)) }

// words reads strings of an array.
func words(v jsontext.Value) []string {
	var all []string
	for _, x := range list(v) {
		all = append(all, text(x))
	}
	return all
}

func isTrue(v jsontext.Value) bool { return v.Kind() == 't' }

// inputOf is what a tool is called with, null where it is not told.
func inputOf(v jsontext.Value) string {
	if len(v) == 0 {
		return "null"
	}
	v = v.Clone()
	if v.Compact(lenient) != nil {
		return "null"
	}
	return string(v)
}
