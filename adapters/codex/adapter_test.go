package codex

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func TestIdentityAndCapabilities(t *testing.T) {
	a := New(Options{})
	if a.ID() != "codex" || a.ParticipantKind() != executor.Agent {
		t.Errorf("%s, %s", a.ID(), a.ParticipantKind())
	}
	want := executor.Capabilities{
		Resume: true, Models: []string{"gpt-5-codex", "gpt-5", "o4-mini"}, RuntimeClass: executor.WrappedOneshot,
		NativeHome:   &executor.NativeHome{Scope: executor.PerIdentity, Persist: true},
		NativeSkills: executor.PreserveNone, NativeMemory: executor.PreserveNone, NativeChannels: executor.NoChannels,
	}
	got := a.Capabilities()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got.Models[0], got.NativeHome.Persist = "changed", false
	if d := cmp.Diff(want, a.Capabilities()); d != "" {
		t.Errorf("the answer is shared (-want +got):\n%s", d)
	}
	for name, test := range map[string]struct {
		o              Options
		mcp, worktrees bool
	}{
		"directory": {Options{Dir: "/w"}, false, true},
		"open":      {Options{Dir: "/w", Sandbox: SandboxNone}, false, false},
		"server":    {Options{Config: []string{`model="x"`, `mcp_servers.s.url="http://localhost"`}}, true, false},
	} {
		if c := New(test.o).Capabilities(); c.MCP != test.mcp || c.Worktrees != test.worktrees {
			t.Errorf("%s: mcp %v worktrees %v", name, c.MCP, c.Worktrees)
		}
	}
}
