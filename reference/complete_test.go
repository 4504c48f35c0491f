package reference

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

type object = map[string]any

const (
	key       = "sk-abcdefgh12345"
	blockedLO = "[DS4 local-only content excluded by privacy policy]"
	redacted  = "[DS4 REDACTED CREDENTIAL]"
)

// spy is a transport that remembers what it got.
type spy struct {
	got    []history.TransportRequest
	answer func() (any, error)
}

func (s *spy) transport(_ context.Context, req history.TransportRequest) (any, error) {
	s.got = append(s.got, req)
	if s.answer != nil {
		return s.answer()
	}
	return object{"ok": 1}, nil
}

func withSpy(t *testing.T, edit func(*Options)) (*Adapter, *spy) {
	t.Helper()
	s := &spy{}
	opts := newHome(t, fixture()...).options()
	opts.Transport = s.transport
	if edit != nil {
		edit(&opts)
	}
	return adapter(t, opts), s
}

func TestComplete(t *testing.T) {
	private := func() any {
		return object{"messages": []any{object{"role": "user", "content": "[ds4:local-only]vault[/ds4:local-only]", "note": key}}}
	}
	clean := object{"messages": []any{object{"role": "user", "content": blockedLO, "note": redacted}}}
	fallback := func(code history.FallbackCode, reason string, retryable bool) history.CompletionResult {
		return history.CompletionResult{Status: "fallback", Code: code, Reason: reason, Retryable: retryable}
	}
	for _, c := range []struct {
		name    string
		req     history.CompletionRequest
		answer  func() (any, error)
		want    history.CompletionResult
		sent    []history.TransportRequest
		reports string
	}{
		{"completed", history.CompletionRequest{Provider: "openai", Model: "m", Payload: private()}, nil,
			history.CompletionResult{Status: "completed", Output: object{"ok": 1}, Privacy: &history.PrivacySummary{
				Provider: "openai", Destination: "remote", Changed: true, BlockedBlocks: 1, SecretRedactions: 1}},
			[]history.TransportRequest{{Provider: "openai", Model: "m", Destination: "remote", Payload: clean}}, ""},
		{"completed with a local provider", history.CompletionRequest{Provider: " Ollama ", Model: "m", Payload: object{"content": key}}, nil,
			history.CompletionResult{Status: "completed", Output: object{"ok": 1}, Privacy: &history.PrivacySummary{
				Provider: " Ollama ", Destination: "local"}},
			[]history.TransportRequest{{Provider: " Ollama ", Model: "m", Destination: "local", Payload: object{"content": key}}}, ""},
		{"output may be nothing", history.CompletionRequest{Provider: "openai", Model: "m"}, func() (any, error) { return nil, nil },
			history.CompletionResult{Status: "completed", Privacy: &history.PrivacySummary{Provider: "openai", Destination: "remote"}},
			[]history.TransportRequest{{Provider: "openai", Model: "m", Destination: "remote"}}, ""},
		{"blank provider", history.CompletionRequest{Provider: " \u00a0", Model: "m", Payload: func() {}}, nil,
			fallback("invalid-request", "the request names no provider or no model", false), nil, "completion-request-invalid:warning"},
		{"blank model", history.CompletionRequest{Provider: "p", Model: "\n"}, nil,
			fallback("invalid-request", "the request names no provider or no model", false), nil, "completion-request-invalid:warning"},
		{"hostile payload", history.CompletionRequest{Provider: "p", Model: "m", Payload: object{"messages": func() any { panic("x") }}}, nil,
			fallback("privacy-enforcement-failed", "privacy enforcement failed closed", false), nil, "privacy-enforcement-failed:error"},
		{"20k-deep payload", history.CompletionRequest{Provider: "p", Model: "m", Payload: deep(20_000)}, nil,
			fallback("privacy-enforcement-failed", "privacy enforcement failed closed", false), nil, "privacy-enforcement-failed:error"},
		{"transport fails", history.CompletionRequest{Provider: "p", Model: "m", Payload: "x"}, func() (any, error) { return "half", errors.New("PROBE") },
			fallback("transport-failed", "the transport failed", true),
			[]history.TransportRequest{{Provider: "p", Model: "m", Destination: "remote", Payload: "x"}}, "completion-transport-failed:warning"},
		{"transport panics", history.CompletionRequest{Provider: "p", Model: "m", Payload: "x"}, func() (any, error) { panic("PROBE") },
			fallback("transport-failed", "the transport failed", true),
			[]history.TransportRequest{{Provider: "p", Model: "m", Destination: "remote", Payload: "x"}}, "completion-transport-failed:warning"},
		{"alias (D1)", history.CompletionRequest{Provider: "p", Model: "m", Payload: func() any {
			o := object{"note": key}
			return object{"extra": o, "messages": []any{o}}
		}()}, nil,
			history.CompletionResult{Status: "completed", Output: object{"ok": 1}, Privacy: &history.PrivacySummary{
				Provider: "p", Destination: "remote", Changed: true, SecretRedactions: 2}},
			[]history.TransportRequest{{Provider: "p", Model: "m", Destination: "remote",
				Payload: object{"extra": object{"note": redacted}, "messages": []any{object{"note": redacted}}}}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, s := withSpy(t, nil)
			s.answer = c.answer
			got, err := a.Complete(t.Context(), c.req)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff(c.sent, s.got); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if codes(a) != c.reports {
				t.Errorf("diagnostics %q, want %q", codes(a), c.reports)
			}
			if c.want.Status == history.Completed {
				return
			}
			// A fallback leaves the adapter fit.
			s.answer = nil
			if next, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m", Payload: "x"}); err != nil || next.Status != history.Completed {
				t.Errorf("the next completion: %+v, error %v", next, err)
			}
		})
	}
}

