package historytest

// probe is a payload that holds things which must not be sent to a remote
// provider, beside others which may be.
type probe struct {
	Payload map[string]any
	// Private is what must not leave.
	Private []string
	// Public is what does no harm.
	Public []string
}

// harmless is a payload that any policy lets through as it is.
func (t *T) harmless() probe {
	a, b := t.word(), t.word()
	return probe{
		Payload: map[string]any{
			"model": t.Fixture.Model.ID,
			"messages": []any{
				map[string]any{"role": "user", "content": "Tell me about " + a + " please."},
				map[string]any{"role": "assistant", "content": "It is like " + b + "."},
			},
			"temperature": 0.5, "stream": false, "stop": nil,
		},
		Public: []string{a, b},
	}
}

// span is a text with a private part, and what must not leave of it.
func (t *T) span() (text string, private []string) {
	hidden, s := t.word(), t.secret()
	return "Before [ds4:local-only]" + hidden + "[/ds4:local-only] after, key " + s.text + " end.", append([]string{hidden}, s.parts...)
}

// private is the harmless payload with one message that holds a private span and
// a credential.
func (t *T) private() probe {
	p := t.harmless()
	text, hidden := t.span()
	p.Payload["messages"] = append(p.Payload["messages"].([]any), map[string]any{"role": "user", "content": text})
	p.Private = hidden
	return p
}

// copyOf copies maps and lists; everything else is a value.
func copyOf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[k] = copyOf(x)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, x := range v {
			l[i] = copyOf(x)
		}
		return l
	default:
		return v
	}
}
