package acp

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func TestIdentityAndCapabilities(t *testing.T) {
	a := New(Options{Models: []string{"m"}})
	if a.ID() != "acp" || a.ParticipantKind() != executor.Agent || New(Options{ID: "goose"}).ID() != "goose" {
		t.Errorf("%s, %s", a.ID(), a.ParticipantKind())
	}
	want := executor.Capabilities{
		Streaming: true, ToolApproval: true, Resume: true, Models: []string{"m"}, RuntimeClass: executor.WrappedOneshot, NativeChannels: executor.NoChannels,
	}
	got := a.Capabilities()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got.Models[0] = "changed"
	if d := cmp.Diff(want, a.Capabilities()); d != "" {
		t.Errorf("the answer is shared (-want +got):\n%s", d)
	}
	if c := New(Options{Servers: []Server{{Name: "s", URL: "http://127.0.0.1"}}}).Capabilities(); !c.MCP || c.Models == nil {
		t.Errorf("%+v", c)
	}
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	command := []string{"agent"}
	for name, o := range map[string]Options{
		"command":                {},
		"files":                  {Command: command, Files: "all"},
		"environment":            {Command: command, Env: []string{"KEY"}},
		"server without a name":  {Command: command, Servers: []Server{{URL: "x"}}},
		"server without a place": {Command: command, Servers: []Server{{Name: "s"}}},
		"server in two places":   {Command: command, Servers: []Server{{Name: "s", URL: "x", Command: command}}},
		"server's environment":   {Command: command, Servers: []Server{{Name: "s", Command: command, Env: []string{"=x"}}}},
	} {
		if _, err := New(o).Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"}); err == nil || !strings.Contains(err.Error(), "option ") {
			t.Errorf("%s: %v", name, err)
		}
		if h, err := New(o).Health(t.Context()); h.OK || err != nil {
			t.Errorf("%s: health %+v, %v", name, h, err)
		}
	}
}

func TestBlobs(t *testing.T) {
	a := New(Options{Command: []string{"agent"}})
	for name, c := range map[string]struct {
		blob string
		ok   bool
	}{
		"a session":          {`{"v":1,"sessionKey":"s","session":"S","cost":0.5}`, true},
		"no session yet":     {`{"v":1,"sessionKey":"s","session":""}`, true},
		"a cost of nothing":  {`{"v":1,"sessionKey":"s","session":"","cost":1}`, false},
		"less than nothing":  {`{"v":1,"sessionKey":"s","session":"S","cost":-1}`, false},
		"another version":    {`{"v":2,"sessionKey":"s","session":"S"}`, false},
		"something unknown":  {`{"v":1,"sessionKey":"s","session":"S","x":1}`, false},
		"a list":             {`[]`, false},
		"nothing":            {``, false},
		"a number for a key": {`{"v":1,"sessionKey":7,"session":"S"}`, false},
	} {
		run, err := a.Restore(t.Context(), c.blob)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil || name != "a session" {
			continue
		}
		if again, err := a.Serialize(t.Context(), run); err != nil || again != c.blob {
			t.Errorf("%s, %v, want %s", again, err, c.blob)
		}
	}
	for _, odd := range []float64{math.NaN(), math.Inf(1), -0.1} {
		if isAmount(odd) {
			t.Errorf("%v is no amount", odd)
		}
	}
}