func deep(levels int) any {
	var v any = "x"
	for range levels {
		v = []any{v}
	}
	return v
}

func TestCompleteLeavesTheCallersPayloadAlone(t *testing.T) {
	for _, disabled := range []bool{false, true} {
		a, s := withSpy(t, func(o *Options) { o.Privacy.Disabled = disabled })
		payload := object{"messages": []any{object{"content": key}}}
		if _, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m", Payload: payload}); err != nil {
			t.Fatal(err)
		}
		s.got[0].Payload.(object)["messages"].([]any)[0].(object)["content"] = "changed by the transport"
		if diff := cmp.Diff(object{"messages": []any{object{"content": key}}}, payload); diff != "" {
			t.Errorf("disabled %t (-want +got):\n%s", disabled, diff)
		}
	}
}

func TestCompleteWithoutTransport(t *testing.T) {
	a := adapter(t, newHome(t).options())
	got, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m"})
	if err != nil || got.Code != history.FallbackTransport || codes(a) != "completion-transport-failed:warning" {
		t.Errorf("%+v, error %v, diagnostics %s", got, err, codes(a))
	}
}

// What comes to an end after the shutdown writes nothing down any more.
func TestNothingIsReportedAfterTheShutdown(t *testing.T) {
	a, s := withSpy(t, nil)
	s.answer = func() (any, error) { a.Shutdown(t.Context()); return nil, errors.New("cut off") }
	got, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m", Payload: "x"})
	if err != nil || got.Code != history.FallbackTransport || codes(a) != "adapter-closed:info" {
		t.Errorf("%s, error %v, diagnostics %s", got.Code, err, codes(a))
	}
}

func TestEnforcePrivacy(t *testing.T) {
	a, _ := withSpy(t, nil)
	payload := object{"messages": []any{object{"content": "[ds4:local-only]vault[/ds4:local-only] " + key}}}
	got, err := a.EnforcePrivacy(t.Context(), history.PrivacyRequest{Provider: "OpenAI", Payload: payload})
	want := history.PrivacyResult{Provider: "OpenAI", Destination: history.Remote, Changed: true, BlockedBlocks: 1, SecretRedactions: 1,
		Payload: object{"messages": []any{object{"content": blockedLO + " " + redacted}}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if _, err := a.EnforcePrivacy(t.Context(), history.PrivacyRequest{Provider: " ", Payload: payload}); err != ErrProvider || codes(a) != "" {
		t.Errorf("blank provider: error %v, diagnostics %s", err, codes(a))
	}
	got, err = a.EnforcePrivacy(t.Context(), history.PrivacyRequest{Provider: "p", Payload: []byte(key)})
	if diff := cmp.Diff(history.PrivacyResult{}, got); diff != "" || err != ErrPrivacy {
		t.Errorf("D4: error %v (-want +got):\n%s", err, diff)
	}
	if codes(a) != "privacy-enforcement-failed:error" {
		t.Errorf("diagnostics %s", codes(a))
	}
}
