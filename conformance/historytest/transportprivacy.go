package historytest

import (
	"context"
	"errors"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func transportPrivacyChecks() []check.Check {
	return []check.Check{
		// The transport gets the sanitised payload, and the rest of the request carries
		// nothing else out.
		{
			ID: "history.privacy.transport", Case: "privacy", Clause: "history#transport-sanitised",
			Level: check.Must, Provenance: check.Stated, Codes: codes("transport-not-reached", "private-content-sent", "private-content-beside-payload"),
			Title: "gives its transport a sanitised payload and nothing beside it",
			Run: with(func(ctx context.Context, t *T) {
				p := t.private()
				t.complete(ctx, p.Payload)
				sent := t.Transport.Sent()
				t.demand(len(sent) > 0, "transport-not-reached", "no call")
				for _, s := range sent {
					t.withheld(s.Texts, p.Private, "private-content-sent", "")
					beside := []string{s.Provider, s.Model, string(s.Destination)}
					t.withheld(beside, append(p.Private, p.Public...), "private-content-beside-payload", "")
				}
			}),
		},
		// Every call is screened like the first: also after a failure.
		{
			ID: "history.privacy.every-call", Case: "privacy", Clause: "history#privacy-every-call",
			Level: check.Must, Provenance: check.Implied, Codes: codes("later-call-unscreened", "earlier-payload-sent", "transport-not-reached"),
			Title: "screens every completion like the first",
			Run: with(func(ctx context.Context, t *T) {
				t.Transport.Then(nil, nil, failing(errors.New("no")), nil, nil)
				var earlier []string
				for i := range 6 {
					if i == 4 {
						t.complete(ctx, map[string]any{"messages": hostile{}})
					}
					p := t.private()
					before := t.Transport.Count()
					t.complete(ctx, p.Payload)
					sent := t.Transport.Sent()
					t.demand(len(sent) > before, "transport-not-reached", "call %d", i)
					for _, s := range sent[before:] {
						t.withheld(append(s.Texts, s.Provider, s.Model), p.Private, "later-call-unscreened", "")
						t.withheld(s.Texts, earlier, "earlier-payload-sent", "")
					}
					earlier = append(earlier, p.Public...)
				}
			}),
		},
		// A payload may be large.
		{
			ID: "history.privacy.any-size", Case: "privacy", Clause: "history#privacy-any-size",
			Level: check.Must, Provenance: check.Implied, Codes: codes("size-bypass"),
			Title: "screens large payloads too",
			Run: with(func(ctx context.Context, t *T) {
				t.talks(ctx)
				p := t.private()
				filler := []any{map[string]any{"role": "user", "content": strings.Repeat("many ordinary words, ", 56_000)}}
				for range 1000 {
					filler = append(filler, map[string]any{"role": "assistant", "content": "I see."})
				}
				p.Payload["messages"] = append(filler, p.Payload["messages"].([]any)...)
				before := t.Transport.Count()
				// Time is not what is judged here. An error is as good as a refusal.
				_, err := check.Await(ctx, t.C, t.Budgets.Check/2, func(ctx context.Context) (history.CompletionResult, error) {
					return t.Adapter.Complete(ctx, t.request(p.Payload))
				})
				if errors.Is(err, check.ErrHung) {
					t.Hung()
				}
				for _, s := range t.Transport.Sent()[before:] {
					t.withheld(s.Texts, p.Private, "size-bypass", "")
				}
			}),
		},
		// A completion reports how its payload was screened, without the payload.
		{
			ID: "history.privacy.summary", Case: "privacy", Clause: "history#privacy-summary",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("privacy-summary-missing", "privacy-summary-wrong", "private-content-in-result"),
			Title: "reports what was screened without repeating it",
			Run: with(func(ctx context.Context, t *T) {
				p := t.private()
				r := t.complete(ctx, p.Payload)
				t.demand(r.Privacy != nil, "privacy-summary-missing", "the result has none")
				t.expect(r.Privacy.Destination == history.Remote && r.Privacy.Changed && r.Privacy.Provider == t.Fixture.Model.Provider, "privacy-summary-wrong", "%+v", *r.Privacy)
				t.withheld(texts(r), append(p.Private, p.Public...), "private-content-in-result", "")
			}),
		},
		// There is one way out. The payload is not written to a file on its way, and
		// neither is the answer.
		{
			ID: "history.privacy.no-side-way", Case: "privacy", Clause: "history#no-side-way",
			Level: check.Must, Provenance: check.Implied, Codes: codes("private-content-on-disk", "answer-on-disk"),
			Title: "writes neither payloads nor answers to disk",
			Run: with(func(ctx context.Context, t *T) {
				p := t.private()
				r := t.complete(ctx, p.Payload)
				t.require(r.Status == history.Completed, "the completion does not succeed")
				t.Transport.Then(failing(errors.New("no")))
				t.complete(ctx, p.Payload)
				_, is := onDisk(t.Base, append(p.Private, p.Public...))
				t.expect(!is, "private-content-on-disk", "a file holds the payload")
				answer := strings.TrimPrefix(t.Transport.Output.(map[string]any)["content"].(string), "answer ")
				_, is = onDisk(t.Base, []string{answer})
				t.expect(!is, "answer-on-disk", "a file holds the answer")
			}),
		},
	}
}
