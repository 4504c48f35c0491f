package config

import (
	"regexp"
	"testing"
)

// A file is read, or refused with its name, a line and a column.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", whole, "schema: adaptercheck-config-v1\n", "schema: adaptercheck-config-v1\nsubjects: [a]\n", "a: &a [*a]\n",
		"schema: adaptercheck-config-v1\nsubjects:\n  x: {command: [a], fake: codx}\n", "budgets: {call: -1s}\n", "- 1\n", "\xff", "a: b: c\n",
	} {
		f.Add([]byte(seed))
	}
	place := regexp.MustCompile(`^f\.yaml:\d+:\d+: .`)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f.yaml", data, known)
		switch {
		case len(data) > maxSize:
		case err == nil:
			if c.Path != "f.yaml" {
				t.Errorf("path %q", c.Path)
			}
		case !place.MatchString(err.Error()):
			t.Errorf("the error names no place: %v", err)
		}
	})
}
