package process_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/internal/process"
)

func TestEnviron(t *testing.T) {
	host := []string{"PATH=/bin", "LC_ALL=C", "API_KEY=k", "TOOL_HOME=/t", "TOOL_TOKEN=x", "HOME=/h", "EMPTY", "=odd"}
	tests := []struct {
		name         string
		allow, extra []string
		want         []string
	}{
		{name: "the short list", want: []string{"PATH=/bin", "LC_ALL=C", "HOME=/h"}},
		{name: "names on purpose", allow: []string{"TOOL_HOME"}, want: []string{"PATH=/bin", "LC_ALL=C", "TOOL_HOME=/t", "HOME=/h"}},
		{name: "a prefix", allow: []string{"TOOL_*"}, want: []string{"PATH=/bin", "LC_ALL=C", "TOOL_HOME=/t", "TOOL_TOKEN=x", "HOME=/h"}},
		{name: "extra wins", extra: []string{"HOME=/other", "API_KEY=own=1", "broken"}, want: []string{"PATH=/bin", "LC_ALL=C", "HOME=/other", "API_KEY=own=1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if d := cmp.Diff(test.want, process.Environ(host, test.allow, test.extra)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestOnly(t *testing.T) {
	got := process.Only([]string{"A=1", "AB=2", "B=x=y", "bad"}, []string{"A", "B*"})
	if d := cmp.Diff([]string{"A=1", "B=x=y"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
