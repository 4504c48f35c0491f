package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/internal/redact"
)

func TestString(t *testing.T) {
	tests := []struct {
		name         string
		secrets, env []string
		in, want     string
	}{
		{name: "nothing to mask", in: "plain", want: "plain"},
		{name: "a secret", secrets: []string{"sk-1234"}, in: "key sk-1234.", want: "key [redacted]."},
		{name: "value of a variable", env: []string{"KEY=dummy", "EMPTY=", "bare"}, in: "provided: dummy., KEY", want: "provided: [redacted]., KEY"},
		{name: "value with an equals sign", env: []string{"KEY=ab=cd"}, in: "ab=cd cd", want: "[redacted] cd"},
		{name: "short values stay", env: []string{"A=1", "B=yes", "C=redacted"}, in: "1 yes", want: "1 yes"},
		{name: "blank values stay", secrets: []string{"      "}, in: "a      b", want: "a      b"},
		{name: "one secret inside another", secrets: []string{"abcd", "xabcdx"}, in: "xabcdx abcd", want: "[redacted] [redacted]"},
		{name: "overlapping secrets leave no end", secrets: []string{"abcde", "defgh"}, in: "-abcdefgh-", want: "-[redacted]-"},
		{name: "a secret that overlaps itself", secrets: []string{"abab"}, in: "ababab!", want: "[redacted]!"},
		{name: "lines of a secret", secrets: []string{"first-line\nsecond-line"}, in: "x second-line y", want: "x [redacted] y"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := redact.New(test.secrets, test.env)
			got := r.String(test.in)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if again := r.String(got); again != got {
				t.Errorf("not idempotent: %q became %q", got, again)
			}
		})
	}
}

func TestCutComesAfterTheMask(t *testing.T) {
	r := redact.New([]string{"secret-value"}, nil)
	in := "aé secret-value zß"
	for limit := range len(in) + 1 {
		for how, got := range map[string]string{"head": r.Head(in, limit), "tail": r.Tail(in, limit)} {
			if len(got) > limit && len(r.String(in)) > limit {
				t.Errorf("%s %d: %d bytes", how, limit, len(got))
			}
			if !utf8.ValidString(got) {
				t.Errorf("%s %d: %q is not UTF-8", how, limit, got)
			}
			if rest := strings.ReplaceAll(got, redact.Mask, ""); strings.ContainsAny(rest, "[]") || strings.Contains(rest, "secret") {
				t.Errorf("%s %d: %q holds a part of a mask or of the secret", how, limit, got)
			}
		}
	}
}

func TestZeroValue(t *testing.T) {
	var r *redact.Redactor
	if got := r.Head("text", 2); got != "te" {
		t.Errorf("got %q", got)
	}
	if got := new(redact.Redactor).Tail("text", 2); got != "xt" {
		t.Errorf("got %q", got)
	}
}
