package supervise

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// one and two are checks that the workers of these tests talk about.
const (
	one = "executor.identity.id-stable"
	two = "executor.identity.participant-kind"
)

func identity(t *testing.T) Job {
	t.Helper()
	j := Job{Subject: "memory", Profile: report.Executor, Selection: conformance.Selection{Match: "executor.identity.*"}}
	checks, err := selection(j)
	if err != nil || len(checks) != 2 || checks[0].ID != one || checks[1].ID != two {
		t.Fatalf("the checks of this test have changed: %v, %v", checks, err)
	}
	return j
}

// watch looks for what a call leaves behind: temporary files and children.
func watch(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left, _ := os.ReadDir(dir); runtime.GOOS != "windows" && len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func TestMemoryConforms(t *testing.T) {
	watch(t)
	j := Job{Subject: "memory", Profile: report.Executor, Seed: 7}
	var events []Event
	results := Supervise(t.Context(), []Job{j}, Options{
		Self:     []string{self(), asWorker},
		Progress: func(e Event) { events = append(events, e) },
	})
	r := results[0]
	if r.Cut != nil || r.Err != nil {
		t.Fatalf("cut %v, error %v, stderr %s", r.Cut, r.Err, r.Stderr)
	}
	checks := conformance.Checks(report.Executor)
	run := check.Judge(j.Profile, subjects.Memory(), checks, r.Outcomes, r.Cut)
	if run.Verdict != report.Conforms || run.Partial {
		t.Errorf("verdict %s, partial %v, tally %+v", run.Verdict, run.Partial, run.Tally)
	}
	if want := "a word on stdout\na word on descriptor 1\na word of a child\n"; !strings.HasPrefix(r.Stderr, want) && runtime.GOOS != "windows" {
		t.Errorf("stderr %q, want it to begin with %q", r.Stderr, want)
	}

	if len(events) != 2+2*len(checks) {
		t.Fatalf("%d events for %d checks", len(events), len(checks))
	}
	if e := events[0]; e.Kind != Began || e.Checks != len(checks) {
		t.Errorf("first event %+v", e)
	}
	for i := 1; i < len(events)-1; i += 2 {
		started, ended := events[i], events[i+1]
		if started.Kind != CheckStarted || ended.Kind != CheckEnded || started.Check != ended.Check || ended.Outcome.ID != ended.Check {
			t.Errorf("events %d: %+v %+v", i, started, ended)
		}
	}
	if e := events[len(events)-1]; e.Kind != Ended || len(e.Result.Outcomes) != len(checks) {
		t.Errorf("last event %+v", e)
	}
}

// say makes a worker's line.
func say(format string, args ...any) string { return "say:" + fmt.Sprintf(format, args...) }

func started(id string) string { return say(`{"started":%q}`, id) }
func passed(id string) string {
	return say(`{"outcome":{"id":%q,"state":"passed","tookNs":1}}`, id)
}

const finished = `say:{"finished":true}`

func TestWrongWorkers(t *testing.T) {
	tests := []struct {
		name    string
		actions []string
		states  map[string]report.State
		cut     *report.Cut
		err     string
	}{
		{"right", []string{started(one), passed(one), started(two), passed(two), finished},
			map[string]report.State{one: report.Passed, two: report.Passed}, nil, ""},
		{"right, and then it does not end", []string{started(one), passed(one), started(two), passed(two), finished, "deaf", "block"},
			map[string]report.State{one: report.Passed, two: report.Passed}, nil, ""},
		{"says nothing and exits", []string{"exit:0"}, nil,
			&report.Cut{Reason: report.CutWorkerDied}, "the worker ended before its run did, with exit code 0"},
		{"exits in a check", []string{started(one), passed(one), started(two), "exit:3"},
			map[string]report.State{one: report.Passed, two: report.InconclusiveCheck},
			&report.Cut{Reason: report.CutWorkerDied, During: two}, "the worker ended before its run did, with exit code 3"},
		{"exits between checks", []string{started(one), passed(one), "exit:0"},
			map[string]report.State{one: report.Passed},
			&report.Cut{Reason: report.CutWorkerDied}, "the worker ended before its run did, with exit code 0"},
		{"prints something else", []string{started(one), "say:canary-1 hello"},
			map[string]report.State{one: report.InconclusiveCheck},
			&report.Cut{Reason: report.CutWorkerDied, During: one}, "the worker sent a line that is no message"},
		{"dies in a line", []string{started(one), `raw:{"outcome":{"id"`},
			map[string]report.State{one: report.InconclusiveCheck},
			&report.Cut{Reason: report.CutWorkerDied, During: one}, "the worker sent a line that is no message"},
		{"leaves a check out", []string{started(one), passed(one), finished},
			map[string]report.State{one: report.Passed},
			&report.Cut{Reason: report.CutWorkerDied}, "the worker sent the end of the run with no word about 1 checks"},
		{"used up its budget", []string{started(one), passed(one), `say:{"cut":"budget"}`, finished},
			map[string]report.State{one: report.Passed}, &report.Cut{Reason: report.CutBudget}, ""},
		{"prints a lot", []string{"stderr:1000000", started(one), passed(one), started(two), passed(two), finished},
			map[string]report.State{one: report.Passed, two: report.Passed}, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			watch(t)
			r := Supervise(t.Context(), []Job{identity(t)}, Options{Self: actor(tt.actions...), Grace: 50 * time.Millisecond})[0]
			var states map[string]report.State
			for _, o := range r.Outcomes {
				if states == nil {
					states = map[string]report.State{}
				}
				states[o.ID] = o.State
			}
			if diff := cmp.Diff(tt.states, states); diff != "" {
				t.Errorf("states (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.cut, r.Cut); diff != "" {
				t.Errorf("cut (-want +got):\n%s", diff)
			}
			if got := fmt.Sprint(r.Err); got != tt.err && (tt.err != "" || r.Err != nil) {
				t.Errorf("error %q, want %q", got, tt.err)
			}
			if len(r.Stderr) > stderrTail {
				t.Errorf("%d bytes of stderr kept", len(r.Stderr))
			}
		})
	}
}

// A worker that is silent beyond every budget is hung; the scale makes that soon.
func TestHungWorker(t *testing.T) {
	watch(t)
	j := identity(t)
	j.TimeoutScale = 0.0001
	for _, actions := range [][]string{{"block"}, {"deaf", started(one), "block"}} {
		r := Supervise(t.Context(), []Job{j}, Options{Self: actor(actions...), Grace: 300 * time.Millisecond})[0]
		if r.Cut == nil || r.Cut.Reason != report.CutWorkerHung || r.Err == nil {
			t.Errorf("%v: cut %v, error %v", actions, r.Cut, r.Err)
		}
	}
}

// How long a worker may say nothing, and how long it may go on.
func TestDeadlines(t *testing.T) {
	grace := 5 * time.Second
	tests := []struct {
		name  string
		every time.Duration // between the worker's messages; 0 is none at all
		scale float64
		want  time.Duration
	}{
		{"silent", 0, 0, 2*20*time.Second + 5*2*time.Second + grace},
		{"silent, scaled", 0, 0.1, 5*time.Second + grace},
		{"endless", 30 * time.Second, 0, 60*time.Second + 55*time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := Job{Subject: "memory", Profile: report.Executor, TimeoutScale: tt.scale}
				checks, err := selection(j)
				if err != nil {
					t.Fatal(err)
				}
				c := &child{lines: make(chan []byte), left: make(chan struct{})}
				c.reader.Go(func() {
					for i := 0; tt.every > 0; i++ {
						line := fmt.Sprintf(`{"started":%q}`, checks[i/2].ID)
						if i%2 == 1 {
							line = fmt.Sprintf(`{"outcome":{"id":%q,"state":"passed","tookNs":0}}`, checks[i/2].ID)
						}
						time.Sleep(tt.every)
						select {
						case c.lines <- []byte(line):
						case <-c.left:
							return
						}
					}
				})
				began := time.Now()
				why := c.listen(t.Context(), j, grace, newLedger(checks, false), func(EventKind, string, check.Outcome) {})
				if took := time.Since(began); why.reason != report.CutWorkerHung || took != tt.want {
					t.Errorf("lost for %v after %v, want after %v", why, took, tt.want)
				}
				close(c.left)
				c.reader.Wait()
			})
		})
	}
}

