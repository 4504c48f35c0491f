package verify

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// The codes of the tool rules.
const (
	CallIDEmpty       Code = "tool-call-id-empty"
	CallIDRepeated    Code = "tool-call-repeated"      // one id announced twice as whole
	CallNameEmpty     Code = "tool-call-name-empty"    // a call without a tool
	CallInputInvalid  Code = "tool-call-input-invalid" // not one JSON value
	CallInputText     Code = "tool-call-input-text"    // a string that is the text of an object
	PartialAfterWhole Code = "tool-call-partial-late"  // a piece of a call that was whole already
	ResultUnknown     Code = "tool-result-unknown"     // no call with this id before it
	ResultRepeated    Code = "tool-result-repeated"
	ResultNotCallable Code = "tool-result-early"   // the call never became whole before its result
	CallOpenAtDone    Code = "tool-call-open"      // a whole call has no result when the run ends
	PartialNotSettled Code = "tool-call-unsettled" // a streamed call never became whole in a run that succeeded
)

// call is what is known of one tool call of a run.
type call struct{ whole, answered bool }

// Tools: ids are non-empty and unique, a result answers an announced call, once
// (executor#tool-ids, executor#tool-results).
func Tools(events []executor.Event) []Finding {
	var found []Finding
	for _, run := range runs(events) {
		calls := map[string]*call{}
		for _, i := range run {
			switch e := events[i].(type) {
			case executor.ToolCall:
				found = append(found, judgeCall(calls, e, i)...)
			case executor.ToolResult:
				c := calls[e.ID]
				switch {
				case c == nil:
					found = append(found, Finding{ResultUnknown, i})
				case c.answered:
					found = append(found, Finding{ResultRepeated, i})
				case !c.whole && !e.IsError:
					found = append(found, Finding{ResultNotCallable, i})
				}
				if c != nil {
					c.answered = true
				}
			}
		}
	}
	return found
}

func judgeCall(calls map[string]*call, e executor.ToolCall, i int) []Finding {
	var found []Finding
	if e.ID == "" {
		found = append(found, Finding{CallIDEmpty, i})
	}
	if e.Name == "" {
		found = append(found, Finding{CallNameEmpty, i})
	}
	if e.Input != "" && !jsontext.Value(e.Input).IsValid() {
		found = append(found, Finding{CallInputInvalid, i})
	}
	c := calls[e.ID]
	if c == nil {
		c = &call{}
		calls[e.ID] = c
	}
	switch {
	case e.Partial && c.whole:
		found = append(found, Finding{PartialAfterWhole, i})
	case !e.Partial && c.whole:
		found = append(found, Finding{CallIDRepeated, i})
	case !e.Partial:
		c.whole = true
	}
	return found
}

// OpenCalls: when a run has ended, every whole call has its result and every
// streamed call of a run that succeeded became whole (executor#tool-open,
// executor#tool-partial).
func OpenCalls(events []executor.Event) []Finding {
	var found []Finding
	for _, run := range runs(events) {
		calls := map[string]*call{}
		reason := executor.Reason("")
		end := len(events)
		for _, i := range run {
			switch e := events[i].(type) {
			case executor.ToolCall:
				judgeCall(calls, e, i)
			case executor.ToolResult:
				if c := calls[e.ID]; c != nil {
					c.answered = true
				}
			case executor.Done:
				if reason == "" {
					reason, end = e.Reason, i
				}
			}
		}
		if reason == "" {
			continue
		}
		open, unsettled := false, false
		for _, c := range calls {
			open = open || (c.whole && !c.answered)
			unsettled = unsettled || (!c.whole && reason == executor.ReasonSuccess)
		}
		if open {
			found = append(found, Finding{CallOpenAtDone, end})
		}
		if unsettled {
			found = append(found, Finding{PartialNotSettled, end})
		}
	}
	return found
}

// InputText: the input of a whole call is not a string that is itself the JSON
// text of an object (SHOULD, executor#tool-input).
func InputText(events []executor.Event) []Finding {
	var found []Finding
	for i, e := range events {
		c, ok := e.(executor.ToolCall)
		if !ok || c.Partial {
			continue
		}
		v := jsontext.Value(c.Input)
		if v.Kind() != '"' {
			continue
		}
		inner, err := jsontext.AppendUnquote(nil, v)
		if err == nil && jsontext.Value(inner).Kind() == '{' && jsontext.Value(inner).IsValid() {
			found = append(found, Finding{CallInputText, i})
		}
	}
	return found
}
