package property_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/property"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// What a law has found fails again, read from what was written down, and a right adapter
// keeps the law with it.
func TestAgain(t *testing.T) {
	bill := subjects.Memory()
	bill.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		runtime := fake.New()
		p := &planted{Adapter: memory.New(runtime, memory.Options{Grace: time.Millisecond})}
		without(func(e executor.Event) bool { return e.Kind() == executor.KindCost })(p)
		return &check.ExecutorInstance{Adapter: p, Runtime: runtime}, nil
	}
	for _, c := range []struct {
		law     string
		subject check.Subject
		code    check.Code
	}{
		{"stream", wrong(repeatsResults), "tool-result-repeated"},
		{"conversations", bill, "tokens-wrong"},
	} {
		t.Run(c.law, func(t *testing.T) {
			law, ok := property.Find(c.law)
			if !ok {
				t.Fatal("there is no such law")
			}
			o := property.Options{Seed: 7, Cases: 500}
			found, err := law.Look(t.Context(), c.subject, o)
			if err != nil || found.Failure == nil {
				t.Fatalf("%+v, %v", found, err)
			}
			if !slices.Contains(found.Failure.Codes, c.code) {
				t.Errorf("codes %v, want %s", found.Failure.Codes, c.code)
			}
			same, err := law.Look(t.Context(), c.subject, o)
			if err != nil || same.Failure == nil || same.Failure.Text != found.Failure.Text {
				t.Errorf("the same seed finds another input: %+v, %v", same.Failure, err)
			}
			again, err := law.Again(t.Context(), c.subject, o, found.Failure.Input)
			if err != nil || again.Failure == nil || !slices.Contains(again.Failure.Codes, c.code) || again.Failure.Text != found.Failure.Text {
				t.Errorf("again: %+v, %v\nfirst: %s", again.Failure, err, found.Failure.Text)
			}
			right, err := law.Again(t.Context(), subjects.Memory(), o, found.Failure.Input)
			if err != nil || right.Failure != nil {
				t.Errorf("a right adapter: %+v, %v", right.Failure, err)
			}
		})
	}
}

func TestAgainRefuses(t *testing.T) {
	for _, c := range []struct{ law, input, want string }{
		{"stream", `{"end":[]}`, "end: 0 frames, want one"},
		{"stream", `{"end":[{"end":{"reason":"ok"}}],"begin":[]}`, "unknown object member name \"begin\""},
		{"stream", `{"end":[{"stop":{}}]}`, `"stop"`},
		{"conversations", `[]`, "no acts, want a start at least"},
		{"conversations", `[{"do":"say","run":1}]`, "act 1: say, want start: nothing has begun"},
		{"conversations", `[{"do":"start","session":"a"},{"do":"shout","run":1}]`, `act 2: unknown act "shout"`},
		{"conversations", `[{"do":"start","session":"a"},{"do":"say"}]`, "act 2: run 0, want a number from 1 up"},
		{"conversations", `[{"do":"start"}]`, `act 1: session "", want a or b`},
		{"groups", `[{"role":"user","blocks":[{"call":"a","result":"a"}]}]`, "message 1: a block is a call and a result"},
		{"groups", `[{`, "unexpected EOF"},
	} {
		law, _ := property.Find(c.law)
		_, err := law.Again(t.Context(), subjects.Memory(), property.Options{}, []byte(c.input))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.law, c.input, err, c.want)
		}
	}
}

func TestLookSaysWhyThereIsNoJudgement(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, law := range property.Laws() {
		if _, err := law.Look(ctx, subjects.JSONLReference(), property.Options{}); law.Profile() == "history" && err == nil {
			t.Errorf("%s: an interrupted law has a judgement", law.Name())
		}
	}
}
