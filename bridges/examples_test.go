package bridges_test

import (
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

var (
	overNode   = []string{"node", "bridges/node/bin/bridge.mjs"}
	overPython = []string{"python3", "bridges/python"}
)

// mistake is what a wrong example does wrong: the check and the code that its own
// comment names, and all codes under which it may show elsewhere.
type mistake struct {
	check report.Name
	code  report.Name
	shows []report.Name
}

// Every example is judged as an author would have it judged: from the root of a clone,
// by the program. The right ones conform; the wrong ones are caught at their mistake,
// and accused of nothing else.
func TestExamples(t *testing.T) {
	for _, test := range []struct {
		in      language
		bridge  []string
		example string
		flags   []string
		wrong   *mistake
		// atLeast is how many checks passed at least: an example is no proof of what
		// was not observed.
		atLeast int
	}{
		{in: node, bridge: overNode, example: "bridges/node/examples/executor-ok.mjs", flags: []string{"--profile", "executor"}, atLeast: 115},
		{
			in: node, bridge: overNode, example: "bridges/node/examples/executor-wrong.mjs", flags: []string{"--profile", "executor"}, atLeast: 105,
			wrong: &mistake{"executor.text.increments", "text-doubled", []report.Name{"text-doubled", "text-altered"}},
		},
		{in: node, bridge: overNode, example: "bridges/node/examples/seed-harness.mjs", flags: []string{"--profile", "executor"}, atLeast: 50},
		{in: node, bridge: overNode, example: "bridges/node/examples/history-ok.mjs", flags: []string{"--profile", "history"}, atLeast: 110},
		{in: node, bridge: overNode, example: "bridges/node/examples/wire-ok.mjs", flags: []string{"--profile", "executor", "--fake", "codex"}, atLeast: 95},

		{in: python, bridge: overPython, example: "bridges/python/examples/executor_ok.py", flags: []string{"--profile", "executor"}, atLeast: 115},
		{
			in: python, bridge: overPython, example: "bridges/python/examples/executor_wrong.py", flags: []string{"--profile", "executor"}, atLeast: 115,
			wrong: &mistake{"executor.cost.second-run", "usage-cumulative", []report.Name{"usage-cumulative"}},
		},
		{in: python, bridge: overPython, example: "bridges/python/examples/history_ok.py", flags: []string{"--profile", "history"}, atLeast: 110},
		{in: python, bridge: overPython, example: "bridges/python/examples/wire_ok.py", flags: []string{"--profile", "executor", "--fake", "codex"}, atLeast: 95},
	} {
		t.Run(path.Base(test.example), func(t *testing.T) {
			test.in.need(t)
			t.Parallel()
			if runtime.GOOS == "windows" && slices.Contains(test.flags, "--fake") {
				t.Skip("the fakes of command lines do not run on Windows")
			}
			got := judge(t, slices.Concat([]string{"run", "--json", "--timeout", patience}, test.flags, []string{"--"}, test.bridge, []string{test.example}))
			exit, verdict := 0, report.Conforms
			if test.wrong != nil {
				exit, verdict = 1, report.Fails
			}
			if got.exit != exit || got.run.Verdict != verdict || got.run.Partial || len(got.run.Breaches) > 0 {
				t.Errorf("exit %d, %s, partial %t, breaches %v; want %d, %s", got.exit, got.run.Verdict, got.run.Partial, got.run.Breaches, exit, verdict)
			}
			if got.passed < test.atLeast {
				t.Errorf("%d checks passed, want %d at least", got.passed, test.atLeast)
			}
			test.wrong.caught(t, test.example, got.failed)
		})
	}
}

// caught compares the findings at MUST with the mistake, nil for a right example.
func (m *mistake) caught(t *testing.T, example string, failed map[report.Name][]report.Name) {
	t.Helper()
	if m == nil {
		m = &mistake{}
	}
	for check, codes := range failed {
		for _, code := range codes {
			if !slices.Contains(m.shows, code) {
				t.Errorf("accused of %s: %s", check, code)
			}
		}
	}
	if m.check == "" {
		return
	}
	if !slices.Contains(failed[m.check], m.code) {
		t.Errorf("%s has found %v, want %s", m.check, failed[m.check], m.code)
	}
	source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(example)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), string(m.code)) {
		t.Errorf("the comment of %s does not name the code %s", example, m.code)
	}
}

// judgement is what the program says of one subject.
type judgement struct {
	exit   int
	run    report.Run
	failed map[report.Name][]report.Name // the codes of each MUST
	passed int
}

func judge(t *testing.T, args []string) judgement {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t), args...)
	cmd.Dir = ".."
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var r report.Report
	if err := json.Unmarshal(out, &r); err != nil || len(r.Runs) != 1 {
		t.Fatalf("exit %d: no report of one run: %v\n%s%s", cmd.ProcessState.ExitCode(), err, out, stderr.String())
	}
	j := judgement{exit: cmd.ProcessState.ExitCode(), run: r.Runs[0], failed: map[report.Name][]report.Name{}}
	for _, c := range j.run.Checks {
		switch {
		case c.State == report.Passed:
			j.passed++
		case c.State == report.Failed && c.Level == report.Must:
			j.failed[c.ID] = c.Codes
		}
	}
	return j
}
