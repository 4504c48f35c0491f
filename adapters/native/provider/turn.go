package provider

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

// Request is what one turn asks of a provider.
type Request struct {
	// System is the system prompt; empty is none.
	System string
	// Messages are the whole conversation, which ends with the user.
	Messages []message.Message
	// Tools in the order in which the model is told of them.
	Tools []tool.Definition
	// MaxTokens is how long the answer may be. It must be above 0.
	MaxTokens int64
	// ID names the request in the provider's logs, as X-Client-Request-Id. Empty leaves
	// the header out.
	ID string
}

// Piece is an increment of an answer.
type Piece struct {
	Text string
	// Reasoning says that the text is not the answer but what led to it.
	Reasoning bool
	// Model that says it.
	Model string
}

// Call is a tool that the model calls.
type Call struct {
	ID   string // empty where the provider gave none
	Name string
	// Input is the text of a JSON object. What the model wrote otherwise stands in it under
	// _raw.
	Input jsontext.Value
}

// Stop is why an answer ended.
type Stop string

// The closed set of reasons.
const (
	StopEnd     Stop = "end"     // the model had said all
	StopTools   Stop = "tools"   // it waits for results
	StopLength  Stop = "length"  // the answer was cut by a limit
	StopRefusal Stop = "refusal" // the model, or a filter, would not answer
)

// Usage is what a turn used. The three kinds of input do not overlap.
type Usage struct {
	In, CacheRead, CacheWrite, Out int64
	// CostUSD is what the provider says that it cost; nil where it says nothing.
	CostUSD *float64
}

// Answer is a whole turn of the model.
type Answer struct {
	// Provider that served it, and the model that it was asked for.
	Provider ID
	Model    string
	Text     string
	Calls    []Call
	Stop     Stop
	// Usage is nil where the provider did not tell.
	Usage *Usage
}

// input makes the JSON object of a call from what the model wrote.
func input(text string) jsontext.Value {
	v := jsontext.Value(text)
	switch {
	case text == "":
		return jsontext.Value("{}")
	case v.IsValid() && v.Kind() == '{':
		return v
	}
	quoted, _ := jsontext.AppendQuote([]byte(`{"_raw":`), text) // text that is not UTF-8 is mended
	return append(quoted, '}')
}
