package openclaw

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// frame is a message of the gateway: an event, or the response to a request.
type frame struct {
	Type text `json:"type"`
	// Of an event.
	Event text   `json:"event"`
	Seq   number `json:"seq"` // 0 is none
	// Of a response.
	ID    text           `json:"id"`
	OK    flag           `json:"ok"`
	Error jsontext.Value `json:"error"`

	Payload jsontext.Value `json:"payload"`
}

// request is a message to the gateway.
type request struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Method string `json:"method"`
	Params any    `json:"params"`
}

// problem is why the gateway refused a request.
type problem struct {
	Code      text           `json:"code"`
	Message   text           `json:"message"`
	Details   jsontext.Value `json:"details"`
	Retryable flag           `json:"retryable"`
}

// chatEvent is the payload of a chat event: what the user of a chat sees of a run.
type chatEvent struct {
	Run        text           `json:"runId"`
	Session    text           `json:"sessionKey"`
	State      text           `json:"state"`
	Delta      jsontext.Value `json:"deltaText"` // absent in protocol 3
	Replace    flag           `json:"replace"`
	Message    jsontext.Value `json:"message"` // the whole text of the run so far
	StopReason text           `json:"stopReason"`
	Failure    text           `json:"errorMessage"`
	Detail     jsontext.Value `json:"errorDetail"`
}

// agentEvent is the payload of an agent event: what the run does.
type agentEvent struct {
	Run       text           `json:"runId"`
	Session   text           `json:"sessionKey"`
	SessionID text           `json:"sessionId"`
	Stream    text           `json:"stream"`
	Data      jsontext.Value `json:"data"`
}

// lifecycle is the data of the agent stream lifecycle.
type lifecycle struct {
	Phase      text           `json:"phase"`
	Provider   text           `json:"provider"`
	Model      text           `json:"model"`
	Failure    text           `json:"error"`
	Aborted    flag           `json:"aborted"`
	StopReason text           `json:"stopReason"`
	Observed   jsontext.Value `json:"errorObservation"`
	Reply      jsontext.Value `json:"terminalReply"`
	// Chain says what became of the models that stand in for each other.
	Chain text `json:"fallbackStepFinalOutcome"`
}

// toolData is the data of the agent streams tool, item and command_output.
type toolData struct {
	Phase   text           `json:"phase"`
	Kind    text           `json:"kind"`
	ID      text           `json:"toolCallId"`
	Name    text           `json:"name"`
	Args    jsontext.Value `json:"args"`
	Result  jsontext.Value `json:"result"`
	IsError flag           `json:"isError"`
	// Of an item and of the output of a command.
	Status  text `json:"status"`
	Output  text `json:"output"`
	Failure text `json:"error"`
	Command flag `json:"commandBearing"`
}

// thought is the data of an agent stream of reasoning, and of assistant.
type thought struct {
	Item  text `json:"itemId"`
	Text  text `json:"text"`
	Delta text `json:"delta"`
}

// approvalEvent is the payload of exec.approval.requested and exec.approval.resolved.
type approvalEvent struct {
	ID      text           `json:"id"`
	Request object[origin] `json:"request"`
}

// origin says which run asks.
type origin struct {
	Run     text `json:"runId"`
	Session text `json:"sessionKey"`
}

// text is a string. What is of another type reads as none, so that a field which
// changes its type costs that field and not the frame.
type text string

// UnmarshalJSONFrom reads a string, or skips another value.
func (t *text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*t = text(str(v))
	return nil
}

// str is the string that v holds, empty for anything else.
func str(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, v) // bytes that are not UTF-8 are mended, and no other error can be
	return string(s)
}

// number is a whole number from 0 up; anything else reads as 0.
type number int64

// UnmarshalJSONFrom reads a number, or skips another value.
func (n *number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var f float64
	if v.Kind() == '0' && json.Unmarshal(v, &f) == nil && f > 0 && f < 1<<53 {
		*n = number(f)
		return nil
	}
	*n = 0
	return nil
}

// flag is true for true alone.
type flag bool

// UnmarshalJSONFrom reads a boolean, or skips another value.
func (f *flag) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*f = v.Kind() == 't'
	return nil
}

// object is an object; anything else reads as an empty one.
type object[T any] struct{ is T }

// UnmarshalJSONFrom reads an object, or skips another value.
func (o *object[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*o = object[T]{}
	read(v, &o.is)
	return nil
}

// lenient accepts bytes that are not UTF-8, as a message with one of those is still the
// message, and a name that occurs twice, as the gateway's own language does: looking for
// those would be half the work.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// read decodes an object into v and reports whether it is one.
func read(object jsontext.Value, v any) bool {
	return object.Kind() == '{' && json.Unmarshal(object, v, lenient) == nil
}

// message is what somebody said: an event's, or a row of the history.
type message struct {
	Role    text           `json:"role"`
	Content jsontext.Value `json:"content"`
	Text    text           `json:"text"`
}

// part is a block of a message's content.
type part struct {
	Type text           `json:"type"`
	Text jsontext.Value `json:"text"`
	ID   text           `json:"id"`
	Name text           `json:"name"`
	Args jsontext.Value `json:"arguments"`
}

// said is the text of an assistant's message, and false for what is none.
func said(v jsontext.Value) (string, bool) {
	var m message
	if !read(v, &m) || m.Role != "assistant" && m.Role != "" {
		return "", false
	}
	return m.text()
}

// text is the message's text: its content where that is a string, the text blocks of
// it, or the field of that name.
func (m *message) text() (string, bool) {
	switch m.Content.Kind() {
	case '"':
		return str(m.Content), true
	case '[':
		var texts []string
		for _, p := range m.parts() {
			if p.Type == "text" && p.Text.Kind() == '"' {
				texts = append(texts, str(p.Text))
			}
		}
		return strings.Join(texts, "\n"), true
	}
	return string(m.Text), m.Text != ""
}

// parts lists the blocks of the content that can be read.
func (m *message) parts() []part {
	var values []jsontext.Value
	if json.Unmarshal(m.Content, &values, lenient) != nil {
		return nil
	}
	var parts []part
	for _, v := range values {
		var p part
		if read(v, &p) {
			parts = append(parts, p)
		}
	}
	return parts
}

// output is the text of a tool's result: a string, or the blocks of its content by
// line. A block without text is given as the JSON that it is.
func output(result jsontext.Value) string {
	content := result
	if result.Kind() == '{' {
		var r struct {
			Content jsontext.Value `json:"content"`
		}
		if read(result, &r) && len(r.Content) > 0 {
			content = r.Content
		}
	}
	var values []jsontext.Value
	switch {
	case content.Kind() == '"':
		return str(content)
	case content.Kind() != '[', json.Unmarshal(content, &values, lenient) != nil:
		return raw(content)
	}
	var lines []string
	for _, v := range values {
		var p part
		if read(v, &p) && p.Text.Kind() == '"' {
			lines = append(lines, str(p.Text))
			continue
		}
		lines = append(lines, raw(v))
	}
	return strings.Join(lines, "\n")
}

// raw is the JSON text of v; nothing and null are empty.
func raw(v jsontext.Value) string {
	if len(v) == 0 || v.Kind() == 'n' {
		return ""
	}
	return strings.ToValidUTF8(string(v), "\uFFFD")
}
