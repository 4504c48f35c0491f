package claudecode

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

// console is where the process is talked to: messages, requests, and answers to its
// own. Nothing waits for the process to read.
type console struct {
	lines    *ndjson.Writer
	requests atomic.Int64
}

func openConsole(stdin io.WriteCloser) *console { return &console{lines: ndjson.NewWriter(stdin)} }

// The lines of the protocol, as far as this host writes them.
type (
	userLine struct {
		Type    string      `json:"type"`
		Message userMessage `json:"message"`
	}
	userMessage struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	requestLine struct {
		Type      string      `json:"type"`
		RequestID string      `json:"request_id"`
		Request   requestBody `json:"request"`
	}
	requestBody struct {
		Subtype string `json:"subtype"`
		Model   string `json:"model,omitzero"`
	}
	answerLine struct {
		Type     string     `json:"type"`
		Response answerBody `json:"response"`
	}
	answerBody struct {
		Subtype   string      `json:"subtype"`
		RequestID string      `json:"request_id"`
		Response  *permission `json:"response,omitzero"`
		Error     string      `json:"error,omitzero"`
	}
	permission struct {
		Behavior     string         `json:"behavior"`
		UpdatedInput jsontext.Value `json:"updatedInput,omitzero"`
		Message      string         `json:"message,omitzero"`
	}
)

func (c *console) put(line any) error {
	// Some readers of lines take U+2028 for the end of one.
	out, err := json.Marshal(line, lenient, jsontext.EscapeForJS(true))
	if err != nil {
		return fmt.Errorf("write to the runtime: %w", err)
	}
	return c.lines.Put(out)
}

// message gives the process a message: its first one, or one more that it takes into
// the turn that is running.
func (c *console) message(text string) error {
	return c.put(userLine{Type: "user", Message: userMessage{Role: "user", Content: text}})
}

// interrupt asks for the end of the turn that is running.
func (c *console) interrupt() error {
	return c.put(requestLine{Type: "control_request", RequestID: "interrupt", Request: requestBody{Subtype: "interrupt"}})
}

// setModel asks for another model; empty is the runtime's choice.
func (c *console) setModel(model string) error {
	id := fmt.Sprint(modelRequest, c.requests.Add(1))
	return c.put(requestLine{Type: "control_request", RequestID: id, Request: requestBody{Subtype: "set_model", Model: model}})
}

// answer allows a tool with the input it has, or denies it.
func (c *console) answer(question string, input jsontext.Value, allow bool) error {
	p := permission{Behavior: "deny", Message: "The host did not allow this tool."}
	if allow {
		p = permission{Behavior: "allow", UpdatedInput: input}
	}
	return c.put(answerLine{Type: "control_response", Response: answerBody{Subtype: "success", RequestID: question, Response: &p}})
}

// refuse answers a request that this host does not know, so that the process does not
// wait for ever.
func (c *console) refuse(request string) error {
	return c.put(answerLine{Type: "control_response", Response: answerBody{Subtype: "error", RequestID: request, Error: "unsupported request"}})
}
