package remote_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// talk serves a subject in this process and returns a way to ask it.
func talk(t *testing.T, s check.Subject) func(line string) string {
	t.Helper()
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	var serving sync.WaitGroup
	serving.Go(func() {
		defer out.Close()
		if err := remote.Serve(context.Background(), in, out, s); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		_ = ask.Close()
		serving.Wait()
	})
	r := bufio.NewReader(answers)
	return func(line string) string {
		if _, err := fmt.Fprintln(ask, line); err != nil {
			t.Fatal(err)
		}
		answer, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(answer, "\n")
	}
}

// A served subject answers what the protocol has, and refuses the rest.
func TestServe(t *testing.T) {
	unleakedHere(t)
	ask := talk(t, subjects.Memory())
	request := func(id int, method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	}
	for i, test := range []struct{ method, params, want string }{
		{"initialize", `{"protocol":"adaptercheck-subject-v0"}`, `"code":-32602`},
		{"initialize", `{"protocol":"adaptercheck-subject-v1","suite":{"name":"x","version":"1"}}`, `"name":"memory","contracts":["executor"],"mode":"harness"`},
		{"adapter/id", `{"instance":"i1"}`, `no such instance`},
		{"instance/create", `{"instance":"i1","contract":"history"}`, `"code":-32602`},
		{"instance/create", `{"instance":"i1","contract":"executor"}`, `"parts":[`},
		{"adapter/id", `{"instance":"i1"}`, `"participantKind":"agent"`},
		{"adapter/unheard-of", `{"instance":"i1"}`, `"code":-32601`},
		{"history/snapshot", `{"instance":"i1"}`, `"code":-32601`},
		{"adapter/start", `{"instance":"i1","task":{},"opts":{"agentId":7}}`, `"code":-32602`},
		{"adapter/start", `{"instance":"i1","task":{},"opts":{"agentId":"a","sessionKey":"s","message":"m"}}`, `"runId":null`},
		{"adapter/start", `{"instance":"i1","task":{},"opts":{"agentId":"a","sessionKey":"s","message":"m"}}`, `"code":"busy"`},
		{"adapter/abort", `{"instance":"i1","run":"nobody"}`, `no such run`},
		{"stream/next", `{"instance":"i1","stream":"nothing"}`, `no such stream`},
		{"harness/emit", `{"instance":"i1","frame":{"dleta":"x"},"session":"s"}`, `unknown step`},
		{"harness/emit", `{"instance":"i1","frame":{"exit":1},"session":"s"}`, `"unplayable":true`},
		{"harness/emit", `{"instance":"i1","frames":[{"init":{"run":"R1"}},{"delta":"Hel"}],"session":"s","run":"r1"}`, `"result":{}`},
		{"harness/fault", `{"instance":"i1","fault":"exit"}`, `"unplayable":true`},
		{"stream/open", `{"instance":"i1","run":"r1"}`, `"stream":"s`},
		{"stream/next", `{"instance":"i1","stream":"s2"}`, `"runId":"R1"`},
		{"harness/calls", `{"instance":"i1"}`, `"method":"start"`},
		{"instance/close", `{"instance":"i1"}`, `"result":{}`},
		{"instance/close", `{"instance":"i1"}`, `no such instance`},
	} {
		if got := ask(request(i+1, test.method, test.params)); !strings.Contains(got, test.want) {
			t.Errorf("%s %s:\n got %s\nwant %s in it", test.method, test.params, got, test.want)
		}
	}
	if got := ask("no json"); !strings.Contains(got, `"code":-32700`) {
		t.Errorf("garbage: %s", got)
	}
	// What is left open is closed at the end of the input; the leak check sees it.
	ask(request(100, "instance/create", `{"instance":"i2","contract":"executor"}`))
	ask(request(101, "adapter/start", `{"instance":"i2","task":{},"opts":{"agentId":"a","sessionKey":"s","message":"m"}}`))
}

// A panic of an adapter is a rejection; the conversation goes on.
func TestServePanics(t *testing.T) {
	ask := talk(t, wrong["panics"]())
	ask(`{"jsonrpc":"2.0","id":1,"method":"instance/create","params":{"instance":"i1","contract":"executor"}}`)
	if got := ask(`{"jsonrpc":"2.0","id":2,"method":"adapter/capabilities","params":{"instance":"i1"}}`); !strings.Contains(got, `"rejected":{`) {
		t.Errorf("got %s", got)
	}
	if got := ask(`{"jsonrpc":"2.0","id":3,"method":"adapter/id","params":{"instance":"i1"}}`); !strings.Contains(got, `"id":"memory"`) {
		t.Errorf("got %s", got)
	}
}

