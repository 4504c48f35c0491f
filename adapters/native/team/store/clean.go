package store

import (
	"regexp"
	"strings"

	"github.com/adaptercheck/adaptercheck/reference/privacy"
)

// unchecked stands for text in which no secret could be looked for.
const unchecked = "[not kept: the text could not be checked for secrets]"

// keeper is the policy for what is kept: as for a provider elsewhere, as that is
// where an agent's next turn takes it.
var keeper = func() *privacy.Engine {
	engine, err := privacy.New(privacy.Config{})
	if err != nil {
		panic(err) // the default policy
	}
	return engine
}()

// Clean takes out of a text what looks like a secret and what is marked as not to
// leave this machine. Bytes that are not UTF-8 become replacement characters. What
// was cleaned stays as it is.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	res, err := keeper.Sanitize("any", text)
	if err != nil {
		return unchecked
	}
	cleaned, ok := res.Payload.(string)
	if !ok {
		return unchecked
	}
	return cleaned
}

// placeholder is what stands where something was taken out.
var placeholder = regexp.MustCompile(`\[DS4 [A-Z :-]+\]`)

// nothingLeft reports whether a text said something and cleaning left nothing of it.
func nothingLeft(text, cleaned string) bool {
	return strings.TrimSpace(text) != "" && strings.TrimSpace(placeholder.ReplaceAllString(cleaned, "")) == ""
}
