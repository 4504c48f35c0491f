package script

import (
	"errors"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/internal/nearest"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// reader reads steps and collects what is wrong with them.
type reader struct {
	files    func(name string) ([]byte, error)
	cases    bool // the steps may be those of a case
	problems []*yamltree.Error
}

func (r *reader) fail(at yamltree.Position, format string, args ...any) {
	r.add(yamltree.Fail(at, format, args...))
}

func (r *reader) add(err error) {
	if e, ok := errors.AsType[*yamltree.Error](err); ok {
		r.problems = append(r.problems, e)
		return
	}
	r.problems = append(r.problems, &yamltree.Error{At: yamltree.Position{Line: 1, Col: 1}, Msg: err.Error()})
}

// list reads a list of steps, and leaves out those that are wrong.
func (r *reader) list(n *yamltree.Node, key, what string, words []word) []step {
	if n.Kind == yamltree.Null {
		return nil
	}
	if n.Kind != yamltree.List {
		r.fail(n.At, "%s: found %s, want a list", key, n.Kind)
		return nil
	}
	var out []step
	for _, item := range n.Items {
		if s, ok := r.step(item, what, words); ok {
			s.at, s.last = item.At, lastLine(item)
			out = append(out, s)
		}
	}
	return out
}

// lastLine is the last line on which a part of a node begins.
func lastLine(n *yamltree.Node) int {
	last := n.At.Line
	for _, key := range n.Keys {
		last = max(last, key.At.Line)
	}
	for _, item := range n.Items {
		last = max(last, lastLine(item))
	}
	return last
}

// step reads one step: a one-word map, or a word alone.
func (r *reader) step(n *yamltree.Node, what string, words []word) (s step, ok bool) {
	switch n.Kind {
	case yamltree.Text:
		w, ok := r.word(n.Text, n.At, what, words)
		if ok && !w.bare {
			r.fail(n.At, "%s: needs a value, as \"%s: …\"", w.name, w.name)
			return s, false
		}
		return step{word: w, values: values{}}, ok
	case yamltree.Map:
	default:
		r.fail(n.At, "found %s, want a %s: a map of one word", n.Kind, what)
		return s, false
	}
	if len(n.Keys) == 0 {
		r.fail(n.At, "empty map, want a %s", what)
		return s, false
	}
	w, ok := r.word(n.Keys[0].Text, n.Keys[0].At, what, words)
	if ok && len(n.Keys) > 1 {
		r.fail(n.Keys[1].At, "second word %q in one %s, begin a new one with \"- \"", n.Keys[1].Text, what)
		return s, false
	}
	if !ok {
		return s, false
	}
	if w.of != nil {
		under, ok := r.step(n.Items[0], w.name+" step", w.of)
		return step{word: w, under: &under}, ok
	}
	before := len(r.problems)
	v := r.fields(w, n.Items[0], n.Keys[0].At)
	return step{word: w, values: v}, len(r.problems) == before
}

// word finds a word.
func (r *reader) word(name string, at yamltree.Position, what string, words []word) (word, bool) {
	if w, known := find(name, words); known {
		return w, true
	}
	if _, ofCases := find(name, caseWords); ofCases && what == "step" {
		r.fail(at, "%s %q is for cases, not for scripts that a fake plays", what, name)
		return word{}, false
	}
	var names []string
	for _, w := range words {
		names = append(names, w.name)
	}
	r.fail(at, "unknown %s %q%s", what, name, nearest.Hint(name, names))
	return word{}, false
}

// fields reads what stands after a word. At is the word's place.
func (r *reader) fields(w word, n *yamltree.Node, at yamltree.Position) values {
	v := values{}
	if n.Kind != yamltree.Map {
		r.scalar(v, w, n, at)
		return v
	}
	before := len(r.problems)
	for i, key := range n.Keys {
		f, has := w.field(key.Text)
		if !has {
			r.fail(key.At, "%s: unknown field %q%s", w.name, key.Text, nearest.Hint(key.Text, w.fieldNames()))
			continue
		}
		r.field(v, w, f, n.Items[i])
	}
	if len(r.problems) == before { // a field that is wrong is not missing, too
		r.complete(w, v, at)
	}
	return v
}

// scalar reads a plain value after a word.
func (r *reader) scalar(v values, w word, n *yamltree.Node, at yamltree.Position) {
	if n.Kind == yamltree.Null && w.bare {
		return
	}
	f, has := w.field(w.scalar)
	switch {
	case !has && len(w.fields) == 0:
		r.fail(n.At, "%s: found %s, want nothing", w.name, n.Kind)
	case !has:
		r.fail(n.At, "%s: found %s, want a map of fields", w.name, n.Kind)
	case n.Kind == yamltree.Null && f.is != fieldNullable:
		r.fail(at, "%s: needs a value", w.name)
	default:
		r.field(v, w, f, n)
	}
}

// complete checks what is required of the fields together.
func (r *reader) complete(w word, v values, at yamltree.Position) {
	for _, f := range w.fields {
		if _, given := v[f.name]; f.required && !given {
			r.fail(at, "%s: missing field %q", w.name, f.name)
		}
	}
	given := func(names []string) (n int) {
		for name := range v {
			if slices.Contains(names, name) {
				n++
			}
		}
		return n
	}
	if w.oneOf != nil && given(w.oneOf) != 1 {
		r.fail(at, "%s: want one of the fields %s", w.name, strings.Join(w.oneOf, ", "))
	}
	if given(w.atMostOne) > 1 {
		r.fail(at, "%s: want only one of the fields %s", w.name, strings.Join(w.atMostOne, ", "))
	}
}
