package codex

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

// console is where an app-server is talked to: requests, and answers to its own.
// Nothing waits for the process to read.
type console struct {
	lines *ndjson.Writer
	next  int64 // id of the next request
}

func openConsole(stdin io.WriteCloser) *console { return &console{lines: ndjson.NewWriter(stdin)} }

// The lines of the protocol, as far as this host writes them.
type (
	requestLine struct {
		ID     int64  `json:"id"`
		Method string `json:"method"`
		Params any    `json:"params"`
	}
	noticeLine struct {
		Method string `json:"method"`
	}
	answerLine struct {
		ID     jsontext.Value `json:"id"`
		Result jsontext.Value `json:"result,omitzero"`
		Error  *refusal       `json:"error,omitzero"`
	}
	refusal struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}

	initializeParams struct {
		ClientInfo clientInfo `json:"clientInfo"`
	}
	clientInfo struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	threadParams struct {
		ThreadID string `json:"threadId,omitzero"`
		Dir      string `json:"cwd,omitzero"`
		Sandbox  string `json:"sandbox"`
		Approval string `json:"approvalPolicy"`
	}
	turnParams struct {
		ThreadID string      `json:"threadId"`
		Input    []inputText `json:"input"`
		Model    string      `json:"model,omitzero"`
	}
	steerParams struct {
		ThreadID string      `json:"threadId"`
		TurnID   string      `json:"expectedTurnId"`
		Input    []inputText `json:"input"`
	}
	interruptParams struct {
		ThreadID string `json:"threadId"`
		TurnID   string `json:"turnId"`
	}
	inputText struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
)

// input is a text as the input of a turn.
func input(text string) []inputText { return []inputText{{Type: "text", Text: text}} }

func (c *console) put(line any) error {
	out, err := json.Marshal(line, lenient)
	if err != nil {
		return fmt.Errorf("write to the runtime: %w", err)
	}
	return c.lines.Put(out)
}

// ask puts a request and returns its id.
func (c *console) ask(method string, params any) (int64, error) {
	id := c.next
	c.next++
	return id, c.put(requestLine{ID: id, Method: method, Params: params})
}

// tell puts a notification.
func (c *console) tell(method string) error { return c.put(noticeLine{Method: method}) }

// answer answers a request of the app-server. The id is the JSON text of the request's,
// the result that of what it asks for.
func (c *console) answer(request, result string) error {
	return c.put(answerLine{ID: jsontext.Value(request), Result: jsontext.Value(result)})
}

// refuse answers a request that this host does not know, so that the turn does not
// wait for ever.
func (c *console) refuse(request string) error {
	return c.put(answerLine{ID: jsontext.Value(request), Error: &refusal{Code: -32601, Message: "unsupported request"}})
}
