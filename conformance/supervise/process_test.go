package supervise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// asSubject as the first argument makes the test binary a subject: memory, with
// something done whenever it is built.
const asSubject = "as-subject"

// lockVar names a file that a subject locks as long as it lives.
const lockVar = "SUPERVISE_TEST_LOCK"

// lock is reachable, so that it is not closed before the process ends.
var lock *flock.Flock

func serve(manner string) int {
	s := subjects.Memory()
	right := s.Executor
	s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
		switch manner {
		case "noisy":
			fmt.Println("a word on stdout")
		case "dies":
			fmt.Fprintln(os.Stderr, "last words")
			os.Exit(7)
		case "hangs":
			lock = flock.New(os.Getenv(lockVar))
			if err := lock.Lock(); err != nil {
				return nil, err
			}
			select {}
		}
		return right(ctx, at)
	}
	if manner == "refuses" {
		fmt.Fprintln(os.Stderr, "last words")
		return 3
	}
	if err := remote.Serve(context.Background(), os.Stdin, os.Stdout, s); err != nil {
		return 1
	}
	return 0
}

// processJob is a job for a subject of that manner.
func processJob(t *testing.T, manner string) Job {
	j := identity(t)
	j.Process = &Process{Command: []string{self(), asSubject, manner}, Env: []string{"GOCOVERDIR", lockVar}, Name: manner}
	return j
}

func TestProcess(t *testing.T) {
	for _, tt := range []struct {
		manner   string
		states   []report.State
		cut      *report.Cut
		breaches map[remote.Breach]bool
		err      string
		stderr   string
	}{
		{"right", []report.State{report.Passed, report.Passed}, nil, nil, "", ""},
		{"noisy", []report.State{report.Passed, report.Passed}, nil, map[remote.Breach]bool{remote.LineGarbage: true}, "", ""},
		{
			"dies", []report.State{report.InconclusiveCheck}, &report.Cut{Reason: report.CutWorkerDied, During: "?"}, nil,
			"its process ended before the run did: exit code 7", "last words\n",
		},
		{"refuses", nil, &report.Cut{Reason: report.CutNotStarted}, nil, "the process has ended: exit code 3", "last words\n"},
	} {
		t.Run(tt.manner, func(t *testing.T) {
			watch(t)
			r := Supervise(t.Context(), []Job{processJob(t, tt.manner)}, Options{Self: []string{self(), asWorker}})[0]
			var states []report.State
			for _, o := range r.Outcomes {
				states = append(states, o.State)
			}
			if diff := cmp.Diff(tt.states, states); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
			if tt.cut != nil && tt.cut.During != "" && len(r.Outcomes) > 0 { // the order is random
				tt.cut.During = report.Name(r.Outcomes[0].ID)
			}
			if diff := cmp.Diff(tt.cut, r.Cut); diff != "" {
				t.Errorf("cut (-want +got):\n%s", diff)
			}
			var breaches map[remote.Breach]bool
			for code, n := range r.Breaches {
				if n > 0 {
					breaches = map[remote.Breach]bool{code: true}
				}
			}
			if diff := cmp.Diff(tt.breaches, breaches); diff != "" {
				t.Errorf("breaches (-want +got):\n%s", diff)
			}
			if (r.Err == nil) != (tt.err == "") || r.Err != nil && !strings.Contains(r.Err.Error(), tt.err) {
				t.Errorf("error %v, want %q", r.Err, tt.err)
			}
			if tt.stderr != "" && r.Stderr != tt.stderr {
				t.Errorf("stderr %q, want %q", r.Stderr, tt.stderr)
			}
		})
	}
}

// A worker that nobody listens to ends the subject's process, whatever that does.
func TestProcessOfAnOrphanedWorker(t *testing.T) {
	held := filepath.Join(t.TempDir(), "held")
	t.Setenv(lockVar, held)
	j := processJob(t, "hangs")
	j.Budgets = check.Budgets{Call: time.Minute, Check: time.Minute}
	line, err := encode(order{Job: j})
	if err != nil {
		t.Fatal(err)
	}
	in, open := io.Pipe()
	messages, out := io.Pipe()
	ended := make(chan error, 1)
	w := Worker{run: func(s check.Subject, p report.Profile, o conformance.Options) ([]check.Outcome, error) {
		o.Begin(one)
		_, err := s.Executor(t.Context(), fakes.Endpoint{})
		return nil, err
	}}
	go func() { ended <- w.Work(in, out) }()
	if _, err := open.Write(line); err != nil {
		t.Fatal(err)
	}
	if _, err := messages.Read(make([]byte, 1)); err != nil { // the check has begun
		t.Fatal(err)
	}
	go io.Copy(io.Discard, messages)
	other := flock.New(held)
	for locked := true; locked; { // until the subject has it
		if locked, err = other.TryLock(); err != nil {
			t.Fatal(err)
		}
		if locked {
			_ = other.Unlock()
		}
	}
	open.Close()
	if err := <-ended; !errors.Is(err, ErrOrphaned) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if locked, err := other.TryLockContext(ctx, time.Millisecond); !locked {
		t.Errorf("the subject's process is still there: %v", err)
	}
	_ = other.Unlock()
}

