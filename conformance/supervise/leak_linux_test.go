package supervise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Workers of every kind leave no goroutine, no descriptor and no child.
func TestLeavesNothingBehind(t *testing.T) {
	watch(t)
	// The first child opens what the runtime keeps.
	Supervise(t.Context(), []Job{identity(t)}, Options{Self: actor("exit:1"), Grace: time.Second})
	goroutines := goleak.IgnoreCurrent()
	before := descriptors(t)
	for _, actions := range [][]string{
		{started(one), passed(one), started(two), passed(two), finished},
		{started(one), "exit:1"},
		{"say:noise", "block"},
		{"deaf", "stderr:200000", "say:noise", "block"},
	} {
		Supervise(t.Context(), []Job{identity(t), identity(t), identity(t)}, Options{
			Self: actor(actions...), Parallel: 2, Grace: 50 * time.Millisecond,
		})
	}
	goleak.VerifyNone(t, goroutines)
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	if children := childrenOf(t); len(children) > 0 {
		t.Errorf("children are left: %v", children)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	found, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// childrenOf lists the children of this process.
func childrenOf(t *testing.T) []string {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Skip("this kernel lists no children")
	}
	var pids []string
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err == nil { // a thread may be gone
			pids = append(pids, strings.Fields(string(text))...)
		}
	}
	return pids
}
