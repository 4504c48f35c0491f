package hosttest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// posts lists the routes that take a body.
func posts() []string {
	return []string{nativePath + "/healthcheck", nativePath + "/connect", nativePath + "/run", "/api/onboarding/seed-native-team"}
}

// maxBody is more than any host should read, in bytes.
const maxBody = 10 << 20

func surfaceChecks() []check.Check {
	return []check.Check{
		// What a host says is JSON, and says so.
		{
			ID: "host.surface.json", Case: "surface", Clause: "host#json",
			Level: check.Must, Provenance: check.Implied, Codes: codes("answer-not-json", "content-type-wrong"),
			Title: "answers every request with JSON",
			Run: with(func(ctx context.Context, t *T) {
				for _, a := range []answer{
					t.get(ctx, "/api/runtimes"), t.connect(ctx, anthropic, t.key()), t.connect(ctx, anthropic, ""),
					t.post(ctx, nativePath+"/disconnect", object{}), t.healthcheck(ctx, "nobody", t.key()),
					t.post(ctx, "/api/onboarding/seed-native-team", object{"provider": anthropic}), t.post(ctx, nativePath+"/run", object{}),
				} {
					t.demand(a.parses(), "answer-not-json", "%s", a)
					t.demand(a.isJSON(), "content-type-wrong", "%s: %s", a, a.header.Get("Content-Type"))
				}
				t.works(ctx)
			}),
		},
		// A body that is no JSON object of the route changes nothing and is not repeated:
		// there may be a key in it.
		{
			ID: "host.surface.malformed", Case: "surface", Clause: "host#bad-input",
			Level: check.Must, Provenance: check.Stated, Codes: codes("malformed-accepted", "malformed-crashed", "body-repeated"),
			Title: "refuses a body that is not JSON, without repeating it",
			Run: with(func(ctx context.Context, t *T) {
				for _, path := range posts() {
					for _, bad := range []string{
						`{"provider":"anthropic","apiKey":"KEY"`, `{"apiKey":"KEY"}}`, `{'apiKey':'KEY'}`, `KEY`, "\x00\xff KEY", `{"apiKey":"KEY","provider":}`,
					} {
						a := t.raw(ctx, path, strings.ReplaceAll(bad, "KEY", t.key()))
						t.badInput(a, "malformed", path)
					}
				}
				t.demand(!t.holdsKey(ctx, anthropic), "malformed-accepted", "the key was stored")
			}),
		},
		// JSON of another form is refused as well.
		{
			ID: "host.surface.wrong-types", Case: "surface", Clause: "host#bad-input",
			Level: check.Must, Provenance: check.Stated, Codes: codes("wrong-type-accepted", "wrong-type-crashed", "body-repeated"),
			Title: "refuses JSON of another type, without repeating it",
			Run: with(func(ctx context.Context, t *T) {
				for _, path := range posts() {
					for _, bad := range []string{
						`["KEY"]`, `"KEY"`, `{"provider":{"id":"KEY"},"taskId":["KEY"],"apiKey":"k"}`, `{"provider":true,"taskId":12,"apiKey":"KEY"}`,
					} {
						a := t.raw(ctx, path, strings.ReplaceAll(bad, "KEY", t.key()))
						t.badInput(a, "wrong-type", path)
					}
				}
				a := t.raw(ctx, nativePath+"/connect", `{"provider":"anthropic","apiKey":["`+t.key()+`"]}`)
				t.badInput(a, "wrong-type", "a list for a key")
				t.demand(!t.holdsKey(ctx, anthropic), "wrong-type-accepted", "a key was stored")
			}),
		},
		// A body is read as far as it can be one.
		{
			ID: "host.surface.large-body", Case: "surface", Clause: "host#body-limit",
			Level: check.Must, Provenance: check.Stated, Codes: codes("large-body-accepted", "large-body-crashed", "body-repeated", "host-lost"),
			Title: "refuses a body of ten mebibytes and goes on", Flood: true,
			Run: with(func(ctx context.Context, t *T) {
				body := []byte(`{"provider":"anthropic","apiKey":"` + t.key() + strings.Repeat("x", maxBody) + `"}`)
				a, err := check.Await(ctx, t.C, 5*t.Budgets.Call, func(ctx context.Context) (answer, error) {
					return t.send(ctx, http.MethodPost, nativePath+"/connect", "application/json", body)
				})
				switch {
				case errors.Is(err, check.ErrHung):
					t.Hung()
				case err == nil:
					t.badInput(a, "large-body", "connect")
				} // else the host has closed the connection on one that goes on sending
				after, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (answer, error) {
					return t.send(ctx, http.MethodGet, "/api/runtimes", "", nil)
				})
				t.demand(err == nil && after.status == http.StatusOK, "host-lost", "%s, %v", after, err)
				t.demand(!t.holdsKey(ctx, anthropic), "large-body-accepted", "the key was stored")
			}),
		},
		// Looking at a page changes nothing: browsers and crawlers do it unasked.
		{
			ID: "host.surface.methods", Case: "surface", Clause: "host#methods",
			Level: check.Must, Provenance: check.Implied, Codes: codes("get-accepted", "get-changes"),
			Title: "changes nothing on a GET",
			Run: with(func(ctx context.Context, t *T) {
				t.connected(ctx, anthropic, t.key())
				for _, path := range append(posts(), nativePath+"/disconnect") {
					a := t.get(ctx, path)
					t.demand(clientError(a.status), "get-accepted", "%s: %s", path, a)
				}
				t.demand(t.holdsKey(ctx, anthropic), "get-changes", "the key is gone")
			}),
		},
		// A runtime that there is not has no routes.
		{
			ID: "host.surface.unknown-runtime", Case: "surface", Clause: "host#unknown-runtime",
			Level: check.Must, Provenance: check.Stated, Codes: codes("unknown-runtime-accepted", "unknown-runtime-status"),
			Title: "has no routes of a runtime that it does not know",
			Run: with(func(ctx context.Context, t *T) {
				for _, id := range []string{"nobody", "openclaw", "clawboo-mock", "..%2Fclawboo-native", "CLAWBOO-NATIVE"} {
					for _, route := range []string{"connect", "disconnect", "run"} {
						a := t.post(ctx, "/api/runtimes/"+id+"/"+route, t.body(anthropic, t.key()))
						t.demand(a.status < 200 || a.status > 299, "unknown-runtime-accepted", "%s %s: %s", id, route, a)
						t.demand(clientError(a.status), "unknown-runtime-status", "%s %s: %s", id, route, a)
					}
				}
				t.demand(!t.holdsKey(ctx, anthropic), "unknown-runtime-accepted", "the key was stored")
			}),
		},
	}
}

