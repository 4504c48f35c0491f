package thread_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
)

func TestCount(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	var spent thread.Totals
	for _, c := range []struct {
		name  string
		usage fakes.Usage
		want  thread.Totals
	}{
		{"a turn", fakes.Usage{In: n(10), Out: n(2), CacheRead: n(3), CacheWrite: n(4), Reasoning: n(1)}, thread.Totals{10, 3, 4, 2, 1}},
		{"another", fakes.Usage{Kind: fakes.UsageTurn, In: n(10), Out: n(2)}, thread.Totals{20, 3, 4, 4, 1}},
		{"the total, in part", fakes.Usage{Kind: fakes.UsageTotal, In: n(50), Reasoning: n(7)}, thread.Totals{50, 3, 4, 4, 7}},
		{"the last call, with the total", fakes.Usage{Kind: fakes.UsageLast, In: n(5), Out: n(5), CacheRead: n(1), TotalIn: n(60)}, thread.Totals{60, 4, 4, 9, 7}},
		{"nothing", fakes.Usage{}, thread.Totals{60, 4, 4, 9, 7}},
	} {
		spent.Count(c.usage)
		if diff := cmp.Diff(c.want, spent); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestID(t *testing.T) {
	a, b, other := thread.ID(1, 0), thread.ID(1, 1), thread.ID(2, 0)
	if a == b || a == other || a != thread.ID(1, 0) || a >= b {
		t.Errorf("ids %s, %s of one seed, %s of another", a, b, other)
	}
	for id, want := range map[string]bool{a: true, "A" + a[1:]: true, "name": false, "": false, a + "0": false, a[:35]: false} {
		if thread.IsUUID(id) != want {
			t.Errorf("%q is a UUID: %v", id, !want)
		}
	}
}
