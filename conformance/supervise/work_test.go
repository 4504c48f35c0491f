package supervise

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// run is a suite whose every check takes a while.
func run(took time.Duration) func(check.Subject, report.Profile, conformance.Options) ([]check.Outcome, error) {
	return func(_ check.Subject, p report.Profile, o conformance.Options) ([]check.Outcome, error) {
		checks, err := o.Selection.Of(conformance.Checks(p))
		for _, ch := range checks {
			if !o.Begin(ch.ID) {
				continue
			}
			time.Sleep(took)
			o.Ended(check.Outcome{ID: ch.ID, State: report.Passed, Details: []string{"canary\xff"}, Fault: errors.New("f\xff")})
		}
		return nil, err
	}
}

const order1 = `{"subject":"memory","profile":"executor","seed":1,"selection":{"Match":"executor.identity.*","LabelFilter":""}}` + "\n"

func TestWorkKeepsTheRunBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, open := io.Pipe()
		defer open.Close()
		go open.Write([]byte(order1))
		var out bytes.Buffer
		w := Worker{Find: find, run: run(time.Minute)} // the whole budget, so that one check is begun
		if err := w.Work(in, &out); err != nil {
			t.Fatal(err)
		}
		open.Close()
		synctest.Wait()
		want := `{"started":"executor.identity.id-stable"}
{"outcome":{"id":"executor.identity.id-stable","state":"passed","tookNs":0,"fault":"f` + "\uFFFD" + `"}}
{"cut":"budget"}
{"finished":true}
`
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
	})
}

// The worker does not wait for a suite that nobody will hear of.
func TestWorkWithoutParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "acw1")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		old := os.Getenv("TMPDIR")
		os.Setenv("TMPDIR", dir)
		defer os.Setenv("TMPDIR", old)
		in, open := io.Pipe()
		go func() {
			open.Write([]byte(strings.Replace(order1, `{`, `{"dir":"`+dir+`",`, 1)))
			time.Sleep(time.Second)
			open.Close()
		}()
		began := time.Now()
		err := Worker{Find: find, run: run(time.Hour)}.Work(in, io.Discard)
		if !errors.Is(err, ErrOrphaned) || time.Since(began) != time.Second {
			t.Errorf("error %v after %v", err, time.Since(began))
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("its directory is still there: %v", err)
		}
		time.Sleep(2 * time.Hour) // in the bubble: what the worker left behind ends
	})
}

func TestWorkRefusesJobs(t *testing.T) {
	for name, tt := range map[string]struct{ line, want string }{
		"nothing":         {"", "no line"},
		"no line":         {strings.TrimSpace(order1), "no line"},
		"too long":        {strings.Repeat(" ", maxOrder+1) + "\n", "no line of at most 1048576 bytes"},
		"no JSON":         {"hello\n", "read the job"},
		"unknown member":  {`{"subject":"memory","x":1}` + "\n", "read the job"},
		"no profile":      {`{"subject":"memory","profile":"guest"}` + "\n", `profile "guest" has no checks`},
		"unknown subject": {`{"subject":"nobody","profile":"executor"}` + "\n", `unknown subject "nobody"`},
	} {
		err := Worker{Find: find}.Work(strings.NewReader(tt.line), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
	}
}

// A second suite in one process, a filter that cannot be read: the worker says that
// it did not run.
func TestWorkSaysWhyNothingRan(t *testing.T) {
	in, open := io.Pipe()
	defer open.Close()
	go open.Write([]byte(order1))
	var out bytes.Buffer
	w := Worker{Find: find, run: func(check.Subject, report.Profile, conformance.Options) ([]check.Outcome, error) {
		return nil, conformance.ErrSecondRun
	}}
	if err := w.Work(in, &out); !errors.Is(err, conformance.ErrSecondRun) || out.Len() != 0 {
		t.Errorf("error %v, said %q", err, out.String())
	}
}
