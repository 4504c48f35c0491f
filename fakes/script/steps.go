package script

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// Steps reads a list of frames that stands in a document of another schema, under a key.
// Files is as in [Source]. The mistakes have their places in that document.
func Steps(n *yamltree.Node, key string, files func(name string) ([]byte, error)) ([]fakes.Frame, []*yamltree.Error) {
	r := reader{files: files}
	var frames []fakes.Frame
	for _, s := range r.list(n, key, "step", frameWords) {
		frames = append(frames, s.build().(fakes.Frame))
	}
	return frames, r.problems
}

// Row is a line of a formatted document of another schema.
type Row struct {
	// First and Last are the lines of the source that it stands for, from 1.
	First, Last int
	// Indent of comments above it.
	Indent string
	Text   string
	// Close: no empty line comes before it, whatever the source has.
	Close bool
}

// StepRows is the formatted form of the steps that [Steps] reads without mistakes.
func StepRows(n *yamltree.Node, key, indent string, files func(name string) ([]byte, error)) []Row {
	r := reader{files: files}
	var rows []Row
	for _, s := range r.list(n, key, "step", frameWords) {
		rows = append(rows, Row{First: s.at.Line, Last: s.last, Indent: indent, Text: indent + "- " + s.line()})
	}
	return rows
}

// Mistakes are what is wrong with a document of another schema, with the name of its file;
// nil if nothing is.
func (s Source) Mistakes(found []*yamltree.Error) error { return problems(s.Name, s.above, found) }

// Arrange writes the rows of a document of another schema, with the comments and the empty
// lines of its source, as [Source.Format] does. Whether the rows say what the source says is
// the caller's to know.
func (s Source) Arrange(rows []Row) ([]byte, error) {
	found, err := comments(s.text())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	var all []*row
	for _, r := range rows {
		all = append(all, &row{first: r.First, last: r.Last, text: r.Text, indent: r.Indent, close: r.Close})
	}
	out := arrange(s.text(), all, found)
	if err := keepsComments(out, found); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return s.archived(out), nil
}
