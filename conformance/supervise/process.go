package supervise

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// startTimeout is how long a subject in a process of its own may take to answer for
// the first time.
const startTimeout = 30 * time.Second

// Process says how a subject in a process of its own is started. Command is
// required.
type Process struct {
	// Command is the argument vector; no shell reads it.
	Command []string `json:"command"`
	// Dir is the working directory; empty is the caller's.
	Dir string `json:"dir,omitzero"`
	// Env names variables that the subject gets beside those that every program
	// needs; a name may end in * for a prefix.
	Env []string `json:"env,omitzero"`
	// PrivateHome gives the subject an empty home directory of its own.
	PrivateHome bool `json:"privateHome,omitzero"`
	// Restart starts the subject anew for each check.
	Restart bool `json:"restart,omitzero"`
	// Name of the subject in reports; empty is the one that it gives itself.
	Name string `json:"name,omitzero"`
	// Fake names the runtime that the suite plays for it; empty is a subject that
	// brings its own.
	Fake string `json:"fake,omitzero"`
	// Trace is the file that a worker writes what crosses the wire to, redacted; empty
	// is none. It holds content.
	Trace string `json:"trace,omitzero"`
}

// Fakes makes fake runtimes, by name.
type Fakes map[string]func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error)

// Start starts the subject, with its runtime from the list. The process is the
// caller's to close. The trace, if not nil, gets what crosses the wire. An error is
// a [*remote.Error] where it is about the subject.
func (p Process) Start(ctx context.Context, known Fakes, trace io.Writer) (check.Subject, *remote.Process, error) {
	o := remote.Options{
		Command: p.Command, Dir: p.Dir, Env: p.Env, PrivateHome: p.PrivateHome, Name: p.Name,
		StartTimeout: startTimeout, Trace: trace, RestartPerCheck: p.Restart,
	}
	if p.Fake != "" {
		o.Fake = known[p.Fake]
		if o.Fake == nil {
			return check.Subject{}, nil, fmt.Errorf("subject: unknown fake %q", p.Fake)
		}
	}
	return remote.Subject(ctx, o)
}
