package integration_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/integration"
)

var (
	connected  = integration.Plan{Home: integration.Home{Kind: "connected"}}
	ephemeral  = integration.Plan{Home: integration.Home{Kind: "ephemeral"}}
	persistent = integration.Plan{Home: integration.Home{Kind: "persistent", Scope: "per-identity"}}
)

// rule is a line of the decision table. An empty list stands for anything.
type rule struct {
	name    string
	classes []executor.RuntimeClass
	homes   []string
	plan    func(executor.Capabilities) integration.Plan
}

var (
	classes = []executor.RuntimeClass{"", executor.WrappedOneshot, executor.ConnectedSubstrate, executor.Native, "some-day"}
	homes   = map[string]*executor.NativeHome{
		"absent":                  nil,
		"empty":                   {},
		"per-run":                 {Scope: executor.PerRun},
		"per-run persists":        {Scope: executor.PerRun, Persist: true},
		"per-identity":            {Scope: executor.PerIdentity},
		"per-identity persists":   {Scope: executor.PerIdentity, Persist: true},
		"unknown scope, persists": {Scope: "per-team", Persist: true},
	}
	preservations = []executor.Preservation{"", executor.PreserveNone, executor.Preserve, "truthy"}
	channels      = []executor.Channels{"", executor.NoChannels, executor.GatewayChannels, "both"}
)

// The decision table. Each combination of inputs must match exactly one line.
var table = []rule{
	{"connected", []executor.RuntimeClass{executor.ConnectedSubstrate}, nil, func(c executor.Capabilities) integration.Plan {
		p := connected
		p.UseGatewayChannels = c.NativeChannels == "gateway"
		return p
	}},
	{"persistent", []executor.RuntimeClass{"", executor.WrappedOneshot, executor.Native, "some-day"}, []string{"per-identity persists"},
		func(c executor.Capabilities) integration.Plan {
			p := persistent
			p.PreserveSkills = c.NativeSkills == "preserve"
			p.PreserveMemory = c.NativeMemory == "preserve"
			return p
		}},
	{"ephemeral", []executor.RuntimeClass{"", executor.WrappedOneshot, executor.Native, "some-day"},
		[]string{"absent", "empty", "per-run", "per-run persists", "per-identity", "unknown scope, persists"},
		func(executor.Capabilities) integration.Plan { return ephemeral }},
}

func matches[T comparable](list []T, v T) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return len(list) == 0
}

func TestResolve(t *testing.T) {
	for _, class := range classes {
		for name, home := range homes {
			var line *rule
			for _, r := range table {
				if matches(r.classes, class) && matches(r.homes, name) {
					if line != nil {
						t.Fatalf("%q, home %s: both %s and %s match", class, name, line.name, r.name)
					}
					line = &r
				}
			}
			if line == nil {
				t.Fatalf("%q, home %s: no line matches", class, name)
			}
			for _, skills := range preservations {
				for _, memory := range preservations {
					for _, carrier := range channels {
						for _, scheduler := range []bool{false, true} {
							c := executor.Capabilities{
								RuntimeClass: class, NativeHome: home, NativeSkills: skills, NativeMemory: memory,
								NativeChannels: carrier, NativeScheduler: scheduler,
							}
							if diff := cmp.Diff(line.plan(c), integration.Resolve(c)); diff != "" {
								t.Errorf("%q, home %s, skills %q, memory %q, channels %q, scheduler %v (-want +got):\n%s",
									class, name, skills, memory, carrier, scheduler, diff)
							}
						}
					}
				}
			}
		}
	}
}

// The plans of the runtimes that the contract knows, from what each declares.
func TestResolveOfKnownRuntimes(t *testing.T) {
	home := &executor.NativeHome{Scope: executor.PerIdentity, Persist: true}
	for _, c := range []struct {
		name string
		caps executor.Capabilities
		want integration.Plan
	}{
		{"openclaw", executor.Capabilities{
			RuntimeClass: "connected-substrate", NativeSkills: "preserve", NativeMemory: "preserve", NativeChannels: "gateway", NativeScheduler: true,
		}, integration.Plan{Home: connected.Home, UseGatewayChannels: true}},
		{"claude-code", executor.Capabilities{
			RuntimeClass: "wrapped-oneshot", NativeSkills: "none", NativeMemory: "none", NativeChannels: "none",
		}, ephemeral},
		{"codex", executor.Capabilities{
			RuntimeClass: "wrapped-oneshot", NativeHome: home, NativeSkills: "none", NativeMemory: "none", NativeChannels: "none",
		}, persistent},
		{"hermes", executor.Capabilities{
			RuntimeClass: "wrapped-oneshot", NativeHome: home, NativeSkills: "preserve", NativeMemory: "preserve", NativeChannels: "none", NativeScheduler: true,
		}, integration.Plan{Home: persistent.Home, PreserveSkills: true, PreserveMemory: true}},
		{"native", executor.Capabilities{
			RuntimeClass: "native", NativeHome: home, NativeSkills: "none", NativeMemory: "preserve", NativeChannels: "none",
		}, integration.Plan{Home: persistent.Home, PreserveMemory: true}},
		{"mock, declares nothing", executor.Capabilities{}, ephemeral},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, integration.Resolve(c.caps)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func ExampleResolve() {
	plan := integration.Resolve(executor.Capabilities{
		RuntimeClass: executor.Native,
		NativeHome:   &executor.NativeHome{Scope: executor.PerIdentity, Persist: true},
		NativeMemory: executor.Preserve,
	})
	fmt.Println(plan.Home.Kind, plan.PreserveSkills, plan.PreserveMemory)
	// Output: persistent false true
}
