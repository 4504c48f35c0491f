package property

import (
	"strings"
	"sync/atomic"
)

// quiet stands between rapid and the test. It leaves out how many inputs rapid
// counts, since a law may leave early, and hides failures from before the law, with
// which rapid would not start.
type quiet struct {
	TB
	failed atomic.Bool
}

// Logf leaves rapid's count out.
func (q *quiet) Logf(format string, args ...any) {
	if strings.HasPrefix(format, "[rapid] OK") {
		return
	}
	q.TB.Helper()
	q.TB.Logf(format, args...)
}

// Failed reports whether the law failed.
func (q *quiet) Failed() bool { return q.failed.Load() }

// Fail notes the failure, as the methods below do.
func (q *quiet) Fail() { q.failed.Store(true); q.TB.Fail() }

// FailNow notes the failure.
func (q *quiet) FailNow() { q.failed.Store(true); q.TB.FailNow() }

// Error notes the failure.
func (q *quiet) Error(args ...any) { q.failed.Store(true); q.TB.Helper(); q.TB.Error(args...) }

// Errorf notes the failure.
func (q *quiet) Errorf(format string, args ...any) {
	q.failed.Store(true)
	q.TB.Helper()
	q.TB.Errorf(format, args...)
}

// Fatal notes the failure.
func (q *quiet) Fatal(args ...any) { q.failed.Store(true); q.TB.Helper(); q.TB.Fatal(args...) }

// Fatalf notes the failure.
func (q *quiet) Fatalf(format string, args ...any) {
	q.failed.Store(true)
	q.TB.Helper()
	q.TB.Fatalf(format, args...)
}
