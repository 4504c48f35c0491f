package historytest

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/contract/history/localkv"
)

// The suite computes a fingerprint by itself, and gets what the contract's own code
// and the original get.
func TestFingerprintOf(t *testing.T) {
	key, refusal := localkv.Eligible(localkv.Input{
		Enabled: true, CapabilityEnabled: true, CapabilityVersion: "v", Destination: history.Local,
		RuntimeID: "rt", RuntimeRevision: "rr", Provider: "ollama", Model: "m", ModelRevision: "mr", PrivacyPolicyVersion: "pp",
		PromptPrefix: "prefix", SystemOptions: localkv.OptionsOf(map[string]any{}), ToolOptions: localkv.OptionsOf([]any{}),
	})
	if refusal != "" {
		t.Fatal(refusal)
	}
	const original = "718b0b150199838ce37c94c33793fdc18a8b9554de4c5fadf800b9bb9d8580d6"
	if got := fingerprintOf(key); got != key.Fingerprint || got != original {
		t.Errorf("got %s, the library %s, the original %s", got, key.Fingerprint, original)
	}
}
