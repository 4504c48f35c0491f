package codex

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// The wire of codex app-server, as far as the adapter reads it: JSON-RPC without a
// version. Both sides number their requests from 0, so that only its shape tells what
// a line is. The values of a frame are parts of the line.

type serverFrame struct{ id, method, params, result, failure jsontext.Value }

func (f *serverFrame) read(line []byte) error {
	return read(line,
		member{"id", &f.id}, member{"method", &f.method}, member{"params", &f.params},
		member{"result", &f.result}, member{"error", &f.failure},
	)
}

// notice is what notifications have in their params.
type notice struct {
	thread, turn                    jsontext.Value // ids
	itemID, delta, index            jsontext.Value // of an increment
	item, whole, usage, retry, fail jsontext.Value // whole is the turn
	status, request                 jsontext.Value // request is the id of one that is over
}

func (n *notice) read(params jsontext.Value) error {
	return read(params,
		member{"threadId", &n.thread}, member{"turnId", &n.turn},
		member{"itemId", &n.itemID}, member{"delta", &n.delta},
		member{"summaryIndex", &n.index}, member{"contentIndex", &n.index},
		member{"item", &n.item}, member{"turn", &n.whole}, member{"tokenUsage", &n.usage},
		member{"willRetry", &n.retry}, member{"error", &n.fail}, member{"status", &n.status}, member{"requestId", &n.request},
	)
}

// serverTurn is a turn as its end tells of it.
type serverTurn struct{ id, status, failure, items jsontext.Value }

func (t *serverTurn) read(turn jsontext.Value) error {
	return read(turn, member{"id", &t.id}, member{"status", &t.status}, member{"error", &t.failure}, member{"items", &t.items})
}

type serverCommand struct {
	Command  string  `json:"command"`
	Output   *string `json:"aggregatedOutput"`
	ExitCode *int64  `json:"exitCode"`
	Status   string  `json:"status"`
}

type serverServed struct {
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
	Status    string         `json:"status"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error"`
	Result struct {
		Content    jsontext.Value `json:"content"`
		Structured jsontext.Value `json:"structuredContent"`
	} `json:"result"`
}

type serverUsage struct {
	Input  *int64 `json:"inputTokens"`
	Cached *int64 `json:"cachedInputTokens"`
	Output *int64 `json:"outputTokens"`
}

// serverFailure reads an error of the app-server: its text with what it adds, and the
// contract's code for it.
func serverFailure(v jsontext.Value) (message, code string) {
	var said, info, details jsontext.Value
	if read(v, member{"message", &said}, member{"codexErrorInfo", &info}, member{"additionalDetails", &details}) != nil {
		return text(v), failureCode(text(v))
	}
	message = text(said)
	if more := text(details); more != "" {
		message += ": " + more
	}
	if text(info) == "contextWindowExceeded" {
		return message, executor.CodeTokenLimit
	}
	return message, failureCode(message)
}
