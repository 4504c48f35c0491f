package acp

import "github.com/go-json-experiment/json/jsontext"

// The messages of the protocol.

const version2 = "2.0" // of JSON-RPC

type notification struct {
	RPC    string `json:"jsonrpc"`
	Method string `json:"method"`
	Params any    `json:"params"`
}

type agentRequest struct {
	RPC    string         `json:"jsonrpc"`
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params any            `json:"params"`
}

type response struct {
	RPC    string         `json:"jsonrpc"`
	ID     jsontext.Value `json:"id"`
	Result any            `json:"result"`
}

type refusal struct {
	RPC   string         `json:"jsonrpc"`
	ID    jsontext.Value `json:"id"`
	Error rpcError       `json:"error"`
}

// rpcError is why a request was refused.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitzero"`
}

// The codes of JSON-RPC, and those of the protocol.
const (
	codeParse    = -32700
	codeMethod   = -32601
	codeParams   = -32602
	codeInternal = -32603
	codeNotFound = -32002
)

type updated struct {
	Session string `json:"sessionId"`
	Update  any    `json:"update"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func block(text string) textBlock { return textBlock{"text", text} }

// chunk is a piece of a message of the user or the agent.
type chunk struct {
	Kind    string    `json:"sessionUpdate"`
	Message string    `json:"messageId,omitzero"`
	Content textBlock `json:"content"`
}

// toolUpdate is a call, or what is new about one. A member of type any is left out where
// it is nil.
type toolUpdate struct {
	Meta      any    `json:"_meta,omitzero"`
	Kind      string `json:"sessionUpdate,omitzero"`
	ID        string `json:"toolCallId"`
	Name      string `json:"name,omitzero"`
	Title     string `json:"title,omitzero"`
	Of        string `json:"kind,omitzero"`
	Status    string `json:"status,omitzero"`
	Locations any    `json:"locations,omitzero"`
	Input     any    `json:"rawInput,omitzero"`
	Content   any    `json:"content,omitzero"`
	Output    any    `json:"rawOutput,omitzero"`
}

type location struct {
	Path string `json:"path"`
}

type toolContent struct {
	Type     string     `json:"type"`
	Content  *textBlock `json:"content,omitzero"`
	Terminal string     `json:"terminalId,omitzero"`
}

func said(text string) []toolContent {
	b := block(text)
	return []toolContent{{Type: "content", Content: &b}}
}

type usageUpdate struct {
	Kind string `json:"sessionUpdate"`
	Used int64  `json:"used"`
	Size int64  `json:"size"`
	Cost *money `json:"cost,omitzero"`
	Meta any    `json:"_meta,omitzero"`
}

type money struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// promptAnswer ends a turn.
type promptAnswer struct {
	Stop  string `json:"stopReason"`
	Usage any    `json:"usage,omitzero"`
	Meta  any    `json:"_meta,omitzero"`
}

type permission struct {
	Session string             `json:"sessionId"`
	Call    toolUpdate         `json:"toolCall"`
	Options []permissionOption `json:"options"`
}

type permissionOption struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// object is one whose members differ.
type object = map[string]any
