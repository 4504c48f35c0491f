package provider

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// errTrailing is about bytes behind the body's one value.
var errTrailing = errors.New("there is something after the value")

// notJSON is what a provider says to a body that it cannot read.
func notJSON(d Dialect, err error) *Refusal {
	if !d.openAI() {
		return &Refusal{Status: 400, Message: "The request body is not valid JSON: " + strings.TrimPrefix(err.Error(), "jsontext: ")}
	}
	return &Refusal{Status: 400, Message: "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)"}
}

// manners checks a request as its provider does; nil is fine.
func manners(r *request, s *scanner) *Refusal {
	switch r.dialect {
	case Anthropic:
		return anthropicManners(r, s)
	case Chat:
		return chatManners(r, s)
	default:
		return responsesManners(r, s)
	}
}

func bad(format string, args ...any) *Refusal {
	return &Refusal{Status: 400, Message: fmt.Sprintf(format, args...)}
}

// dotted is a place as Anthropic names it.
func dotted(pointer string) string {
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
}

func anthropicManners(r *request, s *scanner) *Refusal {
	wanted := map[string]string{"array": "list", "object": "dictionary"}
	switch {
	case s.want != "" && s.wrong == "":
		return bad("Input should be a valid dictionary or object to extract fields from")
	case s.want != "":
		return bad("%s: Input should be a valid %s", dotted(s.wrong), or(wanted[s.want], s.want))
	case r.modelText == nil:
		return bad("model: Field required")
	case r.model == "":
		return bad("model: String should have at least 1 character")
	case r.maxTokens < 0:
		return bad("max_tokens: Field required")
	case r.maxTokens == 0:
		return bad("max_tokens: must be greater than or equal to 1")
	case !r.listed:
		return bad("messages: Field required")
	case len(r.messages) == 0:
		return bad("messages: at least one message is required")
	}
	for _, text := range r.system {
		if blank(text) {
			return bad("system: text content blocks must be non-empty")
		}
	}
	if r.strict {
		if refusal := strictManners(r); refusal != nil {
			return refusal
		}
	}
	return anthropicConversation(r.messages)
}

// strictManners are those of the version that takes less. Its wording is not documented.
func strictManners(r *request) *Refusal {
	if r.sampling != "" {
		return bad("%s: Extra inputs are not permitted", r.sampling)
	}
	for i, m := range r.messages {
		switch {
		case m.role == assistant && m.document:
			return bad("messages.%d.content: `document` blocks are not permitted in `assistant` messages", i)
		case m.role == user && m.cited:
			return bad("messages.%d.content: `citations` are not permitted in `user` messages", i)
		}
	}
	return nil
}

func blank(text jsontext.Value) bool { return len(bytes.TrimSpace(plain(text))) == 0 }

func anthropicConversation(all []message) *Refusal {
	for i, m := range all {
		switch {
		case m.role == "":
			return bad("messages.%d.role: Field required", i)
		case m.role != user && m.role != assistant && m.role != system:
			return bad("messages.%d.role: Input should be 'user' or 'assistant'", i)
		case m.parts == 0 && i < len(all)-1:
			return bad("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		for _, text := range m.texts {
			if len(text) <= 2 {
				return bad("messages: text content blocks must be non-empty")
			}
			if blank(text) {
				return bad("messages: text content blocks must contain non-whitespace text")
			}
		}
	}
	spoken := slices.DeleteFunc(slices.Clone(all), func(m message) bool { return m.role == system })
	if len(spoken) > 0 && spoken[0].role == assistant {
		return bad("messages: first message must use the \"user\" role")
	}
	var open []string // calls of the message before
	for i, m := range all {
		if m.role == system {
			continue
		}
		for _, id := range m.results {
			if m.role != user {
				return bad("messages.%d: `tool_result` blocks can only be in `user` messages", i)
			}
			if !slices.Contains(open, id) {
				return bad("messages.%d.content.0: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, id)
			}
		}
		if missing := without(open, m.results); len(missing) > 0 {
			return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, strings.Join(missing, ", "))
		}
		open = m.calls
	}
	if len(open) > 0 {
		return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", len(all)-1, strings.Join(open, ", "))
	}
	return nil
}

func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
}

// bracketed is a place as OpenAI names it: messages[0].content.
func bracketed(pointer string) string {
	var b strings.Builder
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case name != "" && strings.Trim(name, "0123456789") == "":
			b.WriteString("[" + name + "]")
		case b.Len() > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

func coded(param, code, format string, args ...any) *Refusal {
	return &Refusal{Status: 400, Type: "invalid_request_error", Param: param, Code: code, Message: fmt.Sprintf(format, args...)}
}

// openAIBasics are the manners that both dialects have.
func openAIBasics(r *request, s *scanner, list string) *Refusal {
	switch {
	case s.want != "":
		where := bracketed(s.wrong)
		if where == "" {
			return notJSON(r.dialect, nil)
		}
		return coded(where, "invalid_type", "Invalid type for '%s': expected %s.", where, article(s.want))
	case r.model == "":
		return coded("", "", "you must provide a model parameter")
	case !r.listed:
		return coded(list, "missing_required_parameter", "Missing required parameter: '%s'.", list)
	case len(r.messages) == 0 && r.dialect == Chat:
		return coded(list, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", list)
	}
	return nil
}

func article(kind string) string {
	if strings.ContainsAny(kind[:1], "aeiou") {
		return "an " + kind
	}
	return "a " + kind
}

// thinks reports whether a model is one of those that refuse max_tokens.
func thinks(model string) bool {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5"} {
		if strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}

func chatManners(r *request, s *scanner) *Refusal {
	if refusal := openAIBasics(r, s, "messages"); refusal != nil {
		return refusal
	}
	if r.oldLimit && thinks(r.model) {
		return coded("max_tokens", "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	}
	var open []string // calls without an answer so far
	for i, m := range r.messages {
		if m.role == "" {
			return coded(fmt.Sprintf("messages[%d].role", i), "missing_required_parameter", "Missing required parameter: 'messages[%d].role'.", i)
		}
		if !slices.Contains([]role{system, user, assistant, results, "function"}, m.role) {
			return coded(fmt.Sprintf("messages[%d].role", i), "invalid_value",
				"Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.role)
		}
		if m.role == results {
			if !slices.Contains(open, m.results[0]) {
				return coded(fmt.Sprintf("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			open = without(open, m.results)
			continue
		}
		if len(open) > 0 {
			return unansweredChat(i, open)
		}
		if m.role == user && m.parts == 0 {
			return coded(fmt.Sprintf("messages.[%d].content", i), "", "Invalid value for 'content': expected a string, got null.")
		}
		open = slices.Clone(m.calls)
	}
	if len(open) > 0 {
		return unansweredChat(len(r.messages), open)
	}
	return nil
}

func unansweredChat(at int, ids []string) *Refusal {
	return coded(fmt.Sprintf("messages.[%d].role", at), "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}

func responsesManners(r *request, s *scanner) *Refusal {
	if refusal := openAIBasics(r, s, "input"); refusal != nil {
		return refusal
	}
	var called, answered []string
	for _, m := range r.messages {
		called = append(called, m.calls...)
		for _, id := range m.results {
			if !slices.Contains(called, id) && !r.continued {
				return coded("input", "", "No tool call found for function call output with call_id %s.", id)
			}
		}
		answered = append(answered, m.results...)
	}
	if missing := without(called, answered); len(missing) > 0 {
		return coded("input", "", "No tool output found for function call %s.", missing[0])
	}
	return nil
}
