package message

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Role is who speaks.
type Role string

// The closed set of roles. A tool's result is of the user.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is what one side says in one go.
type Message struct {
	Role    Role   `json:"role"`
	Content []Part `json:"content"`
}

// Kind is what a part holds.
type Kind string

// The closed set of kinds.
const (
	KindText   Kind = "text"
	KindCall   Kind = "tool-call"
	KindResult Kind = "tool-result"
)

// Part is a piece of a message. Which fields count depends on Kind.
type Part struct {
	Kind Kind
	// Text of KindText.
	Text string
	// ID of the call, for KindCall and KindResult.
	ID string
	// Name and Input of KindCall. Input is the text of a JSON object.
	Name  string
	Input jsontext.Value
	// Output and IsError of KindResult.
	Output  string
	IsError bool
}

// Text is a part of text.
func Text(text string) Part { return Part{Kind: KindText, Text: text} }

// Call is a part that calls a tool.
func Call(id, name string, input jsontext.Value) Part {
	return Part{Kind: KindCall, ID: id, Name: name, Input: input}
}

// Result is a part that answers a call.
func Result(id, output string, isError bool) Part {
	return Part{Kind: KindResult, ID: id, Output: output, IsError: isError}
}

// FromUser is a message of the user with one text.
func FromUser(text string) Message { return Message{Role: User, Content: []Part{Text(text)}} }

type textPart struct {
	Type Kind   `json:"type"`
	Text string `json:"text"`
}

type callPart struct {
	Type  Kind           `json:"type"`
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input"`
}

type resultPart struct {
	Type    Kind   `json:"type"`
	ID      string `json:"id"`
	Output  string `json:"output"`
	IsError bool   `json:"isError"`
}

// MarshalJSON writes the fields of the part's kind, and no others.
func (p Part) MarshalJSON() ([]byte, error) {
	switch p.Kind {
	case KindText:
		return json.Marshal(textPart{p.Kind, p.Text}, jsontext.AllowInvalidUTF8(true))
	case KindCall:
		return json.Marshal(callPart{p.Kind, p.ID, p.Name, p.Input}, jsontext.AllowInvalidUTF8(true))
	case KindResult:
		return json.Marshal(resultPart{p.Kind, p.ID, p.Output, p.IsError}, jsontext.AllowInvalidUTF8(true))
	}
	return nil, fmt.Errorf("message part: unknown type %q", p.Kind)
}

// UnmarshalJSON reads a part. An unknown type and a call without an object are errors.
func (p *Part) UnmarshalJSON(text []byte) error {
	var all struct {
		Type    Kind           `json:"type"`
		Text    string         `json:"text"`
		ID      string         `json:"id"`
		Name    string         `json:"name"`
		Input   jsontext.Value `json:"input"`
		Output  string         `json:"output"`
		IsError bool           `json:"isError"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	switch {
	case all.Type == KindText:
		*p = Text(all.Text)
	case all.Type == KindCall && all.ID != "" && all.Name != "" && all.Input.Kind() == '{':
		*p = Call(all.ID, all.Name, all.Input.Clone())
	case all.Type == KindResult && all.ID != "":
		*p = Result(all.ID, all.Output, all.IsError)
	default:
		return fmt.Errorf("message part of type %q: unknown or incomplete", all.Type)
	}
	return nil
}
