package appserver

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// requestMethods are what a server asks of its client.
var requestMethods = map[string]bool{
	"item/commandExecution/requestApproval": true, "item/fileChange/requestApproval": true, "item/permissions/requestApproval": true,
	"item/tool/requestUserInput": true, "item/tool/call": true, "mcpServer/elicitation/request": true,
	"account/chatgptAuthTokens/refresh": true, "applyPatchApproval": true, "execCommandApproval": true,
}

// Native says a notification of that method, or a request where it is one; the fields
// are the parameters. What is of an item or a turn names both, unless the fields do.
func (r *renderer) Native(f fakes.Native) error {
	fields := strings.TrimSpace(f.Fields)
	if fields == "" {
		fields = "{}"
	}
	v := jsontext.Value(fields)
	if v.Kind() != '{' || !v.IsValid() {
		return unplayable("fields that make no JSON object")
	}
	if err := v.Compact(); err != nil {
		return unplayable("fields that make no JSON object")
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	if strings.HasPrefix(f.Type, "item/") || strings.HasPrefix(f.Type, "turn/") {
		v = with(v, "turnId", t.id)
		v = with(v, "threadId", t.of.id)
	}
	if !requestMethods[f.Type] {
		return r.tell(f.Type, v)
	}
	q := &question{id: r.nextID(), turn: t, plain: true}
	q.name = string(q.id)
	r.asked = append(r.asked, q)
	return r.ask(f.Type, q.id, v)
}

// with puts a member first in an object that lacks it.
func with(v jsontext.Value, name, value string) jsontext.Value {
	if _, has := readParams(v).members[name]; has {
		return v
	}
	text, _ := jsontext.AppendQuote(nil, value) // ids are UTF-8
	head := `{"` + name + `":` + string(text)
	if len(v) > 2 {
		head += ","
	}
	return jsontext.Value(head + string(v[1:]))
}
