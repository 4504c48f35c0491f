//go:build unix

package reference

import (
	"runtime"
	"syscall"
	"testing"
)

// BenchmarkLargeMemory gives the most memory that a process holds which makes one
// snapshot of the large session. The target is under 400 MiB.
func BenchmarkLargeMemory(b *testing.B) {
	h := large(b)
	peak := 0.0
	for b.Loop() {
		cmd := child(b, "snapshot", h.path, 0)
		cmd.Env = append(cmd.Env, childRoot+"="+h.root)
		if out, err := cmd.Output(); err != nil {
			b.Fatalf("%v:\n%s", err, out)
		}
		size := float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
		if runtime.GOOS != "darwin" {
			size *= 1 << 10
		}
		peak = max(peak, size)
	}
	b.ReportMetric(peak/(1<<20), "MiB-peak")
}
