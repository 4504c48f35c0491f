package rawmutants

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// lie changes an answer.
type lie func(a answer)

// rewriting is a subject that tells the lies.
func rewriting(lies ...lie) behaviour {
	return behaviour{says: func(a answer) []string {
		for _, l := range lies {
			l(a)
		}
		return []string{a.text(a.id)}
	}}
}

// The values that JSON cannot carry, as the protocol has them.
const (
	promise   = `{"$adaptercheck":"promise"}`
	undefined = `{"$adaptercheck":"undefined"}`
	nan       = `{"$adaptercheck":"nan"}`
	function  = `{"$adaptercheck":"function"}`
	throws    = `{"$adaptercheck":"throws"}`
)

// missing stands for a member that is left out.
const missing = ""

// in answers a method with another value at the place: members, parted by dots. Empty
// JSON leaves the last of them out.
func in(method, place, json string) lie {
	return func(a answer) {
		if a.method == method {
			put(a.result, place, json)
		}
	}
}

// event changes the events of a kind in the same way.
func event(kind, place, json string) lie {
	return func(a answer) {
		e, _ := a.result["event"].(map[string]any)
		if a.method == "stream/next" && e["kind"] == kind {
			put(e, place, json)
		}
	}
}

// instead gives another value in the place of each event of a kind.
func instead(kind, json string) lie {
	return func(a answer) {
		if e, _ := a.result["event"].(map[string]any); a.method == "stream/next" && e["kind"] == kind {
			a.result["event"] = jsontext.Value(json)
		}
	}
}

// put changes an object at a place.
func put(object map[string]any, place, json string) {
	member, rest, deeper := strings.Cut(place, ".")
	if deeper {
		if inner, ok := object[member].(map[string]any); ok {
			put(inner, rest, json)
		}
		return
	}
	if json == missing {
		delete(object, member)
		return
	}
	object[member] = jsontext.Value(json)
}

// unknownKeys adds to every object what nobody knows, which is right.
func unknownKeys(a answer) {
	for _, v := range a.result {
		if object, ok := v.(map[string]any); ok {
			object["x-future"] = []any{1.0, "two"}
		}
	}
	a.result["x-future"] = map[string]any{"depth": 1.0}
}

// each changes every element of the list at a place in the same way.
func each(method, list, place, json string) lie {
	return func(a answer) {
		if a.method != method {
			return
		}
		for _, v := range listAt(a.result, list) {
			if object, ok := v.(map[string]any); ok {
				put(object, place, json)
			}
		}
	}
}

// listAt is the list at a place, or none.
func listAt(object map[string]any, place string) []any {
	member, rest, deeper := strings.Cut(place, ".")
	if deeper {
		inner, _ := object[member].(map[string]any)
		return listAt(inner, rest)
	}
	list, _ := object[member].([]any)
	return list
}
