package supervise

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Job is one subject under one profile. Subject and Profile are required.
type Job struct {
	// Subject by the name under which [Worker.Find] knows it.
	Subject string         `json:"subject"`
	Profile report.Profile `json:"profile"`
	// RuntimeVersion is the version of the runtime that the subject's fake plays;
	// empty is the fake's newest.
	RuntimeVersion string `json:"runtimeVersion,omitzero"`
	// Seed of everything random.
	Seed uint64 `json:"seed"`
	// Selection narrows the checks.
	Selection conformance.Selection `json:"selection"`
	// TimeoutScale multiplies every budget; 0 means 1.
	TimeoutScale float64 `json:"timeoutScale,omitzero"`
	// Verbose has the worker send what the matchers said, which quotes the
	// conversation.
	Verbose bool `json:"verbose,omitzero"`
}

// order is the one line that a worker reads: the job, and where it runs.
type order struct {
	Job
	// Dir is the worker's own directory for temporary files. The parent removes it;
	// a worker whose parent is gone does.
	Dir string `json:"dir,omitzero"`
}

func (j Job) validate() error {
	switch {
	case j.Subject == "":
		return errors.New("job: no subject")
	case conformance.Checks(j.Profile) == nil:
		return fmt.Errorf("job for %s: profile %q has no checks", j.Subject, j.Profile)
	case math.IsNaN(j.TimeoutScale) || j.TimeoutScale < 0 || j.TimeoutScale > MaxTimeoutScale:
		return fmt.Errorf("job for %s: timeout scale %v is not between 0 and %d", j.Subject, j.TimeoutScale, MaxTimeoutScale)
	}
	return nil
}

// MaxTimeoutScale bounds [Job.TimeoutScale]: with it a run may take most of a day.
const MaxTimeoutScale = 1000

// budgets of the job, for a subject whose runtime is a process or not.
func (j Job) budgets(process bool) check.Budgets {
	b := check.DefaultBudgets(process)
	if j.TimeoutScale != 0 {
		b = b.Scale(j.TimeoutScale)
	}
	return b
}

// patience is how long a worker may say nothing: the longest check with its
// cleanups, twice over, and the grace. A worker that is alive says something within
// each check.
func (j Job) patience(grace time.Duration) time.Duration {
	b := j.budgets(true)
	return 2*b.Check + 5*b.Call + grace
}

// limit is how long a worker may live: it begins no check after its run budget.
func (j Job) limit(grace time.Duration) time.Duration {
	return j.budgets(true).Run + j.patience(grace)
}
