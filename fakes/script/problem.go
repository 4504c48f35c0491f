package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// Error is a mistake in a script and where it is.
type Error struct {
	// Name of the script, as given to [Parse].
	Name string
	// Line and Col count from 1.
	Line, Col int
	// Msg says what is wrong.
	Msg string
}

// Error returns name:line:col: message.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, e.Msg) }

// Errors are the mistakes in a script, in their order; there are two or more.
type Errors []*Error

// Error returns them a line each.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns them.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, one := range e {
		out[i] = one
	}
	return out
}

// err is what is wrong with a document, nil if nothing is.
func (d *document) err() error { return problems(d.source.Name, d.source.above, d.problems) }

// problems puts the file's name before the places. Above is how many lines of the file
// stand above the script.
func problems(name string, above int, found []*yamltree.Error) error {
	var all Errors
	for _, p := range found {
		all = append(all, &Error{name, p.At.Line + above, p.At.Col, p.Msg})
	}
	slices.SortStableFunc(all, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}
