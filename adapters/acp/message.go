package acp

import (
	"bytes"
	"errors"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// message is a line of the wire: a request, a notification, or an answer.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *failure       `json:"error"`
}

// failure is the error of an answer.
type failure struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data"`
}

// lenient accepts bytes that are not UTF-8, as a message with one of those is still the
// message, and names that occur twice.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// decode reads JSON text. What it holds is a copy.
func decode(text []byte, into any) error { return json.Unmarshal(text, into, lenient) }

var errNoObject = errors.New("not one JSON object")

// read takes a line.
func (m *message) read(line []byte) error {
	line = bytes.TrimPrefix(line, []byte("\uFEFF")) // some programs mark their text so
	if !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("{")) {
		return errNoObject
	}
	return decode(line, m)
}

// set reports whether a value is there and not null.
func set(v jsontext.Value) bool { return len(v) > 0 && !bytes.Equal(v, []byte("null")) }

// text is the string that a value holds; empty for anything else.
func text(v jsontext.Value) string {
	var s string
	if decode(v, &s) != nil {
		return ""
	}
	return s
}

// String is what the agent says of its failure. Agents of one SDK hide the reason of an
// internal error in its data.
func (f *failure) String() string {
	said := f.Message
	var data struct {
		Details jsontext.Value `json:"details"`
		Message jsontext.Value `json:"message"`
	}
	more := text(f.Data)
	if more == "" && decode(f.Data, &data) == nil {
		if more = text(data.Details); more == "" {
			more = text(data.Message)
		}
	}
	switch {
	case said == "":
		return more
	case more != "" && more != said:
		return said + ": " + more
	}
	return said
}

// is reports whether the failure has the code.
func (f *failure) is(code int) bool { return f != nil && f.Code == code }

// The codes of failures that decide what follows.
var (
	codeAuth     = sdk.NewAuthRequired(nil).Code
	codeParams   = sdk.NewInvalidParams(nil).Code
	codeNotFound = int(sdk.ErrorCodeResourceNotFound(-32002))
)

// The lines that this host writes.
type (
	requestLine struct {
		RPC    string `json:"jsonrpc"`
		ID     int64  `json:"id"`
		Method string `json:"method"`
		Params any    `json:"params"`
	}
	noticeLine struct {
		RPC    string `json:"jsonrpc"`
		Method string `json:"method"`
		Params any    `json:"params"`
	}
	answerLine struct {
		RPC    string            `json:"jsonrpc"`
		ID     jsontext.Value    `json:"id"`
		Result any               `json:"result,omitempty"`
		Error  *sdk.RequestError `json:"error,omitempty"`
	}
)

const rpc = "2.0"
