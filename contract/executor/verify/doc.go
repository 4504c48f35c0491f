// Package verify judges event streams. Its rules are pure functions over the
// events that one observer saw, in the order in which it saw them; checks, laws,
// field cases and replays all judge by them, so that one stream has one judgement.
//
// A [Finding] names a code and a place, never content.
//
//	for _, f := range verify.Stream(events) {
//		t.Errorf("event %d: %s", f.Index, f.Code)
//	}
//
// The package imports contract/executor.
package verify