// A trace replaces what was there, whoever could read that.
func TestCreateTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.trace")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := CreateTrace(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != 0 || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := CreateTrace(filepath.Join(path, "below")); err == nil {
		t.Error("a trace below a file")
	}
}

// Nothing is taken from the worker of a process that could not be so.
func TestLedgerOfAProcess(t *testing.T) {
	start, pass := `{"started":"`+one+`"}`, `{"outcome":{"id":"`+one+`","state":"passed","tookNs":1}}`
	for _, tt := range []struct {
		name    string
		process bool
		lines   []string
		ok      bool
	}{
		{"not started", true, []string{`{"lost":{"reason":"not-started","why":"x"}}`}, true},
		{"died", true, []string{start, pass, `{"lost":{"reason":"worker-died","why":"x"}}`}, true},
		{"breaches", true, []string{start, pass, `{"breaches":{"line-garbage":2}}`}, true},
		{"died after the budget", true, []string{`{"cut":"budget"}`, `{"lost":{"reason":"worker-died","why":"x"}}`}, true},
		{"not started after a check", true, []string{start, pass, `{"lost":{"reason":"not-started","why":"x"}}`}, false},
		{"lost in a check", true, []string{start, `{"lost":{"reason":"worker-died","why":"x"}}`}, false},
		{"lost for another reason", true, []string{`{"lost":{"reason":"interrupted","why":"x"}}`}, false},
		{"lost twice", true, []string{`{"lost":{"reason":"worker-died","why":"x"}}`, `{"lost":{"reason":"worker-died","why":"x"}}`}, false},
		{"start after the loss", true, []string{`{"lost":{"reason":"worker-died","why":"x"}}`, start}, false},
		{"lost without a process", false, []string{`{"lost":{"reason":"worker-died","why":"x"}}`}, false},
		{"breaches without a process", false, []string{`{"breaches":{"line-garbage":2}}`}, false},
		{"breaches twice", true, []string{`{"breaches":{"line-garbage":2}}`, `{"breaches":{"line-garbage":2}}`}, false},
		{"breaches in a check", true, []string{start, `{"breaches":{"line-garbage":2}}`}, false},
		{"unknown breach", true, []string{`{"breaches":{"canary":2}}`}, false},
		{"no breach", true, []string{`{"breaches":{"line-garbage":0}}`}, false},
	} {
		checks, err := selection(identity(t))
		if err != nil {
			t.Fatal(err)
		}
		book := newLedger(checks, tt.process)
		for i, line := range tt.lines {
			m, err := decode([]byte(line))
			if err == nil {
				err = book.take(m)
			}
			if want := tt.ok || i < len(tt.lines)-1; (err == nil) != want {
				t.Errorf("%s: %s: error %v", tt.name, line, err)
			}
		}
	}
}

// A subject that is a process is given time to start, and the budgets of one.
func TestDeadlinesOfAProcess(t *testing.T) {
	here, there := identity(t), processJob(t, "right")
	if got := there.patience(0) - here.patience(0); got != startTimeout {
		t.Errorf("%v more patience, want %v", got, startTimeout)
	}
	there.Budgets = check.Budgets{Call: time.Minute}
	b := there.budgets(true)
	if b.Call != time.Minute || b.Quiet != check.DefaultBudgets(true).Quiet {
		t.Errorf("budgets %+v", b)
	}
	line, err := encode(order{Job: there})
	if err != nil || !bytes.Contains(line, []byte(`"Call":60000000000`)) || slices.Contains(line[:len(line)-1], '\n') {
		t.Errorf("order %s, %v", line, err)
	}
	there.Process.Command = nil
	if err := there.validate(); err == nil {
		t.Error("a job without a command is valid")
	}
}
