package acp

import (
	"encoding/json"
	"fmt"
	"io"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

// console is where an agent is talked to: requests, notifications, and answers to its
// own requests. Nothing waits for the process to read.
type console struct {
	lines *ndjson.Writer
	next  int64 // id of the next request
}

func openConsole(stdin io.WriteCloser) *console { return &console{lines: ndjson.NewWriter(stdin)} }

// put writes a line. The types of the SDK are made for the codec of the standard library.
func (c *console) put(line any) error {
	out, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write to the agent: %w", err)
	}
	return c.lines.Put(out)
}

// ask puts a request and returns its id.
func (c *console) ask(method string, params any) (int64, error) {
	id := c.next
	c.next++
	return id, c.put(requestLine{RPC: rpc, ID: id, Method: method, Params: params})
}

// tell puts a notification.
func (c *console) tell(method string, params any) error {
	return c.put(noticeLine{RPC: rpc, Method: method, Params: params})
}

// answer answers a request of the agent by its result; the id is as it came.
func (c *console) answer(request jsontext.Value, result any) error {
	return c.put(answerLine{RPC: rpc, ID: request, Result: result})
}

// refuse answers a request of the agent with an error, so that nothing waits for ever.
func (c *console) refuse(request jsontext.Value, why *sdk.RequestError) error {
	return c.put(answerLine{RPC: rpc, ID: request, Error: why})
}

// greeting is the line that a process without a run is greeted by.
func greeting(files string) []byte {
	line, err := json.Marshal(requestLine{RPC: rpc, Method: sdk.AgentMethodInitialize, Params: initialize(files)})
	if err != nil {
		return nil // cannot happen: the types of the SDK have a JSON text
	}
	return line
}

// initialize is what an agent is told of this host: it serves what the options say.
func initialize(files string) sdk.InitializeRequest {
	return sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientInfo:      &sdk.Implementation{Name: "adaptercheck", Version: "1"},
		ClientCapabilities: sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{
			ReadTextFile: files != FilesNone, WriteTextFile: files == FilesWrite,
		}},
	}
}
