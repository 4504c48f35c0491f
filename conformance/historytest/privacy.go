package historytest

import (
	"context"
	"reflect"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func privacyChecks() []check.Check {
	return []check.Check{
		// What is marked for this machine does not go to a remote provider.
		{
			ID: "history.privacy.local-only", Case: "privacy", Clause: "history#privacy-classes",
			Level: check.Must, Provenance: check.Stated, Codes: codes("private-span-kept", "secret-kept"),
			Title: "takes local-only content out of what goes to a remote provider",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				hidden, s := t.word(), t.secret()
				p := t.harmless()
				also, more := t.word(), t.word()
				p.Payload["messages"] = []any{
					map[string]any{"role": "user", "content": "[ds4:local-only]" + also + "[/ds4:local-only] and [ds4:local-only]" + more + "[/ds4:local-only]"},
					map[string]any{"role": "user", "content": "See [ds4:local-only]" + hidden + "[/ds4:local-only]."},
					map[string]any{"role": "user", "content": []any{
						map[string]any{"type": "text", "text": "[ds4:local-only]\n" + hidden + "\n[/ds4:local-only]\nand key " + s.text},
					}},
				}
				got := texts(t.enforce(ctx, p.Payload).Payload)
				t.withheld(got, []string{hidden, also, more}, "private-span-kept", "")
				t.withheld(got, s.parts, "secret-kept", "")
			}),
		},
		// Credentials do not go to a remote provider, whatever their kind.
		{
			ID: "history.privacy.secrets", Case: "privacy", Clause: "history#privacy-secrets",
			Level: check.Must, Provenance: check.Stated, Codes: codes("secret-kept", "redactions-uncounted", "change-unreported"),
			Title: "takes credentials of every known kind out of what goes to a remote provider",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				all, parts := "", []string{}
				for _, s := range t.secrets() {
					all, parts = all+"\n(\""+s.text+"\"). Also ", append(parts, s.parts...)
					r := t.enforce(ctx, map[string]any{"messages": []any{map[string]any{"role": "user", "content": "Try this:\n" + s.text + "\nthanks"}}})
					t.withheld(texts(r.Payload), s.parts, "secret-kept", s.kind)
					// One that withholds the whole text may count it as blocked.
					t.expect(r.SecretRedactions+r.BlockedBlocks > 0, "redactions-uncounted", "%s", s.kind)
					t.expect(r.Changed, "change-unreported", "%s", s.kind)
				}
				// All of them in one text, in quotes and brackets.
				r := t.enforce(ctx, map[string]any{"messages": []any{map[string]any{"role": "user", "content": all}}})
				t.withheld(texts(r.Payload), parts, "secret-kept", "together")
			}),
		},
		// Wherever a provider's request carries content, it is searched.
		{
			ID: "history.privacy.containers", Case: "privacy", Clause: "history#privacy-containers",
			Level: check.Must, Provenance: check.Stated, Codes: codes("container-unsearched"),
			Title: "searches every part of a request that carries content",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				payload := map[string]any{"model": t.Fixture.Model.ID}
				private := map[string][]string{}
				for _, key := range containers {
					a, pa := t.span()
					b, pb := t.span()
					c, pc := t.span()
					payload[key] = []any{a, map[string]any{"content": b}, map[string]any{"parts": []any{map[string]any{"text": c}}}}
					private[key] = append(append(pa, pb...), pc...)
				}
				got := texts(t.enforce(ctx, payload).Payload)
				for _, key := range containers {
					t.withheld(got, private[key], "container-unsearched", key)
				}
			}),
		},
		// So is everything else in the request: a provider's client sends headers,
		// names and keys as readily as messages. A credential in one of them is a
		// credential that leaks.
		{
			ID: "history.privacy.everywhere", Case: "privacy", Clause: "history#privacy-everywhere",
			Level: check.Must, Provenance: check.Decided, Codes: codes("place-unsearched"),
			Title: "searches every string and every key of a request, whatever its place",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				for _, place := range places {
					s := t.secret()
					// An error is as good: then nothing is sent at all.
					if r, err := t.tryEnforce(ctx, place.around(s.text)); err == nil {
						t.withheld(texts(r.Payload), s.parts, "place-unsearched", place.name)
					}
				}
			}),
		},
		// Nobody is exempt: the system's words, a tool's output and the model's own are
		// searched like the user's.
		{
			ID: "history.privacy.roles", Case: "privacy", Clause: "history#privacy-roles",
			Level: check.Must, Provenance: check.Implied, Codes: codes("role-exempt"),
			Title: "searches messages of every role",
			Run: with(func(ctx context.Context, t *T) {
				t.screens(ctx)
				for _, role := range []string{"system", "developer", "user", "assistant", "tool", "function", "custom", t.word()} {
					text, private := t.span()
					r := t.enforce(ctx, map[string]any{"messages": []any{map[string]any{"role": role, "content": text}}})
					t.withheld(texts(r.Payload), private, "role-exempt", role)
				}
			}),
		},
		// A provider is remote unless it is listed as local by exactly its name.
		{
			ID: "history.privacy.destination", Case: "privacy", Clause: "history#privacy-destination",
			Level: check.Must, Provenance: check.Stated, Codes: codes("destination-wrong", "remote-unsearched"),
			Title: "treats every provider as remote that is not listed by its exact name",
			Run: with(func(ctx context.Context, t *T) {
				w := t.word()
				for _, provider := range []string{
					t.Fixture.Model.Provider, "ollama-cloud-" + w, "ollama/" + w, w + "-ollama", "llama-cpp-" + w, "lmstudio." + w,
					"local-" + w, "localhost." + w, w + ":11434", "127.0.0.1." + w,
				} {
					p := t.private()
					r, err := t.tryEnforceFor(ctx, provider, p.Payload)
					t.NoError(err)
					t.expect(r.Destination == history.Remote, "destination-wrong", "%s: %s", provider, r.Destination)
					t.withheld(texts(r.Payload), p.Private, "remote-unsearched", provider)
				}
			}),
		},
		// The result says what was done, so that a host can tell its user.
		{
			ID: "history.privacy.reports", Case: "privacy", Clause: "history#privacy-report",
			Level: check.Must, Provenance: check.Stated, Codes: codes("change-unreported", "destination-wrong", "provider-changed", "blocked-uncounted"),
			Title: "says what it did to a payload",
			Run: with(func(ctx context.Context, t *T) {
				r := t.enforce(ctx, t.private().Payload)
				t.expect(r.Changed, "change-unreported", "something was taken out")
				t.expect(r.Destination == history.Remote, "destination-wrong", "got %q", r.Destination)
				t.expect(r.Provider == t.Fixture.Model.Provider, "provider-changed", "got %q", r.Provider)
				t.expect(r.BlockedBlocks+r.SecretRedactions > 0, "blocked-uncounted", "got none")
			}),
		},
		// The caller's payload is often the canonical message itself. It stays as it is.
		{
			ID: "history.privacy.payload-untouched", Case: "privacy", Clause: "history#caller-payload",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.InProcess}, Codes: codes("payload-mutated"),
			Title: "leaves the caller's payload as it is",
			Run: with(func(ctx context.Context, t *T) {
				p := t.private()
				was := copyOf(p.Payload)
				r := t.enforce(ctx, p.Payload)
				t.require(r.Payload != nil, "nothing is left of the payload")
				t.demand(reflect.DeepEqual(p.Payload, was), "payload-mutated", "by enforcing privacy")
				t.complete(ctx, p.Payload)
				t.require(t.Transport.Count() > 0, "the completion does not reach the transport")
				t.demand(reflect.DeepEqual(p.Payload, was), "payload-mutated", "by completing")
			}),
		},
		// What comes out belongs to the caller: changing it does not reach back.
		{
			ID: "history.privacy.payload-owned", Case: "privacy", Clause: "history#ownership",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.InProcess}, Codes: codes("payload-shared"),
			Title: "gives the caller a payload of its own",
			Run: with(func(ctx context.Context, t *T) {
				p := t.harmless()
				was := copyOf(p.Payload)
				got, ok := t.enforce(ctx, p.Payload).Payload.(map[string]any)
				t.require(ok, "an object comes back as something else")
				for k := range got {
					got[k] = "changed"
				}
				got["more"] = 1
				t.demand(reflect.DeepEqual(p.Payload, was), "payload-shared", "a change to the result reached the request")
			}),
		},
		// What does no harm is sent as it is: a policy that blanks everything is no
		// policy.
		{
			ID: "history.privacy.harmless", Case: "privacy", Clause: "history#privacy-harmless",
			Level: check.Should, Provenance: check.Implied, Codes: codes("harmless-changed", "harmless-lost", "harmless-counted"),
			Title: "lets harmless content through unchanged",
			Run: with(func(ctx context.Context, t *T) {
				p := t.harmless()
				r := t.enforce(ctx, p.Payload)
				t.require(r.Destination == history.Remote, "the destination is not remote")
				t.expect(reflect.DeepEqual(r.Payload, any(p.Payload)), "harmless-changed", "got %v", r.Payload)
				t.expect(!r.Changed && r.BlockedBlocks == 0 && r.SecretRedactions == 0, "harmless-counted", "%+v", r.Summary())
				q := t.private()
				got := texts(t.enforce(ctx, q.Payload).Payload)
				for _, w := range q.Public {
					_, kept := found(got, []string{w})
					t.expect(kept, "harmless-lost", "%q", w)
				}
			}),
		},
	}
}

