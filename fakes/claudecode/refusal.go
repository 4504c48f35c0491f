package claudecode

import (
	"fmt"
	"strings"
)

// refusedCode is the code of an error that does not end the run: safeguards stopped what
// the model said, and it is asked once more.
const refusedCode = "refusal"

// stopped tells that safeguards stopped the message. Versions that do not ask again have
// no form for it.
func (r *renderer) stopped() error {
	if r.version.shape < v21332 {
		return unplayable("a refusal that is tried again")
	}
	if err := r.close("end_turn"); err != nil {
		return err
	}
	if r.turn == nil || r.turn.last == nil {
		return unplayable("a refusal before the model said anything")
	}
	r.turn.stops++
	notice := title(r.model) + "'s safeguards stopped the response above · continuing once with that noted"
	if err := r.system("informational", member{"content", notice}, member{"level", "notice"}); err != nil {
		return err
	}
	return r.user([]object{textBlock("Your response above was stopped by a safety classifier — this is not a tool or API error. The rest of it was withheld, " +
		"and tool calls in it that had not finished did not run. Do not produce that content again, even reworded.")},
		member{"isSynthetic", true}, member{"refused_message_id", r.turn.last.id}, member{"refusal_retry", true})
}

// refused ends the turn: the model would not answer. Text is what the CLI says in its
// stead; empty is what it says by itself.
func (r *renderer) refused(text string) error {
	if err := r.close("end_turn"); err != nil {
		return err
	}
	if r.turn == nil || r.turn.last == nil {
		return unplayable("a refusal before the model said anything")
	}
	m := r.turn.last
	r.turn.stops++
	if r.version.shape >= v21197 {
		if err := r.system("model_refusal_no_fallback", member{"original_model", r.model}, member{"request_id", m.request}, member{"api_refusal_category", nil},
			member{"api_refusal_explanation", nil}, member{"refused_user_message_uuid", r.ids.uuid()}, member{"content", ""}); err != nil {
			return err
		}
	}
	if text == "" {
		text = r.refusalText(m)
	}
	return r.apiFailed(apiError{word: "invalid_request", refused: m}, text)
}

func (r *renderer) refusalText(m *message) string {
	if r.version.shape < v21332 {
		return "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy " +
			"(https://www.anthropic.com/legal/aup). Try rephrasing the request in a new session or change your model.\n\nRequest ID: " + m.request
	}
	name := title(r.model)
	return fmt.Sprintf("API Error: %s's safeguards flagged this message (https://www.anthropic.com/legal/aup). This sometimes happens with safe, normal conversations. "+
		"Claude Code can't respond to this message with %s.\n\nTry rephrasing the request in a new session or change your model.\n\n"+
		"Learn more: https://support.claude.com/en/articles/8106465\n\nRequest ID: %s\n\nMessage ID: %s", name, name, m.request, m.id)
}

// title is how the CLI names a model to people: claude-opus-5-5 is Opus 5.5.
func title(model string) string {
	family, number, _ := strings.Cut(strings.TrimPrefix(apiName(model), "claude-"), "-")
	return strings.TrimSpace(capital(family) + " " + strings.ReplaceAll(number, "-", "."))
}

// capital begins a word with a capital letter.
func capital(word string) string {
	return strings.ToUpper(word[:min(1, len(word))]) + word[min(1, len(word)):]
}
