package native_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/provider"
)

const key = "sk-canary-51b0c7e2"

// serve starts a fake provider with the rules.
func serve(t testing.TB, rules ...fake.Rule) *fake.Server {
	t.Helper()
	s, err := fake.New(t.Context(), fake.Options{Rules: rules, Keys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func says(frames ...fakes.Frame) fake.Rule { return fake.Rule{Frames: frames} }

// agent is an adapter of one agent over the provider at an address.
func agent(t testing.TB, at string, change func(*native.Options)) *native.Adapter {
	t.Helper()
	c := state.Default("coder")
	c.SystemPrompt = "You are tested."
	o := native.Options{
		Agent: c, Grace: 100 * time.Millisecond,
		Keys:     func(env string) string { return map[string]string{"ANTHROPIC_API_KEY": key, "GROQ_API_KEY": key}[env] },
		BaseURLs: map[provider.ID]string{provider.Anthropic: at, provider.Groq: at + "/v1"},
	}
	if change != nil {
		change(&o)
	}
	a := native.New(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := a.Dispose(ctx); err != nil {
			t.Error(err)
		}
	})
	return a
}

// begin starts a run.
func begin(t testing.TB, a *native.Adapter, o executor.StartOpts) *executor.Run {
	t.Helper()
	if o.SessionKey == "" {
		o.SessionKey = "s"
	}
	if o.AgentID == "" {
		o.AgentID = "coder"
	}
	if o.Message == "" {
		o.Message = "go"
	}
	run, err := a.Start(t.Context(), executor.TaskHandle{TaskID: "task-1", TeamID: "team-1"}, o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// all reads a run to its end, which has one done.
func all(t testing.TB, a *native.Adapter, run *executor.Run) ([]executor.Event, executor.Done) {
	t.Helper()
	var events []executor.Event
	for e, err := range executor.All(t.Context(), a.Events(run)) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	if found := verify.Order(events); len(found) > 0 {
		t.Errorf("order: %v", found)
	}
	done, ended := verify.Last(events, "")
	if !ended {
		t.Fatalf("no done in %d events", len(events))
	}
	return events, done
}

// errorsIn lists the codes of the errors, fatal ones with a mark.
func errorsIn(events []executor.Event) []string {
	var codes []string
	for _, e := range events {
		if e, is := e.(executor.Error); is {
			code := *e.Code
			if e.Fatal {
				code += "!"
			}
			codes = append(codes, code)
		}
	}
	return codes
}

// files lists what is in a directory, below it.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// does is a tool made of a function; nil returns its name.
type does struct {
	name string
	call func(context.Context, json.RawMessage) tool.Result
}

func (d does) Definition() tool.Definition { return tool.Definition{Name: d.name} }
func (d does) Call(ctx context.Context, input json.RawMessage) tool.Result {
	if d.call == nil {
		return tool.Result{Output: d.name}
	}
	return d.call(ctx, input)
}

// box has the same tools for every run.
func box(tools ...tool.Tool) func(context.Context, native.RunInfo) (native.Toolbox, error) {
	return func(context.Context, native.RunInfo) (native.Toolbox, error) {
		return native.Toolbox{Tools: tools}, nil
	}
}
