package property_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/adaptercheck/adaptercheck/property"
)

// TestMain keeps rapid from writing files about the failures that tests here want.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// recorder is a test that may fail.
type recorder struct {
	name   string
	mu     sync.Mutex
	log    strings.Builder
	failed bool
}

var _ property.TB = (*recorder)(nil)

// outcome runs a law as a test of its own and returns what it reported.
func outcome(t *testing.T, law func(property.TB)) *recorder {
	t.Helper()
	r := &recorder{name: t.Name()}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		law(r)
	}()
	<-ended
	return r
}

func (r *recorder) note(fail bool, s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = r.failed || fail
	if s != "" {
		r.log.WriteString(s + "\n")
	}
}

func (r *recorder) Helper()                   {}
func (r *recorder) Name() string              { return r.name }
func (r *recorder) Log(args ...any)           { r.note(false, fmt.Sprint(args...)) }
func (r *recorder) Logf(f string, a ...any)   { r.note(false, fmt.Sprintf(f, a...)) }
func (r *recorder) Error(args ...any)         { r.note(true, fmt.Sprint(args...)) }
func (r *recorder) Errorf(f string, a ...any) { r.note(true, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatal(args ...any)         { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(f string, a ...any) { r.Errorf(f, a...); runtime.Goexit() }
func (r *recorder) Fail()                     { r.note(true, "") }
func (r *recorder) FailNow()                  { r.Fail(); runtime.Goexit() }
func (r *recorder) Skip(args ...any)          { r.Log(args...); runtime.Goexit() }
func (r *recorder) Skipf(f string, a ...any)  { r.Logf(f, a...); runtime.Goexit() }
func (r *recorder) SkipNow()                  { runtime.Goexit() }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// shown are the lines of the input that rapid ended in.
func (r *recorder) shown() []string {
	_, after, _ := strings.Cut(r.log.String(), "Failed test output:")
	var lines []string
	for line := range strings.Lines(after) {
		if item, ok := strings.CutPrefix(line, "  - "); ok {
			lines = append(lines, strings.TrimSuffix(item, "\n"))
		}
	}
	return lines
}
