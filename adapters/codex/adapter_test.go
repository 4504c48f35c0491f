package codex

import (
	"strings"
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
	for name, test := range map[string]struct {
		o                              Options
		streaming, approval, steerable bool
	}{
		"exec":                    {Options{Mode: ModeExec}, false, false, false},
		"app-server":              {Options{Mode: ModeAppServer}, true, true, true},
		"app-server, never asked": {Options{Mode: ModeAppServer, Approval: ApprovalNever}, true, false, true},
	} {
		if c := New(test.o).Capabilities(); c.Streaming != test.streaming || c.ToolApproval != test.approval || c.Steerable != test.steerable {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	for name, o := range map[string]Options{
		"mode":           {Mode: "tui"},
		"sandbox":        {Sandbox: "none"},
		"policy":         {Mode: ModeAppServer, Approval: "always"},
		"policy of exec": {Approval: ApprovalOnRequest},
		"config":         {Config: []string{"model"}},
		"environment":    {Env: []string{"KEY"}},
	} {
		if _, err := New(o).Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"}); err == nil || !strings.Contains(err.Error(), "option ") {
			t.Errorf("%s: %v", name, err)
		}
		if h, err := New(o).Health(t.Context()); h.OK || err != nil {
			t.Errorf("%s: health %+v, %v", name, h, err)
		}
	}
}
