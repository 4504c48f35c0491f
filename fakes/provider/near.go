package provider

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/internal/nearest"
)

// shownText is how much of a text a message about it has, in bytes.
const shownText = 80

// unmatched says that no rule is for a request, which is nearest, and why it is not it.
func (b *book) unmatched(q *query) string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	said := string(q.text())
	asked := fmt.Sprintf("request %d (%s, model %q, turn %d, text %s)", q.number, q.request.dialect, q.request.model, q.turn(), shown(said))
	if len(b.rules) == 0 {
		return asked + " matches no rule: there are none"
	}
	var best *rule
	var why []string
	least := 0
	for _, r := range b.rules {
		differs := q.differs(r)
		far := len(differs)
		switch {
		case r.spent():
			far-- // it was meant, and had its time
		case r.before != nil && !r.waits():
			far = -1 // its time is now
		}
		if best == nil || far < least {
			best, why, least = r, differs, far
		}
	}
	return fmt.Sprintf("%s matches none of %d rules; nearest is %s: %s", asked, len(b.rules), best.name(), strings.Join(why, "; "))
}

// differs lists why a rule is not for a request.
func (q *query) differs(r *rule) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	w, a, said := r.When, q.request, string(q.text())
	if w.Dialect != "" && w.Dialect != a.dialect {
		say("dialect is %s, want %s", a.dialect, w.Dialect)
	}
	if w.Model != "" && !models(w.Model, a.model) {
		say("model is %q, want %q%s", a.model, w.Model, slip(a.model, w.Model))
	}
	if w.Request != 0 && w.Request != q.number {
		say("request is %d, want %d", q.number, w.Request)
	}
	if w.Turn != 0 && w.Turn != q.turn() {
		say("turn is %d, want %d", q.turn(), w.Turn)
	}
	if w.Text != "" && !strings.Contains(said, w.Text) {
		say("text is %s, want %s in it%s", shown(said), shown(w.Text), slip(said, w.Text))
	}
	if w.System != "" && !strings.Contains(string(q.systemText()), w.System) {
		say("system prompt has no %s", shown(w.System))
	}
	fresh := a.fresh()
	if w.Result != "" && !slices.Contains(fresh, w.Result) {
		say("results are of calls %q, want one of %q%s", fresh, w.Result, nearest.Hint(w.Result, fresh))
	}
	flag := func(what string, want *bool, is bool) {
		if want != nil && *want != is {
			say("%s is %t, want %t", what, is, *want)
		}
	}
	flag("results", w.Results, len(fresh) > 0)
	flag("tools", w.Tools, len(a.tools) > 0)
	flag("stream", w.Stream, a.stream)
	if r.waits() {
		say("it follows %s, which is not used up", r.before.name())
	}
	if r.spent() {
		say("it is used up, after %d", r.Times)
	}
	return out
}

// slip points out a difference that is easily overlooked.
func slip(is, want string) string {
	if is != want && nearest.Word(is, []string{want}) != "" && len(is) < shownText {
		return " (nearly the same)"
	}
	return ""
}

// shown quotes a text, or its beginning.
func shown(text string) string {
	if len(text) <= shownText {
		return fmt.Sprintf("%q", text)
	}
	cut := shownText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%q… (%d bytes)", text[:cut], len(text))
}
