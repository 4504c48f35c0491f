package historymutants

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// A blunt privacy policy, all of it: every provider is remote; a text with a
// marker that is not well paired withholds every text of the payload; a text with
// a marked part that is not for everyone is withheld whole; of everything else,
// what looks like a credential is withheld. It takes more than it must, which is
// right.

var (
	tag     = regexp.MustCompile(`(?i)\[(/?)ds4:(normal|internal|sensitive|local-only)\]`)
	secrets = regexp.MustCompile(`(?is)-----BEGIN[A-Z ]*PRIVATE KEY-----.*?-----END[A-Z ]*PRIVATE KEY-----` +
		`|\b(sk-|gh[pousr]_|AKIA)[A-Za-z0-9_-]{8,}` +
		`|\bbearer\s+[A-Za-z0-9._~+/=-]{8,}` +
		`|(api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|password)\s*[:=]\s*["']?[^\s,"';}\]]{4,}["']?`)
	// hints are what a credential that secrets finds has in it. A large text without
	// any is not searched further.
	hints = []string{"sk-", "gh", "akia", "bearer", "-----begin", "key", "token", "secret", "password"}
)

const withheld = "(withheld)"

// policy says what a screen does; the zero value does all it must. Mutants have
// one part changed.
type policy struct {
	tag, secrets *regexp.Regexp
	// more are credentials beside those.
	more *regexp.Regexp
	// local reports whether a provider is on this machine.
	local func(provider string) bool
	// passes reports whether a value under a key is let through unsearched.
	passes func(key string, v any) bool
	// unpaired lets through what broken markers mark.
	unpaired bool
	// strict refuses a payload with broken markers.
	strict bool
	// rawKeys leaves the keys of objects unsearched.
	rawKeys bool
	// odd lets through what is no plain data.
	odd bool
	// part withholds the marked part alone and not the whole text.
	part *regexp.Regexp
	// inPlace changes the payload that it is given.
	inPlace bool
	// mask gives what stands for a credential.
	mask func(secret string) string
}

type screen struct {
	policy
	result history.PrivacyResult
	broken bool
}

func (p policy) screen(req history.PrivacyRequest) (history.PrivacyResult, error) {
	if p.tag == nil {
		p.tag = tag
	}
	if p.mask == nil {
		p.mask = func(string) string { return withheld }
	}
	if blank(req.Provider) {
		return history.PrivacyResult{}, errors.New("no provider")
	}
	s := screen{policy: p}
	s.result.Provider, s.result.Destination = req.Provider, history.Remote
	if err := s.look(req.Payload, 0); err != nil {
		return history.PrivacyResult{}, err
	}
	if p.local != nil && p.local(req.Provider) {
		s.result.Destination, s.result.Payload = history.Local, req.Payload
		return s.result, nil
	}
	s.broken = s.broken && !p.unpaired
	if p.strict && s.broken {
		return history.PrivacyResult{}, errors.New("broken markers")
	}
	s.result.Payload = s.clean(req.Payload)
	return s.result, nil
}

// look refuses what is no plain data and finds broken markers.
func (s *screen) look(v any, depth int) error {
	if depth > 100 {
		return errors.New("the payload is too deep")
	}
	switch v := v.(type) {
	case nil, bool, int, int64, float64:
	case string:
		s.broken = s.broken || !paired(v)
	case []any:
		for _, x := range v {
			if err := s.look(x, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for k, x := range v {
			s.broken = s.broken || !paired(k)
			if err := s.look(x, depth+1); err != nil {
				return err
			}
		}
	default:
		if !s.odd {
			return errors.New("the payload is no plain data")
		}
	}
	return nil
}

// paired reports whether every tag of a text is closed before the next opens.
func paired(text string) bool {
	if !strings.Contains(text, "[") {
		return true
	}
	open := ""
	for _, m := range tag.FindAllStringSubmatch(text, -1) {
		class := strings.ToLower(m[2])
		switch {
		case m[1] == "" && open == "":
			open = class
		case m[1] == "/" && open == class:
			open = ""
		default:
			return false
		}
	}
	return open == ""
}

func (s *screen) clean(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = s.member("", x)
		}
		if s.inPlace {
			copy(v, out)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			to := k
			if !s.rawKeys {
				to = s.text(k)
			}
			out[to] = s.member(k, x)
			if s.inPlace {
				v[k] = out[to]
			}
		}
		return out
	}
	return v
}

func (s *screen) member(key string, v any) any {
	if s.passes != nil && s.passes(key, v) {
		return v
	}
	return s.clean(v)
}

func (s *screen) text(text string) string {
	private := false
	out := text
	if strings.Contains(text, "[") {
		for _, m := range s.tag.FindAllStringSubmatch(text, -1) {
			class := strings.ToLower(m[2])
			private = private || class == "local-only" || class == "sensitive"
		}
		out = s.tag.ReplaceAllString(out, "")
	}
	switch {
	case s.broken || (private && s.part == nil):
		s.result.BlockedBlocks++
		s.result.Changed = true
		return withheld
	case private:
		out = s.part.ReplaceAllStringFunc(text, func(string) string { s.result.BlockedBlocks++; return withheld })
		out = s.tag.ReplaceAllString(out, "")
	}
	for _, pattern := range s.patterns(out) {
		out = pattern.ReplaceAllStringFunc(out, func(found string) string { s.result.SecretRedactions++; return s.mask(found) })
	}
	s.result.Changed = s.result.Changed || out != text
	return out
}

// patterns are those that may find something in a text.
func (s *screen) patterns(text string) (out []*regexp.Regexp) {
	lower := strings.ToLower(text)
	switch {
	case s.secrets != nil:
		out = append(out, s.secrets)
	case slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(lower, h) }):
		out = append(out, secrets)
	}
	if s.more != nil && strings.ContainsAny(text, "0123456789") {
		out = append(out, s.more)
	}
	return out
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
