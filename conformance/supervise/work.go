package supervise

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// ErrOrphaned is returned by a worker whose parent has gone away.
var ErrOrphaned = errors.New("the parent has gone away")

// maxOrder bounds the line that a worker reads, in bytes.
const maxOrder = 1 << 20

// Worker is the child's side of a run. A process can be one once.
type Worker struct {
	// Find returns the subject with a name, false if there is none.
	Find func(name string) (check.Subject, bool)
	// Fakes are the runtimes for subjects that are processes.
	Fakes Fakes

	// run is [conformance.Run]; tests put another suite in its place.
	run func(check.Subject, report.Profile, conformance.Options) ([]check.Outcome, error)
}

// Work reads one job from in and runs it, with messages to out, which should be
// what [TakeStdout] returned. It returns when the suite has ended. In must then
// stay open: its end means that the parent is gone, and Work returns ErrOrphaned
// without waiting for the suite, but not before the subject's process has ended. The
// caller should end the process in either case, as a subject may have left
// goroutines behind, and so does the watch over in.
//
// A job that cannot be read or names an unknown subject is an error.
func (w Worker) Work(in io.Reader, out io.Writer) error {
	line, rest, err := firstLine(in)
	if err != nil {
		return err
	}
	o, err := decodeOrder(line)
	if err != nil {
		return err
	}
	run := w.process
	if o.Process == nil {
		s, known := w.subject(o.Job)
		if !known {
			return fmt.Errorf("job: unknown subject %q", o.Subject)
		}
		run = func(_ context.Context, job Job, to *sender) error { return w.linked(s, job, to) }
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	orphaned := make(chan struct{})
	go func() {
		defer close(orphaned)
		_, _ = io.Copy(io.Discard, rest)
	}()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, o.Job, &sender{out: out}) }()
	select {
	case err := <-ended:
		return err
	case <-orphaned:
		if o.Process != nil {
			cancel()
			<-ended
		}
		// Only what is the directory for temporary files by the environment too.
		if o.Dir != "" && o.Dir == os.TempDir() {
			_ = os.RemoveAll(o.Dir)
		}
		return ErrOrphaned
	}
}

// subject is what a job without a process is about.
func (w Worker) subject(j Job) (check.Subject, bool) {
	if j.Host != nil {
		return j.Host.Subject(j.Subject), true
	}
	return w.Find(j.Subject)
}

// linked runs the job for a subject of this program.
func (w Worker) linked(s check.Subject, job Job, to *sender) error {
	if err := w.suite(s, job, to, nil); err != nil {
		return err
	}
	to.say(message{Finished: true})
	return to.failed()
}

// firstLine reads the first line of in and returns what follows it.
func firstLine(in io.Reader) ([]byte, io.Reader, error) {
	r := bufio.NewReaderSize(in, maxOrder)
	line, err := r.ReadSlice('\n')
	if err != nil {
		return nil, nil, fmt.Errorf("read the job: no line of at most %d bytes: %w", maxOrder, err)
	}
	return line, r, nil
}

// guard looks at the subject around each check. A nil guard sees nothing.
type guard interface {
	// before reports whether a check can be begun.
	before() bool
	// after sees the outcome of a check, and returns what it came to.
	after(check.Outcome) check.Outcome
}

// suite runs the job's checks. It keeps the run's budget: when that is used up, no
// further check is begun.
func (w Worker) suite(s check.Subject, job Job, to *sender, guard guard) error {
	budgets := job.budgets(job.Process != nil || s.Offers.Has(fakes.Process))
	end := time.Now().Add(budgets.Run)
	over := false
	run := w.run
	if run == nil {
		run = conformance.Run
	}
	_, err := run(versioned(s, job.RuntimeVersion), job.Profile, conformance.Options{
		Selection: job.Selection,
		Seed:      job.Seed,
		Budgets:   budgets,
		Verbose:   job.Verbose,
		Begin: func(id string) bool {
			if guard != nil && !guard.before() {
				return false
			}
			if time.Now().Before(end) {
				to.say(message{Started: id})
				return true
			}
			if !over {
				over = true
				to.say(message{Cut: report.CutBudget})
			}
			return false
		},
		Ended: func(o check.Outcome) {
			if guard != nil {
				o = guard.after(o)
			}
			to.say(message{Outcome: pack(o, job.Verbose)})
		},
	})
	if err != nil {
		return fmt.Errorf("run %s: %w", s.Name, err)
	}
	return nil
}

// versioned has the subject's fake play a version.
func versioned(s check.Subject, version string) check.Subject {
	newest := s.Runtime
	if version == "" || newest == nil {
		return s
	}
	s.Runtime = func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
		o.Version = version
		return newest(ctx, o)
	}
	return s
}
