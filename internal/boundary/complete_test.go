package boundary_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// enforcer is a policy made of a function.
type enforcer func(provider string, payload any) (history.PrivacyResult, error)

func (e enforcer) Enforce(_ context.Context, provider string, payload any) (history.PrivacyResult, error) {
	return e(provider, payload)
}

// clean lets everything through, under another payload.
func clean(provider string, _ any) (history.PrivacyResult, error) {
	return history.PrivacyResult{Provider: provider, Destination: history.Remote, Payload: "clean", Changed: true, SecretRedactions: 2}, nil
}

const canary = "canary-7f3e"

func TestComplete(t *testing.T) {
	request := history.CompletionRequest{Provider: "p", Model: "m", Payload: "raw " + canary}
	done := history.CompletionResult{
		Status: history.Completed, Output: "out",
		Privacy: &history.PrivacySummary{Provider: "p", Destination: history.Remote, Changed: true, SecretRedactions: 2},
	}
	fallback := func(code history.FallbackCode) history.CompletionResult {
		return history.CompletionResult{Status: history.Fallback, Code: code, Retryable: code.Retryable()}
	}
	for _, c := range []struct {
		name    string
		request history.CompletionRequest
		privacy boundary.Enforcer
		answer  func() (any, error)
		closed  bool
		want    history.CompletionResult
		said    []history.DiagnosticCode
		calls   int
	}{
		{name: "completed", request: request, privacy: enforcer(clean), want: done, calls: 1},
		{name: "blank provider", request: history.CompletionRequest{Provider: "\ufeff ", Model: "m"}, privacy: enforcer(clean),
			want: fallback(history.FallbackInvalid), said: []history.DiagnosticCode{history.CodeCompletionInvalid}},
		{name: "blank model", request: history.CompletionRequest{Provider: "p"}, privacy: enforcer(clean),
			want: fallback(history.FallbackInvalid), said: []history.DiagnosticCode{history.CodeCompletionInvalid}},
		{name: "no policy", request: request, want: fallback(history.FallbackPrivacy), said: []history.DiagnosticCode{history.CodePrivacyFailed}},
		{name: "policy refuses", request: request,
			privacy: enforcer(func(string, any) (history.PrivacyResult, error) { return history.PrivacyResult{}, errors.New(canary) }),
			want:    fallback(history.FallbackPrivacy), said: []history.DiagnosticCode{history.CodePrivacyFailed}},
		{name: "policy panics", request: request,
			privacy: enforcer(func(string, any) (history.PrivacyResult, error) { panic(canary) }),
			want:    fallback(history.FallbackPrivacy), said: []history.DiagnosticCode{history.CodePrivacyFailed}},
		{name: "policy says nothing", request: request,
			privacy: enforcer(func(string, any) (history.PrivacyResult, error) { return history.PrivacyResult{}, nil }),
			want:    fallback(history.FallbackPrivacy), said: []history.DiagnosticCode{history.CodePrivacyFailed}},
		{name: "transport fails", request: request, privacy: enforcer(clean),
			answer: func() (any, error) { return nil, errors.New(canary) },
			want:   fallback(history.FallbackTransport), said: []history.DiagnosticCode{history.CodeTransportFailed}, calls: 1},
		{name: "transport panics", request: request, privacy: enforcer(clean),
			answer: func() (any, error) { panic(canary) },
			want:   fallback(history.FallbackTransport), said: []history.DiagnosticCode{history.CodeTransportFailed}, calls: 1},
		// Being closed comes before everything else, and leaves no record.
		{name: "closed", request: history.CompletionRequest{}, privacy: enforcer(clean), closed: true,
			want: fallback(history.FallbackClosed), said: []history.DiagnosticCode{history.CodeAdapterClosed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sent []history.TransportRequest
			b := boundary.New(boundary.Options{Privacy: c.privacy, Transport: func(_ context.Context, req history.TransportRequest) (any, error) {
				sent = append(sent, req)
				if c.answer != nil {
					return c.answer()
				}
				return "out", nil
			}})
			if c.closed {
				_ = b.Shutdown(t.Context())
			}
			got, err := b.Complete(t.Context(), c.request)
			if err != nil {
				t.Errorf("error %v, want none", err)
			}
			if got.Status == history.Fallback && (got.Reason == "" || cmp.Diff(got.Reason, canary) == "") {
				t.Errorf("reason %q", got.Reason)
			}
			got.Reason = ""
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.said, codesOf(b)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			if len(sent) != c.calls {
				t.Fatalf("%d transport calls, want %d", len(sent), c.calls)
			}
			want := history.TransportRequest{Provider: "p", Model: "m", Destination: history.Remote, Payload: "clean"}
			for _, req := range sent {
				if diff := cmp.Diff(want, req); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestNoTransport(t *testing.T) {
	b := boundary.New(boundary.Options{Privacy: enforcer(clean)})
	got, err := b.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m"})
	if err != nil || got.Code != history.FallbackTransport {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A payload whose screening outlasts the adapter is not sent.
func TestShutdownWhileScreening(t *testing.T) {
	var b *boundary.Boundary
	b = boundary.New(boundary.Options{
		Privacy: enforcer(func(provider string, payload any) (history.PrivacyResult, error) {
			_ = b.Shutdown(t.Context())
			return clean(provider, payload)
		}),
		Transport: func(context.Context, history.TransportRequest) (any, error) {
			t.Error("sent after shutdown")
			return nil, nil
		},
	})
	got, err := b.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m"})
	if err != nil || got.Code != history.FallbackClosed {
		t.Errorf("got %+v, %v", got, err)
	}
}

// reuser makes a way through a local KV port, and a transport that counts.
func reuser(reuse boundary.Reuse) (b *boundary.Boundary, sent *int) {
	sent = new(int)
	return boundary.New(boundary.Options{
		Privacy: enforcer(clean),
		Reuse:   reuse,
		Transport: func(context.Context, history.TransportRequest) (any, error) {
			*sent++
			return "sent", nil
		},
	}), sent
}

func TestReuse(t *testing.T) {
	use := history.LocalKVUse{Mode: history.LocalKVModeHit, PrefixTokens: 3}
	for _, ok := range []bool{true, false} {
		b, sent := reuser(func(_ context.Context, req history.TransportRequest) (any, history.LocalKVUse, bool) {
			return req.Payload, use, ok
		})
		got, err := b.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m"})
		switch {
		case err != nil || got.Status != history.Completed:
			t.Errorf("ok %t: got %+v, %v", ok, got, err)
		case ok && (got.Output != "clean" || got.LocalKV == nil || *got.LocalKV != use || *sent != 0):
			t.Errorf("got %+v, sent %d times", got, *sent)
		case !ok && (got.Output != "sent" || got.LocalKV != nil || *sent != 1):
			t.Errorf("passed by: got %+v, sent %d times", got, *sent)
		}
	}
}

// A payload does not leave any more when the adapter was closed while its port was
// at work.
func TestShutdownDuringReuse(t *testing.T) {
	var b *boundary.Boundary
	b, sent := reuser(func(ctx context.Context, _ history.TransportRequest) (any, history.LocalKVUse, bool) {
		_ = b.Shutdown(ctx)
		return nil, history.LocalKVUse{}, false
	})
	got, err := b.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m"})
	if err != nil || got.Code != history.FallbackClosed || *sent != 0 {
		t.Errorf("got %+v, %v, sent %d times", got, err, *sent)
	}
}

func TestEnforcePrivacy(t *testing.T) {
	for _, c := range []struct {
		name     string
		provider string
		privacy  boundary.Enforcer
		closed   bool
		want     error
		said     int
	}{
		{name: "let through", provider: "p", privacy: enforcer(clean)},
		{name: "blank provider", provider: "\t", privacy: enforcer(clean), want: boundary.ErrProvider},
		{name: "refused", provider: "p", privacy: enforcer(func(string, any) (history.PrivacyResult, error) { return history.PrivacyResult{}, errors.New(canary) }), want: boundary.ErrPrivacy, said: 1},
		{name: "no policy", provider: "p", want: boundary.ErrPrivacy, said: 1},
		{name: "closed", provider: "p", privacy: enforcer(clean), closed: true, want: boundary.ErrClosed, said: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := boundary.New(boundary.Options{Privacy: c.privacy})
			if c.closed {
				_ = b.Shutdown(t.Context())
			}
			got, err := b.EnforcePrivacy(t.Context(), history.PrivacyRequest{Provider: c.provider, Payload: canary})
			if err != c.want {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if (got.Payload != nil) != (c.want == nil) {
				t.Errorf("payload %v beside error %v", got.Payload, err)
			}
			if n := len(b.Diagnostics()); n != c.said {
				t.Errorf("%d diagnostics, want %d", n, c.said)
			}
		})
	}
}

func codesOf(b *boundary.Boundary) []history.DiagnosticCode {
	var out []history.DiagnosticCode
	for _, d := range b.Diagnostics() {
		out = append(out, d.Code)
	}
	return out
}
