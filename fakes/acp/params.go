package acp

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// params are the parameters of a request, read one by one. Wrong says of each member what
// is wrong with it, in the words of the agents' own reader.
type params struct {
	members map[string]jsontext.Value
	wrong   object
}

func readParams(v jsontext.Value) *params {
	p := &params{wrong: object{}}
	_ = json.Unmarshal(v, &p.members, jsontext.AllowDuplicateNames(true)) // what is no object has no members
	return p
}

// bad notes that a member is not what was expected.
func (p *params) bad(name, expected string) {
	kind := map[jsontext.Kind]string{0: "undefined", 'n': "null", '"': "string", '0': "number", 't': "boolean", 'f': "boolean", '{': "object", '[': "array"}
	p.wrong[name] = object{"_errors": []string{"Invalid input: expected " + expected + ", received " + kind[p.members[name].Kind()]}}
}

// must is a text that may not be missing.
func (p *params) must(name string) string {
	var s string
	if v := p.members[name]; v.Kind() != '"' || json.Unmarshal(v, &s) != nil {
		p.bad(name, "string")
	}
	return s
}

// list is an array that may not be missing.
func (p *params) list(name string) []jsontext.Value {
	var all []jsontext.Value
	if v := p.members[name]; v.Kind() != '[' || json.Unmarshal(v, &all) != nil {
		p.bad(name, "array")
	}
	return all
}

// ok reports whether everything that was read is right. If not, the request is refused.
func (r *renderer) ok(id jsontext.Value, p *params) (bool, error) {
	if len(p.wrong) == 0 {
		return true, nil
	}
	r.breach(BreachParams)
	p.wrong["_errors"] = []string{}
	return false, r.deny(id, codeParams, "Invalid params", p.wrong)
}

// textOf is the text of a prompt.
func textOf(blocks []jsontext.Value) string {
	var texts []string
	for _, b := range blocks {
		var t textBlock
		if json.Unmarshal(b, &t) == nil && t.Type == "text" {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}
