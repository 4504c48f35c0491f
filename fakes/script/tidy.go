package script

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// ErrLoss is the error of a text that cannot be formatted without loss. Such a text is a
// mistake of this package, not of its author.
var ErrLoss = errors.New("formatting would lose a part of the text")

// Format writes the script or case in the form of [Format], with its comments: those
// above a step or on its line stay there, those within a step go above it. One empty
// line between two lines stays. Names of files stay names. Of an archive the rest stays
// as it is. Formatting twice is formatting once.
func (s Source) Format() ([]byte, error) {
	d := s.read(true)
	if err := d.err(); err != nil {
		return nil, err
	}
	found, err := comments(s.text())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	out := d.tidy(found)
	if err := s.keeps(out, d, found); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return s.archived(out), nil
}

// archived is a formatted text in the archive that the source is out of, if it is.
func (s Source) archived(out []byte) []byte {
	if s.archive == nil {
		return out
	}
	a := *s.archive
	a.Files = slices.Clone(a.Files)
	a.Files[s.member].Data = out
	return txtar.Format(&a)
}

// keeps looks whether a formatted text says what its source says.
func (s Source) keeps(out []byte, d *document, found []comment) error {
	again := Source{Name: s.Name, Data: out, Files: s.Files}.read(true)
	if again.err() != nil || !slices.Equal(again.lines(), d.lines()) {
		return ErrLoss
	}
	return keepsComments(out, found)
}

// keepsComments looks whether a formatted text has the comments of its source.
func keepsComments(out []byte, found []comment) error {
	kept, err := comments(out)
	if err != nil {
		return ErrLoss
	}
	text := func(all []comment) []string {
		var texts []string
		for _, c := range all {
			texts = append(texts, c.text)
		}
		slices.Sort(texts) // they may have moved
		return texts
	}
	if !slices.Equal(text(kept), text(found)) {
		return ErrLoss
	}
	return nil
}

// lines are the steps and expectations in canonical form.
func (d *document) lines() []string {
	var out []string
	for _, s := range d.steps.list {
		out = append(out, s.line())
	}
	for _, e := range d.expect.list {
		out = append(out, e.line())
	}
	return out
}

// line writes a step as it was read.
func (s step) line() string {
	if s.under != nil {
		return under(s.word.name, s.under.line())
	}
	if _, named := s.values["file"].(beside); named || s.word.build == nil {
		return s.word.line(s.word.written(s.values))
	}
	switch x := s.build().(type) {
	case fakes.Frame:
		return lineOf(x)
	case Expectation:
		return expectLine(x)
	}
	panic(fmt.Sprintf("script: word %q", s.word.name)) // the table of words has no other
}

// row is a line of the formatted text, and the lines of the source that it stands for.
type row struct {
	first, last int
	text        string
	indent      string
	close       bool // no empty line comes before it
	above       []comment
	beside      []comment
}

// tidy writes a document with its comments.
func (d *document) tidy(found []comment) []byte { return arrange(d.source.text(), d.rows(), found) }

// arrange writes rows with the comments of the text that they are of.
func arrange(source []byte, rows []*row, found []comment) []byte {
	inSource := slices.Clone(rows)
	slices.SortStableFunc(inSource, func(a, b *row) int { return a.first - b.first })
	var tail []comment
	for _, c := range found {
		if r := c.row(inSource); r == nil {
			tail = append(tail, c)
		} else if c.alone {
			r.above = append(r.above, c)
		} else {
			r.beside = append(r.beside, c)
		}
	}
	lines := strings.Split(string(source), "\n")
	gap := func(line int) bool { return line > 1 && strings.TrimSpace(lines[line-2]) == "" }
	var b bytes.Buffer
	write := func(line int, text string) {
		if b.Len() > 0 && gap(line) {
			b.WriteByte('\n')
		}
		b.WriteString(text + "\n")
	}
	for _, r := range rows {
		if len(r.beside) > 1 { // a step of several lines becomes one
			r.above = append(r.above, r.beside...)
			r.beside = nil
			slices.SortStableFunc(r.above, func(a, b comment) int { return a.line - b.line })
		}
		from := r.first // the line that what comes next begins on, 0 where it follows at once
		if r.close {
			from = 0
		}
		for _, c := range r.above {
			if c.line >= r.first { // from within the step
				write(from, r.indent+c.text)
				from = 0
			} else {
				write(c.line, r.indent+c.text)
			}
		}
		text := r.text
		for _, c := range r.beside {
			text += " " + c.text
		}
		write(from, text)
	}
	for _, c := range tail {
		write(c.line, c.text)
	}
	return b.Bytes()
}

// rows are the lines of the formatted text without comments, in their order.
func (d *document) rows() []*row {
	rows := []*row{{first: d.schema.Line, last: d.schema.Line, text: "schema: " + Schema}}
	add := func(name string, s section) {
		if !s.given {
			return
		}
		if len(s.list) == 0 {
			name += " []"
		}
		rows = append(rows, &row{first: s.at.Line, last: s.at.Line, text: name})
		for _, item := range s.list {
			rows = append(rows, &row{first: item.at.Line, last: item.last, text: "  - " + item.line(), indent: "  "})
		}
	}
	add("steps:", d.steps)
	add("expect:", d.expect)
	return rows
}