// withheld reports a code if one of the private texts is in what would be sent.
func (t *T) withheld(sent, private []string, code check.Code, where string) {
	if s, leak := found(sent, private); leak {
		t.Notef(code, "%s %q", where, s)
	}
}

// containers are the keys under which requests of the common providers carry
// content.
var containers = []string{
	"messages", "system", "systemPrompt", "system_instruction", "systemInstruction", "instructions", "prompt", "input",
	"content", "contents", "context", "description", "text", "parts", "thinking", "tools", "toolConfig", "arguments",
	"metadata", "requestMetadata",
}

// places are the others.
var places = []struct {
	name   string
	around func(text string) any
}{
	{"bare string", func(s string) any { return "use " + s }},
	{"bare list", func(s string) any { return []any{"use", s} }},
	{"other key", func(s string) any { return map[string]any{"user": s, "messages": []any{}} }},
	{"headers", func(s string) any { return map[string]any{"headers": map[string]any{"x-key": s}, "messages": []any{}} }},
	{"name in a message", func(s string) any {
		return map[string]any{"messages": []any{map[string]any{"role": "user", "name": s, "content": "hello"}}}
	}},
	{"id in a message", func(s string) any {
		return map[string]any{"messages": []any{map[string]any{"id": s, "type": "text", "text": "hello"}}}
	}},
	{"key in content", func(s string) any {
		return map[string]any{"messages": []any{map[string]any{"content": map[string]any{s: true}}}}
	}},
	{"key at the top", func(s string) any { return map[string]any{s: 1, "messages": []any{}} }},
	{"list of lists", func(s string) any { return map[string]any{"stop": []any{[]any{[]any{s}}}} }},
	{"fifty levels down", func(s string) any {
		var v any = s
		for range 25 {
			v = map[string]any{"content": []any{v}}
		}
		return map[string]any{"messages": []any{v}}
	}},
	{"shared object", func(s string) any {
		shared := map[string]any{"note": s}
		return map[string]any{"extra": shared, "messages": []any{shared}}
	}},
}
