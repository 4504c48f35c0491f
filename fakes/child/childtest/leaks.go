//go:build unix

package childtest

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// NothingLeaks runs the life of a runtime once, and then n times. It fails where that
// leaves goroutines or descriptors behind.
func NothingLeaks(t *testing.T, n int, life func(i int)) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	life(0) // what the runtime opens once is open
	open := descriptors(t)
	for i := range n {
		life(i)
	}
	if now := descriptors(t); now > open {
		t.Errorf("%d descriptors, %d before", now, open)
	}
	goleak.VerifyNone(t, before)
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip("no /dev/fd here")
	}
	return len(list)
}
