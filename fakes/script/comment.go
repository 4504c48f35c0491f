package script

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// comment is a comment of a YAML text.
type comment struct {
	line  int
	text  string // with its mark, without white space at its end
	alone bool   // nothing else stands on its line
}

// comments finds the comments of a YAML text that can be read, whose lines end in LF.
func comments(data []byte) ([]comment, error) {
	lines := strings.Split(string(data), "\n")
	var found []comment
	for _, tk := range lexer.Tokenize(string(data)) {
		if tk.Type != token.CommentType {
			continue
		}
		line, text := tk.Position.Line, strings.TrimRight("#"+tk.Value, " \t")
		if line < 1 || line > len(lines) || !strings.Contains(lines[line-1], text) {
			return nil, fmt.Errorf("comment %q is not on line %d: %w", text, line, ErrLoss)
		}
		found = append(found, comment{line, text, strings.HasPrefix(strings.TrimSpace(lines[line-1]), "#")})
	}
	return found, nil
}

// row is the row that a comment belongs to, nil if it stands after the last. Rows are in
// the order of the source.
func (c comment) row(rows []*row) *row {
	var before *row
	for _, r := range rows {
		switch {
		case r.first > c.line && c.alone:
			return r
		case r.first > c.line:
			return before
		case r.last >= c.line && c.alone:
			return r
		}
		before = r
	}
	if c.alone {
		return nil
	}
	return before
}
