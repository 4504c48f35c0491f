package supervise

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/hosttest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// A worker is told where a host is, and needs to know no subject by name.
func TestJobOfAHost(t *testing.T) {
	job := Job{Subject: "host", Profile: report.Host, Host: &hosttest.At{URL: "http://127.0.0.1:1", Vault: []string{"v"}}}
	line, err := encode(order{Job: job})
	if err != nil {
		t.Fatal(err)
	}
	back, err := decodeOrder(line)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(job, back.Job); d != "" {
		t.Errorf("job (-sent +read):\n%s", d)
	}
	if s, known := (Worker{}).subject(back.Job); !known || s.Name != "host" || !s.Offers.Has(fakes.Vault) || !s.Implements(report.Host) {
		t.Errorf("%t, %+v", known, s)
	}
	for name, spoil := range map[string]func(*Job){
		"another profile": func(j *Job) { j.Profile = report.Executor },
		"a process too":   func(j *Job) { j.Process = &Process{Command: []string{"x"}} },
	} {
		j := job
		spoil(&j)
		if err := j.validate(); err == nil {
			t.Errorf("%s: valid", name)
		}
	}
}
