package fidelity_test

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
)

// The comparison can fail.
func TestDifferFindsDifferences(t *testing.T) {
	lines := func(s ...string) (out [][]byte) {
		for _, l := range s {
			out = append(out, []byte(l))
		}
		return out
	}
	for _, c := range []struct {
		name      string
		want, got [][]byte
		known     map[string]string
		same      bool
	}{
		{"same", lines(`{"a":"<X_1>","b":1}`, `{"a":"<X_1>"}`), lines(`{"b":1,"a":"q"}`, `{"a":"q"}`), nil, true},
		{"two values", lines(`{"a":"<X_1>"}`, `{"a":"<X_1>"}`), lines(`{"a":"q"}`, `{"a":"r"}`), nil, false},
		{"one value for two", lines(`{"a":"<X_1>"}`, `{"a":"<X_2>"}`), lines(`{"a":"q"}`, `{"a":"q"}`), nil, false},
		{"within a text", lines(`{"a":"<CWD>/<X_1>.txt"}`), lines(`{"a":"/tmp/q.txt"}`), nil, true},
		{"known", lines(`{"a":"<CWD>/f"}`), lines(`{"a":"/tmp/f"}`), map[string]string{"<CWD>": "/tmp"}, true},
		{"known otherwise", lines(`{"a":"<CWD>/f"}`), lines(`{"a":"/tmp/f"}`), map[string]string{"<CWD>": "/var"}, false},
		{"taken", lines(`{"a":"<X_1>"}`), lines(`{"a":"/tmp"}`), map[string]string{"<CWD>": "/tmp"}, false},
		{"times", lines(`["<TS>","<TS>"]`), lines(`["1","2"]`), nil, true},
		{"cut texts", lines(`["<TRIMMED 7 chars>","<TRIMMED 7 chars>"]`), lines(`["1","2"]`), nil, true},
		{"null and absent", lines(`{"a":null}`), lines(`{}`), nil, false},
		{"fewer", lines(`1`, `2`), lines(`1`), nil, false},
		{"no JSON", lines(`plain`), lines(`plain`), nil, true},
		{"other text", lines(`plain`), lines(`other`), nil, false},
		{"torn", lines(`{"a":1}`), lines(`{"a":`), nil, false},
	} {
		if problem := fidelity.Differ(c.want, c.got, c.known); (problem == "") != c.same {
			t.Errorf("%s: %q", c.name, problem)
		}
	}
}
