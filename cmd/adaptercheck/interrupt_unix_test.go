//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// TestInterrupt stops a run whose check would not end for a while. The report is
// there all the same, and so is the judgement of what had ended.
func TestInterrupt(t *testing.T) {
	for name, signals := range map[string][]os.Signal{
		"once":      {syscall.SIGINT},
		"twice":     {syscall.SIGINT, syscall.SIGINT},
		"terminate": {syscall.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath("adaptercheck")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "report.json")
			cmd := exec.CommandContext(t.Context(), program, "run", "test-slow", "--json", "-v", "--report", file, "--check", "executor.identity.*")
			temp := t.TempDir()
			cmd.Env = append(os.Environ(), "TMPDIR="+temp)
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stderr)
			for lines.Scan() && !strings.HasPrefix(lines.Text(), "test-slow executor: executor.identity.") {
			}
			for _, s := range signals {
				if err := cmd.Process.Signal(s); err != nil {
					t.Error(err)
				}
			}
			_, _ = io.Copy(io.Discard, stderr)
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInconclusive {
				t.Errorf("%v, want exit code %d", err, exitInconclusive)
			}
			written, err := os.ReadFile(file)
			if err != nil || !bytes.Equal(written, stdout.Bytes()) {
				t.Errorf("the file and stdout differ: %v", err)
			}
			r, err := report.Unmarshal(written)
			if err != nil || len(r.Runs) != 1 {
				t.Fatalf("%v in %s", err, written)
			}
			run := r.Runs[0]
			if run.Verdict != report.Inconclusive || !run.Partial || run.Cut == nil ||
				run.Cut.Reason != report.CutInterrupted || !strings.HasPrefix(string(run.Cut.During), "executor.identity.") {
				t.Errorf("verdict %s, partial %v, cut %+v", run.Verdict, run.Partial, run.Cut)
			}
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
