package remote

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// recorded is one call that reached the subject's own fake, in that fake's words.
type recorded struct {
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`

	texts []string // every string and every key in Params
}

// readCalls reads what harness/calls answers with. What is no call is passed over.
func readCalls(raw jsontext.Value) []recorded {
	list, _ := listOf(raw)
	var all []recorded
	for _, v := range list {
		m, _ := membersOf(v)
		c := recorded{Method: textOf(m["method"]), Params: m["params"]}
		c.texts = textsIn(nil, c.Params)
		all = append(all, c)
	}
	return all
}

// textsIn appends every string and every key in a raw value.
func textsIn(to []string, v jsontext.Value) []string {
	switch v.Kind() {
	case '"':
		return append(to, textOf(v))
	case '[':
		list, _ := listOf(v)
		for _, x := range list {
			to = textsIn(to, x)
		}
	case '{':
		m := map[string]jsontext.Value{}
		_ = json.Unmarshal(v, &m, lax()[0], lax()[1])
		for _, k := range sortedKeys(m) {
			to = textsIn(append(to, k), m[k])
		}
	}
	return to
}

func sortedKeys(m map[string]jsontext.Value) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// words lists what is in a method's name, in lower case and without what parts its
// words.
func squeezed(method string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(method) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// methodOf sorts a fake's own name for a call into the closed set.
func (c recorded) methodOf() fakes.Method {
	name := squeezed(c.Method)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
	}
	m, _ := membersOf(c.Params)
	_, model := m["model"]
	switch {
	case has("abort", "cancel", "interrupt", "stop", "kill", "signal", "terminate"):
		return fakes.MethodCancel
	case has("setmodel"), model && has("patch", "model"):
		return fakes.MethodSetModel
	case has("filesset", "context", "write"):
		return fakes.MethodContext
	case has("approv", "answer", "permission"):
		return fakes.MethodAnswer
	case name == "breach":
		return fakes.MethodBreach
	case name == "inputend":
		return fakes.MethodInputEnd
	}
	return fakes.MethodInput
}

// holds reports whether one of the strings holds the text.
func (c recorded) holds(text string) bool {
	return text != "" && slices.ContainsFunc(c.texts, func(s string) bool { return strings.Contains(s, text) })
}

// is reports whether one of the strings is the text.
func (c recorded) is(text string) bool { return text != "" && slices.Contains(c.texts, text) }

// longest is the longest string that holds the text, or the longest one.
func (c recorded) longest(text string) string {
	best, holds := "", false
	for _, s := range c.texts {
		h := text != "" && strings.Contains(s, text)
		if h && !holds || h == holds && len(s) > len(best) {
			best, holds = s, h
		}
	}
	return best
}

// field is a string under one of the names, at the top of the parameters.
func (c recorded) field(names ...string) string {
	m, _ := membersOf(c.Params)
	for _, n := range names {
		if s, ok := stringOf(m[n]); ok {
			return s
		}
	}
	return ""
}

// allows reads a yes out of an answer: a boolean, or a word.
func (c recorded) allows() bool {
	m, _ := membersOf(c.Params)
	for _, k := range sortedKeys(m) {
		if kind := m[k].Kind(); kind == 't' || kind == 'f' {
			return kind == 't'
		}
	}
	return slices.ContainsFunc(c.texts, func(s string) bool {
		return slices.Contains([]string{"allow", "allowed", "approve", "approved", "accept", "accepted", "yes", "granted"}, strings.ToLower(s))
	})
}
