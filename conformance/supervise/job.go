package supervise

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/hosttest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Job is one subject under one profile. Subject and Profile are required.
type Job struct {
	// Subject by the name under which [Worker.Find] knows it, or by any name if it has
	// a Process or is a Host.
	Subject string         `json:"subject"`
	Profile report.Profile `json:"profile"`
	// Process says how to start a subject that is a process; nil is one that is linked
	// in.
	Process *Process `json:"process,omitzero"`
	// Host says where a host is that somebody started; nil is none.
	Host *hosttest.At `json:"host,omitzero"`
	// RuntimeVersion is the version of the runtime that the subject's fake plays;
	// empty is the fake's newest.
	RuntimeVersion string `json:"runtimeVersion,omitzero"`
	// Seed of everything random.
	Seed uint64 `json:"seed"`
	// Selection narrows the checks.
	Selection conformance.Selection `json:"selection"`
	// Budgets in the place of defaults; a zero field is the default.
	Budgets check.Budgets `json:"budgets,omitzero"`
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

// durations cross as numbers of nanoseconds.
var durations = jsonv1.FormatDurationAsNano(true)

// encode writes the line.
func encode(o order) ([]byte, error) {
	line, err := json.Marshal(o, durations)
	return append(line, '\n'), err
}

// decodeOrder reads it.
func decodeOrder(line []byte) (order, error) {
	var o order
	if err := json.Unmarshal(line, &o, json.RejectUnknownMembers(true), durations); err != nil {
		return order{}, fmt.Errorf("read the job: %w", err)
	}
	return o, o.validate()
}

func (j Job) validate() error {
	switch {
	case j.Subject == "":
		return errors.New("job: no subject")
	case conformance.Checks(j.Profile) == nil:
		return fmt.Errorf("job for %s: profile %q has no checks", j.Subject, j.Profile)
	case j.Process != nil && len(j.Process.Command) == 0:
		return fmt.Errorf("job for %s: the command is empty", j.Subject)
	case j.Host != nil && (j.Process != nil || j.Profile != report.Host):
		return fmt.Errorf("job for %s: a host that was started has the profile host and no command", j.Subject)
	case math.IsNaN(j.TimeoutScale) || j.TimeoutScale < 0 || j.TimeoutScale > MaxTimeoutScale:
		return fmt.Errorf("job for %s: timeout scale %v is not between 0 and %d", j.Subject, j.TimeoutScale, MaxTimeoutScale)
	}
	return nil
}

// MaxTimeoutScale bounds [Job.TimeoutScale]: with it a run may take most of a day.
const MaxTimeoutScale = 1000

// budgets of the job, for a subject where a process is between it and the suite or
// not.
func (j Job) budgets(process bool) check.Budgets {
	b := j.Budgets.Or(check.DefaultBudgets(process))
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
	patience := 2*b.Check + 5*b.Call + grace
	if j.Process != nil {
		patience += startTimeout // before the first check
	}
	return patience
}

// limit is how long a worker may live: it begins no check after its run budget.
func (j Job) limit(grace time.Duration) time.Duration {
	return j.budgets(true).Run + j.patience(grace)
}
