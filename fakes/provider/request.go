package provider

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// request is what a client asked for, as far as rules and the provider's own manners
// look at it. Texts are left as they stand in the body until somebody asks.
type request struct {
	dialect      Dialect
	model        string
	modelText    jsontext.Value // as it stands in the body; nil is none
	stream       bool
	includeUsage bool   // chat: the stream shall tell what it cost
	maxTokens    int64  // anthropic; -1 is none
	strict       bool   // anthropic: the version refuses what is named below
	sampling     string // anthropic: the parameter of sampling that was given first
	oldLimit     bool   // chat: max_tokens, which newer models refuse
	system       []jsontext.Value
	messages     []message
	listed       bool // there are messages, or an input
	continued    bool // responses: the conversation so far is said to be the provider's
	tools        []tool
}

// role is who says a message.
type role string

const (
	user      role = "user"
	assistant role = "assistant"
	system    role = "system" // or developer
	results   role = "tool"   // what came of calls
)

// message is one message of the conversation; in the dialect of Responses, one item.
type message struct {
	role    role
	texts   []jsontext.Value // JSON strings
	calls   []string         // ids
	results []string         // ids of the calls that are answered
	parts   int              // of the content, pictures and the like too
	// document and cited: there is a document in it, or a text with citations.
	document, cited bool
}

// tool is a tool that the client offers.
type tool struct {
	name      string
	custom    bool   // it takes text
	namespace string // that it is in
}

// tool finds a tool by its name. One that was not offered is a plain one.
func (r *request) tool(name string) tool {
	for _, t := range r.tools {
		if t.name == name {
			return t
		}
	}
	return tool{name: name}
}

// form is what the form of an answer depends on: requests of one form get the same
// events, holes apart.
func (r *request) form() form {
	f := form{dialect: r.dialect, stream: r.stream, includeUsage: r.includeUsage}
	if r.dialect == Responses {
		var special strings.Builder
		for _, t := range r.tools {
			if t.custom || t.namespace != "" {
				special.WriteString(t.name + "\x00" + t.namespace + "\x00")
				if t.custom {
					special.WriteByte('c')
				}
			}
		}
		f.tools = special.String()
	}
	return f
}

type form struct {
	dialect              Dialect
	stream, includeUsage bool
	tools                string
}

// turn is the number of the answer that is asked for: one more than there are answers
// in the conversation. What an assistant says in a row is one answer.
func (r *request) turn() int {
	turns, before := 1, role("")
	for _, m := range r.messages {
		if m.role == system {
			continue
		}
		if m.role == assistant && before != assistant {
			turns++
		}
		before = m.role
	}
	return turns
}

// fresh are the ids of the results that came with this request, after the last answer.
func (r *request) fresh() []string {
	var ids []string
	for _, m := range slices.Backward(r.messages) {
		if m.role == assistant {
			break
		}
		ids = append(ids, m.results...)
	}
	return ids
}

// text is what the user said last: the last run of messages of a user that has text.
func (r *request) text() []byte {
	end, start := 0, 0
	for i, m := range slices.Backward(r.messages) {
		if m.role == user && len(m.texts) > 0 {
			if end == 0 {
				end = i + 1
			}
			start = i
		} else if end > 0 && m.role != system {
			break
		}
	}
	if end == start+1 && len(r.messages[start].texts) == 1 {
		return plain(r.messages[start].texts[0])
	}
	var texts []jsontext.Value
	for _, m := range r.messages[start:end] {
		if m.role == user {
			texts = append(texts, m.texts...)
		}
	}
	return joined(texts)
}

func (r *request) systemText() []byte {
	texts := slices.Clone(r.system)
	for _, m := range r.messages {
		if m.role == system {
			texts = append(texts, m.texts...)
		}
	}
	return joined(texts)
}

// joined decodes JSON strings and joins them, a line each.
func joined(texts []jsontext.Value) []byte {
	if len(texts) == 1 {
		return plain(texts[0])
	}
	var all []byte
	for i, t := range texts {
		if i > 0 {
			all = append(all, '\n')
		}
		all = append(all, plain(t)...)
	}
	return all
}

// plain decodes a JSON string. One without escapes is a part of the body.
func plain(v jsontext.Value) []byte {
	if len(v) >= 2 && bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, v) // it was read, so it is a string
	return text
}
