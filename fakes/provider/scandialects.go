package provider

import (
	"github.com/go-json-experiment/json/jsontext"
)

// scan reads a request of a dialect. The error is about JSON; what else is wrong is the
// scanner's and the manners' business.
func scan(d Dialect, s *scanner) (*request, error) {
	r := &request{dialect: d, maxTokens: -1, messages: make([]message, 0, 2)}
	err := s.object(func(name []byte) error {
		switch string(name) {
		case "model":
			if err := s.text(&r.modelText); err != nil || r.modelText == nil {
				return err
			}
			r.model = string(plain(r.modelText))
			return nil
		case "stream":
			return s.bool(&r.stream)
		}
		switch d {
		case Anthropic:
			return anthropicField(r, s, name)
		case Chat:
			return chatField(r, s, name)
		default:
			return responsesField(r, s, name)
		}
	})
	if err == nil {
		err = s.end()
	}
	return r, err
}

func anthropicField(r *request, s *scanner, name []byte) error {
	switch string(name) {
	case "max_tokens":
		return s.integer(&r.maxTokens)
	case "temperature", "top_p", "top_k":
		if r.sampling == "" {
			r.sampling = string(name)
		}
		return s.skip()
	case "system":
		return contents(s, &r.system, nil)
	case "messages":
		r.listed = s.decoder.PeekKind() == '['
		return s.array(func() error {
			var m message
			err := s.object(func(name []byte) error {
				switch string(name) {
				case "role":
					return s.string((*string)(&m.role))
				case "content":
					return contents(s, &m.texts, &m)
				}
				return s.skip()
			})
			r.messages = append(r.messages, m)
			return err
		})
	case "tools":
		return s.array(func() error { return offer(r, s) })
	}
	return s.skip()
}

// contents reads a text or a list of blocks. A nil message has no calls and results.
func contents(s *scanner, texts *[]jsontext.Value, m *message) error {
	switch s.decoder.PeekKind() {
	case '"':
		v, err := s.value()
		*texts = append(*texts, v)
		if m != nil {
			m.parts++
		}
		return err
	case 'n':
		return s.skip()
	}
	return s.array(func() error {
		if m != nil {
			m.parts++
		}
		var kind, id, use string
		var text jsontext.Value
		cited := false
		err := s.object(func(name []byte) error {
			switch string(name) {
			case "type":
				return s.string(&kind)
			case "text":
				return s.text(&text)
			case "id":
				return s.string(&id)
			case "tool_use_id":
				return s.string(&use)
			case "citations":
				if s.decoder.PeekKind() != '[' { // a document says whether it may be cited
					return s.skip()
				}
				return s.array(func() error { cited = true; return s.skip() })
			}
			return s.skip()
		})
		switch {
		case kind == "tool_use" && m != nil:
			m.calls = append(m.calls, id)
		case kind == "tool_result" && m != nil:
			m.results = append(m.results, use)
		case kind == "document" && m != nil:
			m.document = true
		case text != nil: // text, input_text, output_text
			*texts = append(*texts, text)
		}
		if m != nil {
			m.cited = m.cited || cited
		}
		return err
	})
}

// offer reads a tool. Those of a namespace are in a list of their own.
func offer(r *request, s *scanner) error {
	var t tool
	var kind string
	first := len(r.tools)
	err := s.object(func(name []byte) error {
		switch string(name) {
		case "type":
			return s.string(&kind)
		case "name":
			return s.string(&t.name)
		case "tools":
			return s.array(func() error { return offer(r, s) })
		case "function": // chat
			return s.object(func(name []byte) error {
				if string(name) == "name" {
					return s.string(&t.name)
				}
				return s.skip()
			})
		}
		return s.skip()
	})
	if kind == "namespace" {
		for i := range r.tools[first:] {
			r.tools[first+i].namespace = t.name
		}
		return err
	}
	t.custom = kind == "custom" && r.dialect == Responses
	r.tools = append(r.tools, t)
	return err
}

func chatField(r *request, s *scanner, name []byte) error {
	switch string(name) {
	case "max_tokens":
		r.oldLimit = s.decoder.PeekKind() != 'n'
		return s.skip()
	case "stream_options":
		if s.decoder.PeekKind() == 'n' {
			return s.skip()
		}
		return s.object(func(name []byte) error {
			if string(name) == "include_usage" {
				return s.bool(&r.includeUsage)
			}
			return s.skip()
		})
	case "messages":
		r.listed = s.decoder.PeekKind() == '['
		return s.array(func() error { return chatMessageOf(r, s) })
	case "tools":
		return s.array(func() error { return offer(r, s) })
	}
	return s.skip()
}

func chatMessageOf(r *request, s *scanner) error {
	var m message
	var answers string
	err := s.object(func(name []byte) error {
		switch string(name) {
		case "role":
			return s.string((*string)(&m.role))
		case "content":
			return contents(s, &m.texts, &m)
		case "tool_call_id":
			return s.string(&answers)
		case "tool_calls":
			if s.decoder.PeekKind() == 'n' {
				return s.skip()
			}
			return s.array(func() error {
				var id string
				err := s.object(func(name []byte) error {
					if string(name) == "id" {
						return s.string(&id)
					}
					return s.skip()
				})
				m.calls = append(m.calls, id)
				return err
			})
		}
		return s.skip()
	})
	switch m.role {
	case "developer":
		m.role = system
	case results:
		m.results = append(m.results, answers)
	}
	r.messages = append(r.messages, m)
	return err
}

func responsesField(r *request, s *scanner, name []byte) error {
	switch string(name) {
	case "instructions":
		return contents(s, &r.system, nil)
	case "input":
		r.listed = true
		if s.decoder.PeekKind() == '"' {
			m := message{role: user}
			err := contents(s, &m.texts, &m)
			r.messages = append(r.messages, m)
			return err
		}
		return s.array(func() error { return responsesInput(r, s) })
	case "previous_response_id":
		r.continued = s.decoder.PeekKind() == '"'
		return s.skip()
	case "tools":
		return s.array(func() error { return offer(r, s) })
	}
	return s.skip()
}

func responsesInput(r *request, s *scanner) error {
	var m message
	var kind, call string
	err := s.object(func(name []byte) error {
		switch string(name) {
		case "type":
			return s.string(&kind)
		case "role":
			return s.string((*string)(&m.role))
		case "content":
			return contents(s, &m.texts, &m)
		case "call_id":
			return s.string(&call)
		}
		return s.skip()
	})
	switch kind {
	case "function_call", "custom_tool_call", "local_shell_call":
		m.role, m.calls = assistant, []string{call}
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		m.role, m.results = results, []string{call}
	case "reasoning":
		m = message{role: assistant}
	}
	if m.role == "developer" {
		m.role = system
	}
	r.messages = append(r.messages, m)
	return err
}
