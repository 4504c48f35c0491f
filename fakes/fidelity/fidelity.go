// Package fidelity compares what a fake prints with what a real runtime was recorded
// to print: decoded JSON, key order free, placeholders for values that differ from run
// to run.
//
//	problem := fidelity.Differ(recording.Lines(), lines, nil)
//
// A placeholder is <NAME> or <NAME_1>. It stands for any text, for the same one
// wherever it occurs, and two do not stand for one text. <TS> is a time and stands for
// any text each time, and so does <TRIMMED n chars>, a text that was cut.
//
// The package is for tests of fakes. It imports nothing of this tree.
package fidelity

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

var placeholder = regexp.MustCompile(`<[A-Z][A-Z-]*(?:_[0-9]+)?>|<TRIMMED [0-9]+ chars>`)

// Differ says where got differs from want, line by line; empty is nowhere. Known is
// what placeholders are known to stand for, as what the runtime was given.
func Differ(want, got [][]byte, known map[string]string) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d lines, recorded %d:\n%s", len(got), len(want), bytes.Join(got, []byte("\n")))
	}
	c := comparison{stands: maps.Clone(known), taken: map[string]string{}}
	if c.stands == nil {
		c.stands = map[string]string{}
	}
	for name, value := range known {
		c.taken[value] = name
	}
	for i := range want {
		if bytes.Equal(want[i], got[i]) {
			continue
		}
		var w, g any
		if err := json.Unmarshal(want[i], &w); err != nil { // a line of text
			if !c.matches(string(want[i]), string(got[i])) {
				return fmt.Sprintf("line %d (-recorded +fake):\n%s", i+1, cmp.Diff(string(want[i]), string(got[i])))
			}
			continue
		}
		if err := json.Unmarshal(got[i], &g); err != nil {
			return fmt.Sprintf("line %d is no JSON: %v", i+1, err)
		}
		if diff := cmp.Diff(c.resolve(w, g), g); diff != "" {
			return fmt.Sprintf("line %d (-recorded +fake):\n%s", i+1, diff)
		}
	}
	return ""
}

// comparison is what placeholders stand for so far.
type comparison struct {
	stands map[string]string // by placeholder
	taken  map[string]string // placeholder, by what it stands for
}

// resolve puts into a recorded value what its placeholders stand for in got.
func (c comparison) resolve(want, got any) any {
	switch want := want.(type) {
	case string:
		if g, ok := got.(string); ok && c.matches(want, g) {
			return g
		}
	case []any:
		g, _ := got.([]any)
		for i := range min(len(want), len(g)) {
			want[i] = c.resolve(want[i], g[i])
		}
	case map[string]any:
		g, _ := got.(map[string]any)
		for key := range want {
			want[key] = c.resolve(want[key], g[key])
		}
	}
	return want
}

func (c comparison) matches(want, got string) bool {
	names := placeholder.FindAllString(want, -1)
	if len(names) == 0 {
		return want == got
	}
	pattern := "(?s)^"
	for i, literal := range placeholder.Split(want, -1) {
		pattern += regexp.QuoteMeta(literal)
		if i < len(names) {
			pattern += c.expected(names[i])
		}
	}
	found := regexp.MustCompile(pattern + "$").FindStringSubmatch(got)
	if found == nil {
		return false
	}
	for i, name := range names {
		if anything(name) {
			continue
		}
		value := found[i+1]
		if old, known := c.stands[name]; known && old != value {
			return false
		}
		if other, used := c.taken[value]; used && other != name {
			return false
		}
		c.stands[name], c.taken[value] = value, name
	}
	return true
}

// expected is the pattern of a placeholder: what it is known to stand for, or any text.
func (c comparison) expected(name string) string {
	if value, known := c.stands[name]; known {
		return "(" + regexp.QuoteMeta(value) + ")"
	}
	return "(.+)"
}

func anything(name string) bool { return name == "<TS>" || strings.HasPrefix(name, "<TRIMMED ") }
