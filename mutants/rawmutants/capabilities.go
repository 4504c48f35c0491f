package rawmutants

import (
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// telling is a mutant of the executor contract that tells lies.
func telling(id, checkID string, code check.Code, note string, lies ...lie) Mutant {
	return Mutant{ID: "raw-" + id, Profile: report.Executor, Check: checkID, Code: code, Note: note, behaves: rewriting(lies...)}
}

// capabilityLies are about what an adapter says of itself.
func capabilityLies() []Mutant {
	const shape, asked = "executor.capabilities.shape", "adapter/capabilities"
	has := func(id string, code check.Code, note, member, json string) Mutant {
		return telling(id, shape, code, note, in(asked, "value."+member, json))
	}
	return []Mutant{
		telling("B07", shape, check.CapabilitiesNotObject, "gives a promise of its capabilities", in(asked, "value", promise)),
		telling("capabilities-undefined", shape, check.CapabilitiesNotObject, "gives no capabilities", in(asked, "value", undefined)),
		telling("capabilities-list", shape, check.CapabilitiesNotObject, "gives its capabilities as a list", in(asked, "value", `["streaming"]`)),
		has("B08", check.FlagMissing, "leaves out whether it asks before tools run", "toolApproval", missing),
		has("flag-text", check.FlagNotBoolean, "gives a flag as text", "streaming", `"true"`),
		has("flag-number", check.FlagNotBoolean, "gives an optional flag as a number", "steerable", `1`),
		has("B01", "model-blank", "lists null and a number among its models", "models", `["m",null,7]`),
		has("models-text", "models-missing", "gives one model in the place of a list", "models", `"m"`),
		has("B02", "context-window-negative", "gives its context window as text", "contextWindowTokens", `"-200000"`),
		has("window-nan", "context-window-negative", "has a context window that is no number", "contextWindowTokens", nan),
		has("class-number", "runtime-class-unknown", "gives its class as a number", "runtimeClass", `1`),
		has("home-text", "native-home-scope-unknown", "gives its home as a path", "nativeHome", `"/home/agent"`),
		has("skills-flag", "native-preservation-unknown", "gives a flag for what it keeps", "nativeSkills", `true`),
		has("channels-list", "native-channels-unknown", "gives a list of channels", "nativeChannels", `["gateway"]`),
	}
}
