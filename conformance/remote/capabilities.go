package remote

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// readCapabilities reads what a subject says of itself. A field that is missing or
// of a wrong type becomes what the checks have a code for: a list of models that is
// none, a word outside its set, a count below zero. Where Go has no such value it is
// misread, and told as that.
func readCapabilities(raw jsontext.Value) (executor.Capabilities, []check.Code) {
	m, ok := membersOf(raw)
	if !ok {
		return executor.Capabilities{}, []check.Code{check.CapabilitiesNotObject}
	}
	r := capabilityReader{m: m}
	c := executor.Capabilities{
		Streaming: r.flag("streaming", true), MCP: r.flag("mcp", true), Worktrees: r.flag("worktrees", true),
		Resume: r.flag("resume", true), ToolApproval: r.flag("toolApproval", true),
		Steerable: r.flag("steerable", false), NativeScheduler: r.flag("nativeScheduler", false),
		RuntimeClass:   executor.RuntimeClass(r.word("runtimeClass")),
		NativeSkills:   executor.Preservation(r.word("nativeSkills")),
		NativeMemory:   executor.Preservation(r.word("nativeMemory")),
		NativeChannels: executor.Channels(r.word("nativeChannels")),
	}
	if v := m["contextWindowTokens"]; !absent(v) {
		if json.Unmarshal(v, &c.ContextWindowTokens) != nil {
			c.ContextWindowTokens = -1
		}
	}
	if v := m["nativeHome"]; !absent(v) {
		home, _ := membersOf(v) // what is no object has no scope
		c.NativeHome = &executor.NativeHome{Scope: executor.HomeScope(textOf(home["scope"])), Persist: isTrue(home["persist"])}
	}
	if list, ok := listOf(m["models"]); ok {
		c.Models = []string{}
		for _, model := range list {
			c.Models = append(c.Models, textOf(model))
		}
	}
	return c, r.misread
}

// notAWord stands where a word of a closed set belongs and a value of another type
// is.
const notAWord = "(not a string)"

type capabilityReader struct {
	m       map[string]jsontext.Value
	misread []check.Code
}

func (r *capabilityReader) flag(name string, required bool) bool {
	v := r.m[name]
	switch k := v.Kind(); {
	case k == 't', k == 'f':
	case !absent(v):
		r.misread = append(r.misread, check.FlagNotBoolean)
	case required:
		r.misread = append(r.misread, check.FlagMissing)
	}
	return isTrue(v)
}

func (r *capabilityReader) word(name string) string {
	if absent(r.m[name]) {
		return ""
	}
	if s, ok := stringOf(r.m[name]); ok {
		return s
	}
	return notAWord
}