func TestInterrupt(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		t.Run(fmt.Sprintf("deaf %v", deaf), func(t *testing.T) {
			watch(t)
			ctx, interrupt := context.WithCancel(t.Context())
			kill := make(chan struct{})
			actions := []string{started(one), passed(one), started(two), "block"}
			if deaf {
				actions = append([]string{"deaf"}, actions...)
			}
			results := Supervise(ctx, []Job{identity(t), identity(t)}, Options{
				Self: actor(actions...),
				// Only the kill can end the deaf one in the time of a test.
				Grace: time.Hour,
				Kill:  kill,
				Progress: func(e Event) {
					if e.Kind == CheckStarted && e.Check == two {
						interrupt()
						if deaf {
							close(kill)
						}
					}
				},
			})
			want := []*report.Cut{{Reason: report.CutInterrupted, During: two}, {Reason: report.CutInterrupted}}
			if diff := cmp.Diff(want, []*report.Cut{results[0].Cut, results[1].Cut}); diff != "" {
				t.Errorf("cuts (-want +got):\n%s", diff)
			}
			if n := len(results[0].Outcomes); n != 2 || results[0].Outcomes[1].State != report.InconclusiveCheck {
				t.Errorf("outcomes %+v", results[0].Outcomes)
			}
			if len(results[1].Outcomes) != 0 {
				t.Errorf("a job that never began has outcomes: %+v", results[1].Outcomes)
			}
		})
	}
}

