package history_test

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestDiagnosticSeverities(t *testing.T) {
	want := map[history.DiagnosticCode]history.Severity{
		"capability-declaration-invalid":      "",
		"capability-unsupported":              "",
		"canonical-history-read-failed":       "error",
		"canonical-history-identity-mismatch": "error",
		"canonical-history-invalid":           "error",
		"derived-state-rebuilt":               "info",
		"privacy-enforcement-failed":          "error",
		"completion-request-invalid":          "warning",
		"completion-transport-failed":         "warning",
		"local-kv-replay-failed":              "warning",
		"local-kv-shutdown-failed":            "warning",
		"adapter-closed":                      "info",
	}
	got := map[history.DiagnosticCode]history.Severity{}
	for _, c := range history.DiagnosticCodes() {
		got[c] = c.Severity()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if history.DiagnosticCode("other").Severity() != "" {
		t.Error("a code outside the set has a severity")
	}
}

func TestFallbacks(t *testing.T) {
	want := []history.CompletionResult{
		{Status: "fallback", Code: "adapter-closed", Reason: "r"},
		{Status: "fallback", Code: "invalid-request", Reason: "r"},
		{Status: "fallback", Code: "privacy-enforcement-failed", Reason: "r"},
		{Status: "fallback", Code: "transport-failed", Reason: "r", Retryable: true},
	}
	var got []history.CompletionResult
	for _, code := range history.FallbackCodes() {
		got = append(got, history.FallBack(code, "r"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPrivacySummaryLeavesThePayloadOut(t *testing.T) {
	r := history.PrivacyResult{Provider: "p", Destination: history.Remote, Payload: "secret", Changed: true, BlockedBlocks: 2, SecretRedactions: 3}
	got, err := json.Marshal(r.Summary())
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"provider":"p","destination":"remote","changed":true,"blockedBlocks":2,"secretRedactions":3}`; string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestModel(t *testing.T) {
	for _, text := range []string{
		`{"provider":"p","id":"m","contextWindow":32768}`,
		`{"provider":"p","id":"m","contextWindow":0.5,"maxTokens":4096,"reasoning":false,"input":["text"],"cost":{"input":1,"output":2,"cacheRead":0.1,"cacheWrite":0}}`,
	} {
		var m history.Model
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		c := m.Clone()
		got, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != text {
			t.Errorf("got  %s\nwant %s", got, text)
		}
		if m.Cost != nil {
			c.Cost.Input, c.Input[0] = 9, "image"
			if m.Cost.Input == 9 || m.Input[0] == "image" {
				t.Error("the clone shares memory")
			}
		}
	}
	if (*history.Model)(nil).Clone() != nil {
		t.Error("the clone of no model is one")
	}
}

func TestListsBelongToTheCaller(t *testing.T) {
	history.Capabilities()[0] = "x"
	history.Roles()[0] = "x"
	history.BlockTypes()[0] = "x"
	history.IssueCodes()[0] = "x"
	if history.Capabilities()[0] != history.Compaction || history.Roles()[0] != history.System ||
		history.BlockTypes()[0] != history.TypeText || history.IssueCodes()[0] != history.IssueSchemaIncompatible {
		t.Error("a list was changed for everyone")
	}
	if got := len(history.IssueCodes()); got != 15 {
		t.Errorf("%d issue codes", got)
	}
}
