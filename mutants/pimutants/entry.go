package pimutants

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

func entryMutants() []Mutant {
	const added, missing = "message-added", "message-missing"
	return []Mutant{
		{ID: "pi-labels-shown", Note: "shows labels as messages",
			Check: "history.canonical.messages", Code: added, Subject: shown("label", "label")},
		{ID: "pi-names-shown", Note: "shows the name of the session as a message",
			Check: "history.canonical.messages", Code: added, Subject: shown("session_info", "name")},
		{ID: "pi-state-shown", Note: "shows the state of extensions as messages",
			Check: "history.canonical.messages", Code: added, Subject: shown("custom", "customType")},
		{ID: "pi-models-shown", Note: "shows changes of the model as messages, also before anything was said",
			Check: "history.canonical.empty", Code: added, Subject: shown("model_change", "modelId")},
		{ID: "pi-thinking-levels-shown", Note: "shows changes of the thinking level as messages",
			Check: "history.canonical.empty", Code: added, Subject: shown("thinking_level_change", "thinkingLevel")},
		{ID: "pi-header-shown", Note: "shows the header as a message",
			Check: "history.canonical.empty", Code: added, Subject: misread(func(lines []line) []line {
				lines = slices.Insert(lines, 1, of(said("e0000001", `{"role":"system","content":"session"}`)))
				return straighten(lines)
			})},
		{ID: "pi-extensions-lost", Note: "loses the messages of extensions",
			Check: "history.canonical.messages-rich", Code: missing, Subject: lost(func(e entry) bool { return e.kind() == "custom_message" })},
		{ID: "pi-system-lost", Note: "loses system messages, as if they were made anew for every request",
			Check: "history.canonical.messages-rich", Code: missing, Subject: lost(func(e entry) bool { return roleIn(e) == "system" })},
		{ID: "pi-results-lost", Note: "loses tool results, which Pi keeps apart from the turn",
			Check: "history.canonical.messages", Code: missing, Subject: lost(func(e entry) bool { return roleIn(e) == "toolResult" })},
		{ID: "pi-latest-only", Note: "gives the last two hundred entries, as a list on a screen does",
			Check: "history.canonical.messages-many", Code: missing, Subject: misread(func(lines []line) []line {
				if len(lines) > 201 {
					lines = append(lines[:1:1], lines[len(lines)-200:]...)
					lines[1] = of(lines[1].entry.below(""))
				}
				return lines
			})},
	}
}

// roleIn is the role of the message in an entry, empty where there is none.
func roleIn(e entry) string {
	var m entry
	if json.Unmarshal(e["message"], &m) != nil {
		return ""
	}
	return m.text("role")
}

// shown makes messages of the entries of a kind: what a field says is the text.
func shown(kind, field string) func() check.Subject {
	return misread(func(lines []line) []line {
		for i, l := range lines {
			if l.entry.kind() == kind {
				lines[i] = of(l.entry.with("type", "custom_message").with("content", l.entry.text(field)))
			}
		}
		return lines
	})
}

// lost passes entries over; what stands below them moves up.
func lost(is func(e entry) bool) func() check.Subject {
	return misread(func(lines []line) []line {
		up, out := map[string]string{}, []line(nil)
		for _, l := range lines {
			parent := l.entry.text("parentId")
			if above, gone := up[parent]; gone {
				parent = above
			}
			switch {
			case l.entry == nil || l.entry.header():
				out = append(out, l)
			case is(l.entry):
				up[l.entry.text("id")] = parent
			default:
				out = append(out, of(l.entry.below(parent)))
			}
		}
		return out
	})
}
