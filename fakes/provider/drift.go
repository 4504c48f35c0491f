package provider

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is one way in which the answers of two files differ in shape.
type Difference struct {
	// At is the file and line of the rule, in the newer file if it is there.
	At string
	// What differs: routes, kinds of events, fields; never what is said.
	What string
}

// String is the place and the difference.
func (d Difference) String() string { return strings.TrimPrefix(d.At+": "+d.What, ": ") }

// Drift compares the answers of two files, the first with the first and so on, by their
// shape: for which requests they are, the kinds and the order of their events, and which
// fields these have. What is said does not count, nor in how many pieces. An answer that
// was recorded has the shape that it had then; one that was written has the shape in which
// it is played, in the form of the other if that was recorded.
func Drift(old, new Options) []Difference {
	var out []Difference
	for i := range max(len(old.Rules), len(new.Rules)) {
		switch {
		case i >= len(new.Rules):
			r := old.Rules[i]
			out = append(out, Difference{r.at, fmt.Sprintf("answer %d (%s) is gone", i+1, r.route())})
		case i >= len(old.Rules):
			r := new.Rules[i]
			out = append(out, Difference{r.at, fmt.Sprintf("answer %d (%s) is new", i+1, r.route())})
		default:
			for _, what := range drifted(&old.Rules[i], &new.Rules[i]) {
				out = append(out, Difference{new.Rules[i].at, fmt.Sprintf("answer %d: %s", i+1, what)})
			}
		}
	}
	return out
}

// route says for which requests a rule is, without texts and names.
func (r *Rule) route() string {
	w := r.When
	parts := []string{or(string(w.Dialect), "any dialect")}
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(w.Request != 0, "request %d", w.Request)
	add(w.Turn != 0, "turn %d", w.Turn)
	add(w.Result != "" || w.Results != nil && *w.Results, "after a result")
	add(w.Results != nil && !*w.Results, "without a result")
	add(w.Tools != nil && *w.Tools, "with tools")
	add(w.Tools != nil && !*w.Tools, "without tools")
	add(w.Stream != nil && *w.Stream, "streamed")
	add(w.Stream != nil && !*w.Stream, "whole")
	return strings.Join(parts, ", ")
}

// drifted compares two rules.
func drifted(old, new *Rule) []string {
	if a, b := old.route(), new.route(); a != b {
		return []string{fmt.Sprintf("is for other requests: %s, was %s", b, a)}
	}
	var out []string
	for _, d := range dialects {
		if old.When.Dialect != "" && Dialect(d) != old.When.Dialect {
			continue
		}
		a, b, err := shapes(old, new, Dialect(d))
		var found []string
		if err != nil {
			found = []string{err.Error()}
		} else {
			found = compared(a, b)
		}
		for _, what := range found {
			if old.When.Dialect == "" {
				what = d + ": " + what
			}
			out = append(out, what)
		}
	}
	return out
}

// shapes are those of two rules in one form: that of a recorded one.
func shapes(old, new *Rule, d Dialect) (a, b []string, err error) {
	stream := streamed(old.Shape) && streamed(new.Shape)
	if a, err = old.shape(d, stream); err != nil {
		return nil, nil, err
	}
	b, err = new.shape(d, stream)
	return a, b, err
}

// compared aligns two shapes by the kinds of their events, and names what differs.
func compared(old, new []string) []string {
	var out []string
	kinds := func(shape []string) []string {
		var names []string
		for _, event := range shape {
			name, _, _ := strings.Cut(event, ": ")
			names = append(names, name)
		}
		return names
	}
	a, b := kinds(old), kinds(new)
	i, j := 0, 0
	for _, pair := range append(common(old, new, a, b), [2]int{len(a), len(b)}) {
		for ; i < pair[0]; i++ {
			out = append(out, fmt.Sprintf("event %q is gone%s", a[i], after(a, i)))
		}
		for ; j < pair[1]; j++ {
			out = append(out, fmt.Sprintf("event %q is new%s", b[j], after(b, j)))
		}
		if i < len(a) && j < len(b) {
			out = append(out, fields(a[i], old[i], new[j])...)
			i, j = i+1, j+1
		}
	}
	return out
}

// after says where an event stands.
func after(kinds []string, i int) string {
	if i == 0 {
		return " at the beginning"
	}
	return fmt.Sprintf(" after %q", kinds[i-1])
}

// fields names what two events of a kind do not share.
func fields(kind, old, new string) []string {
	list := func(event string) []string {
		_, rest, _ := strings.Cut(event, ": ")
		return strings.Fields(rest)
	}
	a, b := list(old), list(new)
	var out []string
	for _, f := range a {
		if !slices.Contains(b, f) {
			out = append(out, fmt.Sprintf("event %q: field %s is gone", kind, f))
		}
	}
	for _, f := range b {
		if !slices.Contains(a, f) {
			out = append(out, fmt.Sprintf("event %q: field %s is new", kind, f))
		}
	}
	return out
}

// pairWorth is what a pair of one kind is worth at least.
const pairWorth = 50

// common aligns two lists of events: as many pairs of one kind as can be, in order, and of
// those the ones that share the most fields.
func common(old, new, a, b []string) [][2]int {
	score := make([][]int, len(a)+1)
	for i := range score {
		score[i] = make([]int, len(b)+1)
	}
	worth := func(i, j int) int {
		switch {
		case a[i] != b[j]:
			return 0
		case old[i] == new[j]:
			return 2 * pairWorth
		}
		// Two pairs of one kind are never less than one that is equal.
		differ := len(fields(a[i], old[i], new[j]))
		return 2*pairWorth - min(differ, pairWorth)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			score[i][j] = max(score[i+1][j], score[i][j+1])
			if w := worth(i, j); w > 0 {
				score[i][j] = max(score[i][j], w+score[i+1][j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch w := worth(i, j); {
		case w > 0 && score[i][j] == w+score[i+1][j+1]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case score[i][j] == score[i+1][j]:
			i++
		default:
			j++
		}
	}
	return pairs
}
