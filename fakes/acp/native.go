package acp

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// requestMethods are what an agent asks of its client.
var requestMethods = map[string]bool{
	"session/request_permission": true, "fs/read_text_file": true, "fs/write_text_file": true, "terminal/create": true, "terminal/output": true,
	"terminal/wait_for_exit": true, "terminal/kill": true, "terminal/release": true, "elicitation/create": true,
}

// Native says a request, a notification or an update of that name.
func (r *renderer) Native(f fakes.Native) error {
	fields := strings.TrimSpace(f.Fields)
	if fields == "" {
		fields = "{}"
	}
	v := jsontext.Value(fields)
	if v.Kind() != '{' || v.Compact() != nil {
		return unplayable("fields that make no JSON object")
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	switch {
	case requestMethods[f.Type]:
		q := &question{id: r.nextID(), turn: t, plain: true}
		q.name = string(q.id)
		r.asked = append(r.asked, q)
		return r.say(agentRequest{version2, q.id, f.Type, with(v, "sessionId", t.of.id)})
	case strings.Contains(f.Type, "/"), strings.HasPrefix(f.Type, "_"):
		return r.tell(f.Type, v)
	}
	r.settle(t)
	if f.Type == "usage_update" {
		var u struct {
			Used int64 `json:"used"`
		}
		if json.Unmarshal(v, &u) == nil {
			t.of.record.Used, t.told = u.Used, true
		}
	}
	return r.update(t.of, with(v, "sessionUpdate", f.Type))
}

// with puts a member first in an object that lacks it.
func with(v jsontext.Value, name, value string) jsontext.Value {
	if _, has := readParams(v).members[name]; has {
		return v
	}
	text, _ := jsontext.AppendQuote(nil, value) // names are UTF-8
	head := `{"` + name + `":` + string(text)
	if len(v) > 2 {
		head += ","
	}
	return jsontext.Value(head + string(v[1:]))
}
