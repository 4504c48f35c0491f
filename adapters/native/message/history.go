package message

import (
	"slices"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unanswered is what a call is answered whose run ended before its tool did. Providers
// refuse a history with a call that has no result.
const Unanswered = "the run ended before the tool did"

// Closed returns the history with every call answered by the message that follows it, as
// providers ask for, and no result without its call. The messages given are not changed.
func Closed(all []Message) []Message {
	out := make([]Message, 0, len(all)+1)
	var open []string
	for _, m := range all {
		if len(open) > 0 && m.Role == Assistant {
			out, open = append(out, unanswered(open)), nil
		}
		if m.Role == Assistant {
			open = calls(m)
		} else {
			m, open = answering(m, open), nil
		}
		if len(m.Content) > 0 {
			out = append(out, m)
		}
	}
	if len(open) > 0 {
		out = append(out, unanswered(open))
	}
	return out
}

func unanswered(ids []string) Message {
	m := Message{Role: User}
	for _, id := range ids {
		m.Content = append(m.Content, Result(id, Unanswered, true))
	}
	return m
}

func calls(m Message) []string {
	var ids []string
	for _, p := range m.Content {
		if p.Kind == KindCall {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// answering is the user's message with results for exactly the open calls, before all
// else.
func answering(m Message, open []string) Message {
	if len(open) == 0 && !slices.ContainsFunc(m.Content, func(p Part) bool { return p.Kind == KindResult }) {
		return m
	}
	var rest []Part
	results := map[string]Part{}
	for _, p := range m.Content {
		if p.Kind != KindResult {
			rest = append(rest, p)
		} else if _, twice := results[p.ID]; !twice {
			results[p.ID] = p
		}
	}
	out := Message{Role: User}
	for _, id := range open {
		r, has := results[id]
		if !has {
			r = Result(id, Unanswered, true)
		}
		out.Content = append(out.Content, r)
	}
	out.Content = append(out.Content, rest...)
	return out
}

// MaxHistory bounds the history that a run goes on with, in UTF-16 code units of the JSON
// text of its messages' contents.
const MaxHistory = 240_000

// Bound drops whole groups from the front until the history fits. A group begins at a
// message of the user whose first part is text. The last group is always kept.
func Bound(all []Message, limit int) []Message {
	var starts []int
	for i, m := range all {
		if m.Role == User && len(m.Content) > 0 && m.Content[0].Kind == KindText {
			starts = append(starts, i)
		}
	}
	if len(starts) <= 1 {
		return all
	}
	size := 0
	sizes := make([]int, len(all))
	for i, m := range all {
		sizes[i] = units(m)
		size += sizes[i]
	}
	from := 0
	for _, next := range starts {
		if size <= limit {
			break
		}
		for ; from < next; from++ {
			size -= sizes[from]
		}
	}
	return all[from:]
}

// units is how long the JSON text of the content is in UTF-16 code units.
func units(m Message) int {
	text, err := json.Marshal(m.Content, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return 0 // a part of no known type goes to no provider
	}
	n := 0
	for _, r := range string(text) {
		n += utf16.RuneLen(r)
	}
	return n
}
