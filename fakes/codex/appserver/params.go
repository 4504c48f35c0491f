package appserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
)

// params are the parameters of a request, read one by one. The first mistake stands.
type params struct {
	members map[string]jsontext.Value
	wrong   string // in the words of the server; empty is nothing
}

func readParams(v jsontext.Value) *params {
	p := &params{}
	if len(v) > 0 && v.Kind() != '{' {
		p.fail("invalid type: %s, expected struct", describe(v))
		return p
	}
	_ = json.Unmarshal(v, &p.members, jsontext.AllowDuplicateNames(true)) // it is an object, or nothing
	return p
}

// fail notes a mistake.
func (p *params) fail(why string, args ...any) {
	if p.wrong == "" {
		p.wrong = fmt.Sprintf(why, args...)
	}
}

// text is a text that may be missing or null.
func (p *params) text(name string) string {
	v := p.members[name]
	if len(v) == 0 || v.Kind() == 'n' {
		return ""
	}
	var s string
	if v.Kind() != '"' || json.Unmarshal(v, &s) != nil {
		p.fail("invalid type: %s, expected a string", describe(v))
	}
	return s
}

// must is a text that may not be missing.
func (p *params) must(name string) string {
	v, has := p.members[name]
	switch {
	case !has:
		p.fail("missing field `%s`", name)
	case v.Kind() == 'n':
		p.fail("invalid type: null, expected a string")
	}
	return p.text(name)
}

// flag is a truth value that may be missing or null.
func (p *params) flag(name string) bool {
	v := p.members[name]
	if len(v) == 0 || v.Kind() == 'n' {
		return false
	}
	if v.Kind() != 't' && v.Kind() != 'f' {
		p.fail("invalid type: %s, expected a boolean", describe(v))
	}
	return v.Kind() == 't'
}

// word is one of a closed set of words, which may be missing.
func (p *params) word(name string, words ...string) string {
	s := p.text(name)
	if p.wrong == "" && s != "" && !slices.Contains(words, s) {
		p.fail("unknown variant `%s`, expected %s", s, oneOf(words))
	}
	return s
}

func oneOf(words []string) string { return "one of `" + strings.Join(words, "`, `") + "`" }

// object reads what the parameters hold into a struct of optional members.
func (p *params) object(name string, into any) {
	v, has := p.members[name]
	switch {
	case !has:
		p.fail("missing field `%s`", name)
	case v.Kind() != '{':
		p.fail("invalid type: %s, expected struct", describe(v))
	case json.Unmarshal(v, into, jsontext.AllowDuplicateNames(true)) != nil:
		p.fail("invalid %s", name)
	}
}

// userInput is one piece of a message, as it came.
type userInput struct {
	raw  jsontext.Value
	text string
}

// input is the message that a turn is about.
func (p *params) input() []userInput {
	v, has := p.members["input"]
	var pieces []jsontext.Value
	switch {
	case !has:
		p.fail("missing field `input`")
	case v.Kind() != '[' || json.Unmarshal(v, &pieces) != nil:
		p.fail("invalid type: %s, expected a sequence", describe(v))
	}
	var all []userInput
	for _, piece := range pieces {
		x := readParams(piece)
		kind := x.word("type", "text", "image", "localImage", "skill", "mention")
		if x.wrong == "" && kind == "" {
			x.fail("missing field `type`")
		}
		in := userInput{raw: piece}
		if kind == "text" {
			in.text = x.must("text")
			in.raw = textInput(in.text, x.members["text_elements"])
		}
		if x.wrong != "" {
			p.fail("%s", x.wrong)
			return nil
		}
		all = append(all, in)
	}
	return all
}

// textInput is a text as items repeat it.
func textInput(text string, elements jsontext.Value) jsontext.Value {
	if len(elements) == 0 || elements.Kind() != '[' {
		elements = jsontext.Value("[]")
	}
	v, _ := json.Marshal(struct { // a string has a JSON text
		Type     string         `json:"type"`
		Text     string         `json:"text"`
		Elements jsontext.Value `json:"text_elements"`
	}{"text", text, elements}, jsontext.AllowInvalidUTF8(true))
	return v
}

// textOf is the text of a message.
func textOf(in []userInput) string {
	var texts []string
	for _, x := range in {
		if x.text != "" {
			texts = append(texts, x.text)
		}
	}
	return strings.Join(texts, "\n")
}

// describe names a JSON value as the server does.
func describe(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return "string " + string(v)
	case '0':
		if strings.ContainsAny(string(v), ".eE") {
			return "floating point `" + string(v) + "`"
		}
		return "integer `" + string(v) + "`"
	case 't', 'f':
		return "boolean `" + string(v) + "`"
	case '{':
		return "map"
	case '[':
		return "sequence"
	}
	return "null"
}

// threadID checks an id as the server does, which takes more than one way to write a
// UUID; the fake takes the one that it writes.
func threadID(id string) error {
	if thread.IsUUID(id) {
		return nil
	}
	for i, c := range id {
		if !strings.ContainsRune("0123456789abcdefABCDEF-", c) {
			return fmt.Errorf("invalid thread id: invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `%c` at %d", c, i+1)
		}
	}
	return fmt.Errorf("invalid thread id: invalid length: expected length 32 for simple format, found %d", len(id))
}
