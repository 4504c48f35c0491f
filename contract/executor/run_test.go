package executor_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func isBound(r *executor.Run) bool {
	select {
	case <-r.Bound():
		return true
	default:
		return false
	}
}

func TestRunBindsOnce(t *testing.T) {
	r := executor.NewRun("codex", "s1")
	if r.AdapterID() != "codex" || r.SessionKey() != "s1" {
		t.Errorf("got %q, %q", r.AdapterID(), r.SessionKey())
	}
	if id, bound := r.ID(); bound || id != "" || isBound(r) {
		t.Errorf("born with id %q, bound %v", id, bound)
	}
	if !r.Bind("a") {
		t.Error("the first id was refused")
	}
	if !isBound(r) {
		t.Error("Bound is still open")
	}
	if !r.Bind("a") {
		t.Error("the same id was refused")
	}
	if r.Bind("b") {
		t.Error("another id was taken")
	}
	if id, bound := r.ID(); id != "a" || !bound {
		t.Errorf("got %q, %v; want a, true", id, bound)
	}
}

// An empty id is a wrong id, but it is an id: binding is not told by it.
func TestRunBoundToEmptyID(t *testing.T) {
	r := executor.NewRun("x", "s")
	r.Bind("")
	if _, bound := r.ID(); !bound || r.Bind("a") {
		t.Error("the empty id did not count as bound")
	}
}

// Of many goroutines that bind at once one wins, and all see its id.
func TestRunBindRace(t *testing.T) {
	r := executor.NewRun("x", "s")
	var wg sync.WaitGroup
	var mu sync.Mutex
	winners := 0
	for i := range 16 {
		wg.Go(func() {
			if r.Bind(fmt.Sprint("run-", i)) {
				mu.Lock()
				winners++
				mu.Unlock()
			}
		})
		wg.Go(func() {
			<-r.Bound()
			if id, bound := r.ID(); !bound || id == "" {
				t.Errorf("after Bound: %q, %v", id, bound)
			}
		})
	}
	wg.Wait()
	if winners != 1 {
		t.Errorf("%d ids were taken, want one", winners)
	}
}

// Mirror shows whatever the handle elsewhere shows, right or wrong.
func TestRunMirror(t *testing.T) {
	r := executor.NewRun("x", "s")
	for _, c := range []struct {
		id    string
		bound bool
	}{{"", false}, {"a", true}, {"b", true}, {"", false}, {"c", true}} {
		r.Mirror(c.id, c.bound)
		if id, bound := r.ID(); id != c.id || bound != c.bound {
			t.Errorf("got %q, %v; want %q, %v", id, bound, c.id, c.bound)
		}
	}
	if !isBound(r) {
		t.Error("Bound is still open")
	}
}

// A handle that was bound, mirrored back to nothing and bound again closes Bound
// once, not twice.
func TestRunBindAfterMirror(t *testing.T) {
	r := executor.NewRun("x", "s")
	r.Bind("a")
	r.Mirror("", false)
	if !r.Bind("b") || !isBound(r) {
		t.Error("the handle did not bind again")
	}
}
