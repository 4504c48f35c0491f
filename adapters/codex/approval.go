package codex

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

// asking is what a request asks whether something may be done by.
type asking struct{ item, own, permissions, meta jsontext.Value }

func (a *asking) read(params jsontext.Value) error {
	return read(params,
		member{"itemId", &a.item}, member{"approvalId", &a.own}, member{"permissions", &a.permissions},
		member{"_meta", &a.meta},
	)
}

// The answers to a request for an approval, and to one of an MCP server.
const (
	accept, decline             = `{"decision":"accept"}`, `{"decision":"decline"}`
	acceptServed, declineServed = `{"action":"accept","content":{}}`, `{"action":"decline","content":null}`
)

// answers returns the answers to a request that asks whether something may be done: yes
// and no. Both let the turn go on. Without them there is no such question.
func (a *asking) answers(method string) (yes, no string) {
	switch method {
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		return accept, decline
	case "item/permissions/requestApproval":
		return `{"permissions":` + string(compact(a.permissions)) + `,"scope":"turn"}`, `{"permissions":{}}`
	case "mcpServer/elicitation/request":
		var kind jsontext.Value
		if read(a.meta, member{"codex_approval_kind", &kind}) == nil && text(kind) == "mcp_tool_call" {
			return acceptServed, declineServed // Codex's own question about a server's tool
		}
	}
	return "", ""
}

// name is what a question is called: as the call that it is about, unless it has a name
// of its own.
func (a *asking) name(request string) string {
	for _, v := range []jsontext.Value{a.own, a.item} {
		if name := text(v); name != "" {
			return name
		}
	}
	return "request-" + strings.Trim(request, `"`)
}

// requested puts a question to the host. What is no question that it can answer is
// refused, so that the turn does not wait for ever.
func (w *serverWire) requested(number int64, method string, f *serverFrame) []executor.Event {
	request := string(f.id)
	var a asking
	if set(f.params) && a.read(f.params) != nil {
		_ = w.talk.console.refuse(request) // a process that is gone needs no answer
		return w.malformed(number)
	}
	yes, no := a.answers(method)
	if yes == "" {
		_ = w.talk.console.refuse(request)
		return nil
	}
	deny := func(id string) { _ = w.answer(id, false) }
	id, ok := w.questions.ask(a.name(request), question{request: request, yes: yes, no: no}, w.options.ApprovalTimeout, deny)
	if !ok {
		return nil // the turn is being ended
	}
	return []executor.Event{executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailApproval + ":" + id}}
}

// answer answers a question, once.
func (w *serverWire) answer(id string, allow bool) error {
	q := w.questions.take(id)
	if q == nil {
		return ErrNoQuestion
	}
	result := q.no
	if allow {
		result = q.yes
	}
	err := w.talk.console.answer(q.request, result)
	if errors.Is(err, ndjson.ErrEnded) {
		return ErrNoQuestion // the process hears nothing any more
	}
	return err
}
