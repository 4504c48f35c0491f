package supervise

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Nothing is taken that the suite itself could not have said.
func TestLedgerRefuses(t *testing.T) {
	start := `{"started":"` + one + `"}`
	pass := `{"outcome":{"id":"` + one + `","state":"passed","tookNs":1}}`
	outcome := func(rest string) string { return `{"outcome":{"id":"` + one + `",` + rest + `,"tookNs":1}}` }
	tests := []struct {
		name  string
		lines []string
		ok    bool
	}{
		{"right", []string{start, pass}, true},
		{"failed with a declared code", []string{start, outcome(`"state":"failed","codes":["identity-hung"]`)}, true},
		{"unobserved", []string{start, outcome(`"state":"unobserved","missing":["deltas"]`)}, true},
		{"not built", []string{start, outcome(`"state":"inconclusive","fault":"no such program"`)}, true},
		{"budget", []string{`{"cut":"budget"}`}, true},
		{"empty line", []string{``}, false},
		{"empty object", []string{`{}`}, false},
		{"two things", []string{`{"started":"` + one + `","finished":true}`}, false},
		{"unknown member", []string{`{"started":"` + one + `","x":1}`}, false},
		{"twice the same member", []string{`{"started":"` + one + `","started":"` + one + `"}`}, false},
		{"unknown check", []string{`{"started":"executor.identity.canary"}`}, false},
		{"check that was not selected", []string{`{"started":"executor.health.answers"}`}, false},
		{"outcome without a start", []string{pass}, false},
		{"outcome of another", []string{`{"started":"` + two + `"}`, pass}, false},
		{"two starts", []string{start, start}, false},
		{"start again", []string{start, pass, start}, false},
		{"two outcomes", []string{start, pass, pass}, false},
		{"unknown state", []string{start, outcome(`"state":"fine"`)}, false},
		{"state of a baseline", []string{start, outcome(`"state":"known"`)}, false},
		{"failed without a code", []string{start, outcome(`"state":"failed"`)}, false},
		{"passed with a code", []string{start, outcome(`"state":"passed","codes":["identity-hung"]`)}, false},
		{"undeclared code", []string{start, outcome(`"state":"failed","codes":["canary"]`)}, false},
		{"unobserved for nothing", []string{start, outcome(`"state":"unobserved"`)}, false},
		{"feature with content", []string{start, outcome(`"state":"unobserved","missing":["sk live"]`)}, false},
		{"count with content", []string{start, outcome(`"state":"passed","counts":{"a b":1}`)}, false},
		{"negative count", []string{start, outcome(`"state":"passed","counts":{"held":-1}`)}, false},
		{"another cut", []string{`{"cut":"interrupted"}`}, false},
		{"cut in a check", []string{start, `{"cut":"budget"}`}, false},
		{"start after the cut", []string{`{"cut":"budget"}`, start}, false},
		{"end in a check", []string{start, `{"finished":true}`}, false},
		{"end too early", []string{start, pass, `{"finished":true}`}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checks, err := selection(identity(t))
			if err != nil {
				t.Fatal(err)
			}
			book := newLedger(checks, false)
			for i, line := range tt.lines {
				m, err := decode([]byte(line))
				if err == nil {
					err = book.take(m)
				}
				last := i == len(tt.lines)-1
				if want := tt.ok || !last; (err == nil) != want {
					t.Errorf("line %d %s: error %v", i, line, err)
				}
			}
			if _, cut := book.close(report.CutWorkerDied); cut == nil {
				t.Error("a run that did not finish is not cut")
			}
		})
	}
}
