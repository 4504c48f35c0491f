package remote

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Version names the protocol.
const Version = "adaptercheck-subject-v1"

// Options says what to start and how. Command is required.
type Options struct {
	// Command is the argument vector of the subject; no shell reads it.
	Command []string
	// Dir is the working directory; empty is the caller's.
	Dir string
	// Env names variables of the host that the subject gets beside those that every
	// program needs, a name may end in * for a prefix.
	Env []string
	// PrivateHome gives the subject an empty home directory of its own.
	PrivateHome bool
	// Name of the subject in reports; empty is the one that it gives itself.
	Name string
	// Fake makes the runtime for a subject in wire mode. It must be nil for one in
	// harness mode, which brings its own.
	Fake func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error)
	// StartTimeout bounds the time from the start to the answer to initialize; 0
	// means 30 seconds.
	StartTimeout time.Duration
	// Grace is how long the subject has to end by itself once its input has ended;
	// 0 means one second.
	Grace time.Duration
	// Trace gets every line of the protocol, with the values of Env masked. It holds
	// content.
	Trace io.Writer
	// RestartPerCheck starts the process anew for each check: whenever an instance
	// is made while no other is open.
	RestartPerCheck bool
}

// label names the subject in errors: by its name, where it was given one, and its
// program without directories.
func (o Options) label() string {
	program := filepath.Base(o.Command[0])
	if o.Name == "" || o.Name == program {
		return program
	}
	return o.Name + " (" + program + ")"
}

// there reports whether the program is a file that is there.
func (o Options) there() bool {
	path, err := exec.LookPath(o.Command[0])
	if o.Dir != "" && filepath.Base(o.Command[0]) != o.Command[0] && !filepath.IsAbs(o.Command[0]) {
		path, err = filepath.Join(o.Dir, o.Command[0]), nil
	}
	if err == nil {
		_, err = os.Stat(path)
	}
	return err == nil
}

func (o Options) startTimeout() time.Duration {
	if o.StartTimeout > 0 {
		return o.StartTimeout
	}
	return 30 * time.Second
}

func (o Options) grace() time.Duration {
	if o.Grace > 0 {
		return o.Grace
	}
	return time.Second
}