// badInput judges the answer to a body that no route takes. The codes begin with what.
func (t *T) badInput(a answer, what, where string) {
	switch {
	case a.status < 400:
		t.Fail(check.Code(what+"-accepted"), "%s: %s", where, a)
	case !clientError(a.status):
		t.Fail(check.Code(what+"-crashed"), "%s: %s", where, a)
	case t.leaks(a.all()):
		t.Fail("body-repeated", "%s: %s", where, a)
	}
}

// pageChecks are about pages of other sites, which every browser on the machine may
// show: they can send requests to loopback.
func pageChecks() []check.Check {
	return []check.Check{
		{
			ID: "host.surface.foreign-origin", Case: "surface", Clause: "host#foreign-pages",
			Level: check.Should, Provenance: check.Decided, Codes: codes("foreign-origin-served"),
			Title: "refuses what a page of another site sends",
			Run: with(func(ctx context.Context, t *T) {
				a := t.post(ctx, nativePath+"/connect", t.body(anthropic, t.key()), func(r *http.Request) {
					r.Header.Set("Origin", "https://elsewhere.example")
					r.Header.Set("Content-Type", "text/plain") // no browser asks first whether it may send that
				})
				t.demand(clientError(a.status), "foreign-origin-served", "%s", a)
				t.demand(!t.holdsKey(ctx, anthropic), "foreign-origin-served", "the key was stored")
			}),
		},
		{
			ID: "host.surface.foreign-name", Case: "surface", Clause: "host#foreign-pages",
			Level: check.Should, Provenance: check.Decided, Codes: codes("foreign-name-served"),
			Title: "refuses requests to another name than its own",
			Run: with(func(ctx context.Context, t *T) {
				a := t.within(ctx, t.Budgets.Call, http.MethodGet, "/api/runtimes", nil, func(r *http.Request) { r.Host = "elsewhere.example" })
				t.demand(clientError(a.status), "foreign-name-served", "%s", a)
			}),
		},
	}
}
