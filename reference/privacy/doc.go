// Package privacy decides what of a payload may be sent to a provider.
//
// An [Engine] is made from a [Config]. It looks at every string and every key of a
// payload, whatever its type or place. It takes out text whose class the provider
// may not see, takes out secrets, and returns a payload that shares nothing with
// the caller's. A payload that it cannot look through is refused, and a caller that
// gets an error sends nothing (history#privacy-fails-closed).
//
//	engine, err := privacy.New(privacy.Config{}) // the default policy
//	...
//	res, err := engine.Sanitize("openai", map[string]any{
//		"messages": []any{map[string]any{
//			"role":    "user",
//			"content": "keep [ds4:local-only]this[/ds4:local-only] here",
//		}},
//	})
//
// Sanitising what was sanitised changes nothing. The time it takes is linear in
// what is sent.
//
// It may import contract/history, the standard library and a strict JSON codec.
package privacy
