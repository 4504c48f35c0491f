package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// The marks of a page. A clause begins with a heading of the third level that
// holds its anchor twice, once for the link and once for the eye; the next line
// that is not blank holds its level and provenance.
const (
	clauseMark    = "### "
	anchorOpen    = `<a id="`
	anchorClose   = `"></a>`
	titleMark     = " — "
	levelMark     = "Level: "
	originMark    = " · Provenance: "
	uncheckedHead = "Clauses without a check"
)

// parser goes through a page line by line.
type parser struct {
	profile report.Profile
	clauses []Clause
	seen    map[string]bool

	at        int      // the line to blame
	open      bool     // a clause has begun and its text goes on
	openAt    int      // the line of its heading
	body      []string // its text so far
	inTable   bool     // under the heading of the clauses without a check
	fenced    bool     // in a code block, where a hash is no heading
	reasons   map[string]string
	reasonsAt map[string]int
}

// parse takes a page apart. The name stands in errors.
func parse(p report.Profile, name, text string) ([]Clause, error) {
	s := &parser{profile: p, seen: map[string]bool{}, reasons: map[string]string{}, reasonsAt: map[string]int{}}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		s.at = i + 1
		if err := s.line(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, s.at, err)
		}
	}
	if err := s.end(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, s.at, err)
	}
	if s.fenced {
		return nil, fmt.Errorf("%s:%d: a code block is not closed", name, len(lines))
	}
	for i, c := range s.clauses {
		s.clauses[i].Unchecked = s.reasons[c.Anchor]
		delete(s.reasons, c.Anchor)
	}
	for anchor := range s.reasons {
		return nil, fmt.Errorf("%s:%d: the row for %q names no clause of the page", name, s.reasonsAt[anchor], anchor)
	}
	if len(s.clauses) == 0 {
		return nil, fmt.Errorf("%s: the page has no clause", name)
	}
	return s.clauses, nil
}

func (s *parser) line(line string) error {
	if strings.HasPrefix(line, "```") {
		s.fenced = !s.fenced
	}
	if s.fenced || !strings.HasPrefix(line, "#") {
		switch {
		case s.open:
			s.body = append(s.body, line)
		case s.inTable:
			return s.row(line)
		}
		return nil
	}
	if err := s.end(); err != nil {
		return err
	}
	s.inTable = strings.TrimSpace(strings.TrimLeft(line, "#")) == uncheckedHead
	if !strings.HasPrefix(line, clauseMark) {
		return nil
	}
	return s.heading(strings.TrimPrefix(line, clauseMark))
}

// heading begins a clause.
func (s *parser) heading(text string) error {
	link, title, ok := strings.Cut(text, titleMark)
	rest, opened := strings.CutPrefix(link, anchorOpen)
	anchor, shown, closed := strings.Cut(rest, anchorClose)
	title = strings.TrimSpace(title)
	switch {
	case !ok || !opened || !closed || title == "":
		return fmt.Errorf("the heading of a clause is not %sanchor%sanchor%stitle", anchorOpen, anchorClose, titleMark)
	case !validAnchor(anchor):
		return fmt.Errorf("the anchor %q is not lower-case words with hyphens", anchor)
	case shown != anchor:
		return fmt.Errorf("the heading links to %q and shows %q", anchor, shown)
	case s.seen[anchor]:
		return fmt.Errorf("the anchor %q is taken", anchor)
	}
	s.seen[anchor] = true
	s.clauses = append(s.clauses, Clause{Profile: s.profile, Anchor: anchor, Title: title})
	s.open, s.openAt = true, s.at
	return nil
}

// end finishes the clause that is open, if any.
func (s *parser) end() error {
	if !s.open {
		return nil
	}
	if err := s.finish(); err != nil {
		s.at = s.openAt
		return err
	}
	return nil
}

func (s *parser) finish() error {
	c := &s.clauses[len(s.clauses)-1]
	lines := s.body
	s.open, s.body = false, nil
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	if len(lines) == 0 {
		return fmt.Errorf("clause %s: no level and no text", c.Anchor)
	}
	level, origin, ok := strings.Cut(strings.TrimSpace(lines[0]), originMark)
	level, marked := strings.CutPrefix(level, levelMark)
	c.Level, c.Provenance = report.Level(level), report.Provenance(origin)
	switch {
	case !ok || !marked:
		return fmt.Errorf("clause %s: the first line is not %sMUST%sstated", c.Anchor, levelMark, originMark)
	case c.Level != report.Must && c.Level != report.Should:
		return fmt.Errorf("clause %s: level %q is neither MUST nor SHOULD", c.Anchor, level)
	case !slices.Contains([]report.Provenance{report.Stated, report.Implied, report.Decided}, c.Provenance):
		return fmt.Errorf("clause %s: provenance %q is none of stated, implied and decided", c.Anchor, origin)
	}
	c.Text = strings.TrimSpace(strings.Join(lines[1:], "\n"))
	if c.Text == "" {
		return fmt.Errorf("clause %s: no text", c.Anchor)
	}
	return nil
}

// row reads a line of the table of clauses without a check.
func (s *parser) row(line string) error {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	cell, reason, ok := strings.Cut(strings.Trim(line, "|"), "|")
	anchor, reason := bare(cell), strings.TrimSpace(reason)
	switch {
	case anchor == "":
		return errors.New("a row names no clause")
	case anchor == "clause" || strings.Trim(anchor, ":-") == "":
		return nil // the head of the table
	case !ok || reason == "":
		return fmt.Errorf("the row for %q gives no reason", anchor)
	case s.reasons[anchor] != "":
		return fmt.Errorf("the row for %q is there twice", anchor)
	}
	s.reasons[anchor], s.reasonsAt[anchor] = reason, s.at
	return nil
}

// bare takes an anchor out of code marks, a link and the name of the page.
func bare(cell string) string {
	cell = strings.Trim(strings.TrimSpace(cell), "`")
	if text, _, ok := strings.Cut(strings.TrimPrefix(cell, "["), "]("); ok {
		cell = strings.Trim(text, "`")
	}
	if _, anchor, ok := strings.Cut(cell, "#"); ok {
		cell = anchor
	}
	return strings.TrimSpace(cell)
}

func validAnchor(s string) bool {
	for word := range strings.SplitSeq(s, "-") {
		if word == "" {
			return false
		}
		for i := range len(word) {
			if c := word[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
				return false
			}
		}
	}
	return true
}
