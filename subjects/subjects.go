// Package subjects says who is paired with what: one descriptor per adapter of
// this tree, by name, with the runtime that it is judged against.
//
// It imports adapters, fakes, reference and conformance/check.
package subjects

import "github.com/adaptercheck/adaptercheck/conformance/check"

// All lists the subjects of this tree, in the order in which they are run.
func All() []check.Subject {
	return []check.Subject{Memory(), JSONLReference(), Pi(), Codex(), CodexAppServer(), ACP(), ClaudeCode(), Hermes(), HermesStream(), OpenClaw(), Native(), NativeChat(), NativeHost()}
}

// Find returns the subject with the name, and false if there is none.
func Find(name string) (check.Subject, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return check.Subject{}, false
}
