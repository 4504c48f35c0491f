//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// TestInterrupt stops a run whose check would not end for a while. The report is
// there all the same, and so is the judgement of what had ended. A subject that is a
// process is gone, whatever it does about signals.
func TestInterrupt(t *testing.T) {
	linked := []string{"test-slow"}
	process := []string{"--name", "test-slow", "--env", lockVar, "--", "test-subject", "stubborn"}
	for name, test := range map[string]struct {
		subject []string
		signals []os.Signal
	}{
		"once":                 {linked, []os.Signal{syscall.SIGINT}},
		"twice":                {linked, []os.Signal{syscall.SIGINT, syscall.SIGINT}},
		"terminate":            {linked, []os.Signal{syscall.SIGTERM}},
		"a process":            {process, []os.Signal{syscall.SIGINT}},
		"a process, at once":   {process, []os.Signal{syscall.SIGINT, syscall.SIGINT}},
		"a process, terminate": {process, []os.Signal{syscall.SIGTERM}},
	} {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath("adaptercheck")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "report.json")
			args := []string{"run", "--json", "-v", "--report", file, "--check", "executor.identity.*"}
			cmd := exec.CommandContext(t.Context(), program, append(args, test.subject...)...)
			temp, held := t.TempDir(), filepath.Join(t.TempDir(), "held")
			cmd.Env = append(os.Environ(), "TMPDIR="+temp, lockVar+"="+held)
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
			for _, s := range test.signals {
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
			if len(test.subject) == 1 {
				return
			}
			if _, err := os.Stat(held); err != nil {
				t.Error(err)
			}
			// The system unlocks what a dead process has locked.
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			mine := flock.New(held)
			if locked, err := mine.TryLockContext(ctx, time.Millisecond); !locked {
				t.Errorf("the subject's process is still there: %v", err)
			}
			if err := mine.Unlock(); err != nil {
				t.Error(err)
			}
		})
	}
}
