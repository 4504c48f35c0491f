package executortest

import (
	"context"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func secrets() []check.Check {
	return []check.Check{
		// The message of an error event and the detail of a status hold nothing of what
		// the runtime was told or gave to its tools.
		{
			ID: "executor.secrets.events", Case: "events-round-trip", Clause: "executor#error-codes",
			Level: check.Must, Provenance: check.Implied,
			Codes: []check.Code{"done-missing", "error-message-leaks", "status-leaks"},
			Title: "keeps prompts and tool inputs out of errors and status",
			Run: with(func(ctx context.Context, t *T) {
				ends := []fakes.Frame{fakes.Failure{Code: "quota", Message: "quota used up", Fatal: true}}
				if t.Offers(fakes.CutStream) {
					ends = append(ends, fakes.Cut{})
				}
				for _, end := range ends {
					t := build(ctx, t.C)
					secret := "sk-" + t.Word()
					opts := t.Opts("s")
					opts.Message, opts.Context = "use "+secret, "key="+secret
					live := t.Start(ctx, opts)
					o := t.Observe(ctx, live.Handle)
					word := t.Word()
					live.Say(ctx, append(live.Hello(), live.Text("looking "+word))...)
					if t.Offers(fakes.Tools) {
						live.Say(ctx, shell("t1", "login --key "+secret))
					}
					if t.Offers(fakes.MildErrors) {
						live.Say(ctx, fakes.Failure{Code: "503", Message: "try again"})
					}
					live.Say(ctx, end)
					o.MustDone(ctx, "done-missing")
					if end != fakes.Frame(fakes.Cut{}) || t.Offers(fakes.LiveText) { // else the cut takes the answer with it
						t.Expect(o.Text()).To(ContainSubstring(word))
					}
					for _, e := range All[executor.Error](o) {
						t.Code("error-message-leaks").Expect(strings.Contains(e.Message, secret)).To(BeFalse())
					}
					for _, s := range All[executor.Status](o) {
						t.Code("status-leaks").Expect(strings.Contains(s.Detail, secret)).To(BeFalse())
					}
				}
			}),
		},
		// The error of a call holds nothing of what it was given.
		{
			ID: "executor.secrets.calls", Case: "start", Clause: "executor#error-codes",
			Level: check.Must, Provenance: check.Implied,
			Codes: []check.Code{"start-error-leaks", "write-context-error-leaks", "restore-error-leaks"},
			Title: "keeps what it was given out of the errors of calls",
			Run: with(func(ctx context.Context, t *T) {
				secret := "sk-" + t.Word()
				seen := false
				clean := func(code check.Code, call func(ctx context.Context) error) {
					_, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (any, error) { return nil, call(ctx) })
					if err == nil {
						return // it was not refused: there is nothing to judge
					}
					seen = true
					t.Code(code).Expect(strings.Contains(err.Error(), secret)).To(BeFalse())
				}
				live, _ := t.speaking(ctx, "s")
				clean("write-context-error-leaks", func(ctx context.Context) error {
					return t.Adapter.WriteContext(ctx, live.Handle, "../notes.md", "token "+secret)
				})
				if codec, ok := t.Adapter.(executor.SessionCodec); ok {
					clean("restore-error-leaks", func(ctx context.Context) error {
						_, err := codec.Restore(ctx, `{"v":1,"sessionKey":"s","token":"`+secret+`"`)
						return err
					})
				}
				if t.Offers(fakes.Refuse) {
					t.Fault(ctx, fakes.FaultRefuse)
					opts := t.Opts("refused")
					opts.Message, opts.Context = "use "+secret, "key="+secret
					clean("start-error-leaks", func(ctx context.Context) error {
						_, err := t.Adapter.Start(ctx, executor.TaskHandle{}, opts)
						return err
					})
				}
				if !seen {
					t.Unobserved(fakes.Refuse)
				}
			}),
		},
	}
}