// wrong are subjects with one fault each.
var wrong = map[string]func() check.Subject{
	"panics":  wrapped(func(a executor.Adapter) executor.Adapter { return panics{a} }),
	"binds":   wrapped(func(a executor.Adapter) executor.Adapter { return binds{a} }),
	"doubles": wrapped(func(a executor.Adapter) executor.Adapter { return doubles{a} }),
	"mute":    wrapped(func(a executor.Adapter) executor.Adapter { return mute{a} }),
	"deaf":    wrapped(func(a executor.Adapter) executor.Adapter { return deaf{a} }),
}

func wrapped(wrap func(executor.Adapter) executor.Adapter) func() check.Subject {
	return func() check.Subject {
		s := subjects.Memory()
		build := s.Executor
		s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			in, err := build(ctx, at)
			if err == nil {
				in.Adapter = wrap(in.Adapter)
			}
			return in, err
		}
		return s
	}
}

type panics struct{ executor.Adapter }

func (panics) Capabilities() executor.Capabilities { panic("no capabilities") }

type binds struct{ executor.Adapter }

func (a binds) Start(ctx context.Context, task executor.TaskHandle, o executor.StartOpts) (*executor.Run, error) {
	run, err := a.Adapter.Start(ctx, task, o)
	if err == nil {
		run.Bind("too-early")
	}
	return run, err
}

// doubles says every text twice.
type doubles struct{ executor.Adapter }

func (a doubles) Events(run *executor.Run) executor.Stream {
	return &doubled{Stream: a.Adapter.Events(run)}
}

type doubled struct {
	executor.Stream
	again executor.Event
}

func (d *doubled) Next(ctx context.Context) (executor.Event, error) {
	if e := d.again; e != nil {
		d.again = nil
		return e, nil
	}
	e, err := d.Stream.Next(ctx)
	if text, ok := e.(executor.TextDelta); ok {
		d.again = text
	}
	return e, err
}

// mute swallows the end.
type mute struct{ executor.Adapter }

func (a mute) Events(run *executor.Run) executor.Stream { return muted{a.Adapter.Events(run)} }

type muted struct{ executor.Stream }

func (m muted) Next(ctx context.Context) (executor.Event, error) {
	for {
		e, err := m.Stream.Next(ctx)
		if err != nil || e.Kind() != executor.KindDone {
			return e, err
		}
	}
}

// deaf never aborts.
type deaf struct{ executor.Adapter }

func (deaf) Abort(context.Context, *executor.Run) error { return nil }

// A wrong adapter is found out from afar as it is at home, under the same code.
func TestWrongAdapters(t *testing.T) {
	for name, test := range map[string]struct{ check, code string }{
		"panics":  {"executor.capabilities.shape", "capabilities-threw"},
		"binds":   {"executor.start.unbound", "run-id-bound-at-start"},
		"doubles": {"executor.text.increments", "text-doubled"},
		"mute":    {"executor.terminal.success", "done-missing"},
		"deaf":    {"executor.abort.stops", "abort-not-sent"},
	} {
		t.Run(name, func(t *testing.T) {
			s, p, err := remote.Subject(t.Context(), self("wrong-"+name))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close(context.WithoutCancel(t.Context()))
			for _, ch := range conformance.Checks(report.Executor) {
				if ch.ID != test.check {
					continue
				}
				for where, subject := range map[string]check.Subject{"here": wrong[name](), "there": s} {
					r := check.Runner{Subject: subject, Budgets: check.DefaultBudgets(true).Scale(0.2)}
					o := r.Execute(t.Context(), ch)
					if o.State != report.Failed || !strings.Contains(fmt.Sprint(o.Codes), test.code) {
						t.Errorf("%s: %s %v, want %s: %v", where, o.State, o.Codes, test.code, o.Details)
					}
				}
				return
			}
			t.Fatalf("no check %s", test.check)
		})
	}
}

// A command line of a suite is not needed to serve: the input ends, and so does the
// service.
func TestServeEnds(t *testing.T) {
	unleakedHere(t)
	in, ask := io.Pipe()
	out, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- remote.Serve(ctx, in, out, subjects.Memory()) }()
	cancel()
	_ = ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
