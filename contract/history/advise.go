package history

// Advise lists what a valid history should rather not have: a result before its
// call, a second result for one call, and a result that names another tool than
// its call. Each code is given once per call id, in the order of the results that
// give rise to them, and carries the id of the message with the result. Ids that
// are not called exactly once are left to [Validate] (history#tool-order).
func Advise(messages []Message) []Issue {
	r := relationsOf(messages)
	calls := make([]advised, len(r.tools))
	for _, u := range r.uses {
		if !u.result {
			calls[u.id].name = u.name
		}
	}
	var issues []Issue
	for _, u := range r.uses {
		t, c := r.tools[u.id], &calls[u.id]
		if !u.result {
			c.called = true
			continue
		}
		if t.calls != 1 {
			continue
		}
		advise := func(code IssueCode, told *bool) {
			if !*told {
				*told = true
				issues = append(issues, Issue{code, messages[u.message].ID, t.id})
			}
		}
		if !c.called {
			advise(AdviceResultBeforeCall, &c.early)
		}
		if c.answered {
			advise(AdviceResultRepeated, &c.repeated)
		}
		if u.name != c.name {
			advise(AdviceResultNameMismatched, &c.misnamed)
		}
		c.answered = true
	}
	return issues
}

// advised is what Advise knows about one call id: the tool's name in its call,
// what was seen so far, and what was said about it.
type advised struct {
	name                      string
	called, answered          bool
	early, repeated, misnamed bool
}
