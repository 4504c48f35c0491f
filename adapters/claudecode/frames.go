package claudecode

import "github.com/go-json-experiment/json/jsontext"

// frame is a line of stdout, as far as it is looked at. Values are parts of the line
// and valid as long as it is.
type frame struct {
	kind, subtype, uuid, session                  jsontext.Value
	parent, message, event                        jsontext.Value // of assistant, user and stream_event
	errorClass, apiError, replay, abandoned       jsontext.Value // of the same
	model, version                                jsontext.Value // of system/init
	status, task, backgrounded, patch, tasks      jsontext.Value // of system/status, system/task_* and system/background_tasks_changed
	requestID, request, response                  jsontext.Value // of control frames
	result, isError, errors, stopReason, terminal jsontext.Value // of result
	queued, costUSD, usage, modelUsage            jsontext.Value // of the same
}

func (f *frame) take(name []byte, v jsontext.Value) {
	switch string(name) {
	case "type":
		f.kind = v
	case "subtype":
		f.subtype = v
	case "uuid":
		f.uuid = v
	case "session_id":
		f.session = v
	case "parent_tool_use_id":
		f.parent = v
	case "message":
		f.message = v
	case "event":
		f.event = v
	case "error":
		f.errorClass = v
	case "is_api_error_message":
		f.apiError = v
	case "isReplay":
		f.replay = v
	case "abandoned_blocks":
		f.abandoned = v
	case "model":
		f.model = v
	case "claude_code_version":
		f.version = v
	case "task_id":
		f.task = v
	case "is_backgrounded":
		f.backgrounded = v
	case "patch":
		f.patch = v
	case "tasks":
		f.tasks = v
	case "status":
		f.status = v
	case "request_id":
		f.requestID = v
	case "request":
		f.request = v
	case "response":
		f.response = v
	case "result":
		f.result = v
	case "is_error":
		f.isError = v
	case "errors":
		f.errors = v
	case "stop_reason":
		f.stopReason = v
	case "terminal_reason":
		f.terminal = v
	case "queued_turn_count":
		f.queued = v
	case "total_cost_usd":
		f.costUSD = v
	case "usage":
		f.usage = v
	case "modelUsage":
		f.modelUsage = v
	}
}

// apiMessage is the message of an assistant or user line, and of message_start.
type apiMessage struct {
	id, model, content, stopReason, usage jsontext.Value
}

func (m *apiMessage) take(name []byte, v jsontext.Value) {
	switch string(name) {
	case "id":
		m.id = v
	case "model":
		m.model = v
	case "content":
		m.content = v
	case "stop_reason":
		m.stopReason = v
	case "usage":
		m.usage = v
	}
}

// apiBlock is a block of a message's content, and the delta of one.
type apiBlock struct {
	kind, text, thinking    jsontext.Value
	id, name, input         jsontext.Value // of tool_use
	toolID, content, failed jsontext.Value // of tool_result
}

func (b *apiBlock) take(name []byte, v jsontext.Value) {
	switch string(name) {
	case "type":
		b.kind = v
	case "text":
		b.text = v
	case "thinking":
		b.thinking = v
	case "id":
		b.id = v
	case "name":
		b.name = v
	case "input":
		b.input = v
	case "tool_use_id":
		b.toolID = v
	case "content":
		b.content = v
	case "is_error":
		b.failed = v
	}
}

// apiEvent is an event of the model provider's stream.
type apiEvent struct {
	kind, index, message, block, delta, usage jsontext.Value
}

func (e *apiEvent) take(name []byte, v jsontext.Value) {
	switch string(name) {
	case "type":
		e.kind = v
	case "index":
		e.index = v
	case "message":
		e.message = v
	case "content_block":
		e.block = v
	case "delta":
		e.delta = v
	case "usage":
		e.usage = v
	}
}