func TestCannotStart(t *testing.T) {
	watch(t)
	r := Supervise(t.Context(), []Job{identity(t)}, Options{Self: []string{"/nonexistent/worker"}})[0]
	if r.Cut == nil || r.Cut.Reason != report.CutWorkerDied || r.Err == nil || strings.Contains(r.Err.Error(), "/nonexistent") {
		t.Errorf("cut %v, error %v", r.Cut, r.Err)
	}
}

// A job that cannot be told to a worker is no reason to wait for one.
func TestCannotTell(t *testing.T) {
	watch(t)
	j := processJob(t, "right")
	j.Process.Dir = "caf\xe9"
	r := Supervise(t.Context(), []Job{j}, Options{Self: []string{self(), asWorker}})[0]
	if r.Cut == nil || r.Cut.Reason != report.CutWorkerDied || r.Err == nil || !strings.Contains(r.Err.Error(), "invalid UTF-8") {
		t.Errorf("cut %v, error %v", r.Cut, r.Err)
	}
}

func TestResultsInOrder(t *testing.T) {
	watch(t)
	var jobs []Job
	for i := range 6 {
		j := identity(t)
		j.Seed = uint64(i)
		jobs = append(jobs, j)
	}
	jobs[3].Selection.Match = "executor.nothing.*"
	results := Supervise(t.Context(), jobs, Options{
		Self:     actor(started(one), passed(one), started(two), passed(two), finished),
		Parallel: 3,
	})
	for i, r := range results {
		if r.Job.Seed != uint64(i) {
			t.Errorf("result %d is of job %d", i, r.Job.Seed)
		}
		if nothing := r.Cut != nil && r.Cut.Reason == report.CutNothingFound; nothing != (i == 3) {
			t.Errorf("result %d: cut %v", i, r.Cut)
		}
	}
}

func TestUnusableJobs(t *testing.T) {
	for name, j := range map[string]Job{
		"no subject": {Profile: report.Executor},
		"no profile": {Subject: "memory"},
		"host":       {Subject: "memory", Profile: report.Host},
		"scale":      {Subject: "memory", Profile: report.Executor, TimeoutScale: -1},
	} {
		if r := Supervise(t.Context(), []Job{j}, Options{})[0]; r.Err == nil || r.Cut == nil {
			t.Errorf("%s: error %v, cut %v", name, r.Err, r.Cut)
		}
	}
}
