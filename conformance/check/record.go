package check

import (
	"slices"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// record is what one execution found. After seal nothing more lands in it.
type record struct {
	mu      sync.Mutex
	sealed  bool
	codes   []Code
	counts  map[string]int
	missing []Feature
	details []string
	fault   error // why the subject could not be built
	late    bool  // something that was waited for did not come
}

func (r *record) note(code Code) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sealed && !slices.Contains(r.codes, code) {
		r.codes = append(r.codes, code)
	}
}

func (r *record) count(name string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sealed {
		return
	}
	if r.counts == nil {
		r.counts = map[string]int{}
	}
	r.counts[name] += n
}

func (r *record) lack(f Feature) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sealed && !slices.Contains(r.missing, f) {
		r.missing = append(r.missing, f)
	}
}

func (r *record) detail(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sealed {
		r.details = append(r.details, s)
	}
}

func (r *record) tooLate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late = true
}

func (r *record) cannot(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sealed && r.fault == nil {
		r.fault = err
	}
}

// seal closes the record and makes the outcome of it.
func (r *record) seal(c Check) Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sealed = true
	o := Outcome{ID: c.ID, State: report.Passed, Codes: r.codes, Missing: r.missing, Counts: r.counts, Details: r.details, Fault: r.fault, late: r.late}
	slices.Sort(o.Codes)
	slices.Sort(o.Missing)
	switch {
	case len(o.Codes) > 0:
		o.State = report.Failed
	case o.Fault != nil:
		o.State = report.InconclusiveCheck
	case len(o.Missing) > 0:
		o.State = report.Unobserved
	}
	return o
}
