package claudecode

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// request is what a line asks of the host. The zero value asks nothing.
type request struct {
	question  string         // id of a question whether a tool may run
	input     jsontext.Value // of that tool
	withdrawn string         // id of a question that needs no answer any more
	foreign   string         // id of a request that this host does not know
}

// modelRequest begins the ids of this host's requests for another model.
const modelRequest = "set-model-"

// control maps the frames of the runtime's protocol with its host.
func (m *mapper) control(f *frame) ([]executor.Event, bool) {
	if is(f.kind, "control_response") {
		return m.answered(f)
	}
	id := text(f.requestID)
	if id == "" {
		return nil, false
	}
	if is(f.kind, "control_cancel_request") {
		m.asked.withdrawn = id
		return nil, true
	}
	var subtype, input jsontext.Value
	if !members(f.request, func(name []byte, v jsontext.Value) {
		switch string(name) {
		case "subtype":
			subtype = v
		case "input":
			input = v
		}
	}) {
		return nil, false
	}
	if !is(subtype, "can_use_tool") {
		m.asked.foreign = id
		return nil, true
	}
	m.asked.question, m.asked.input = id, jsontext.Value(raw(input))
	return []executor.Event{executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailApproval + ":" + id}}, true
}

// answered maps the runtime's answer to a request of this host. Only a model that it
// does not take is worth telling: the end of an interrupted turn tells of itself.
func (m *mapper) answered(f *frame) ([]executor.Event, bool) {
	var subtype, id jsontext.Value
	if !members(f.response, func(name []byte, v jsontext.Value) {
		switch string(name) {
		case "subtype":
			subtype = v
		case "request_id":
			id = v
		}
	}) {
		return nil, false
	}
	if is(subtype, "error") && strings.HasPrefix(text(id), modelRequest) {
		return []executor.Event{oneshot.Failure(executor.CodeRuntime, "the runtime does not take the model", false)}, true
	}
	return nil, true
}
