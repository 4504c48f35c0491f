package pi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// The format that is read: what the header says of itself.
const (
	headerType = "session"
	version    = 3
)

// session is what a file says.
type session struct {
	id      string
	cwd     string
	entries []entry
	byID    map[string]int
}

// entry is one line after the header.
type entry struct {
	kind   string
	id     string
	parent string // empty for a root
	line   int
	raw    jsontext.Value // a part of the file's bytes
}

// parse reads the bytes of a session file. It refuses the whole file for any line
// that is damaged, with errors that say which line and quote nothing. Lines of
// white space hold nothing and are passed over, as Pi does.
func parse(ctx context.Context, data []byte, maxEntries int) (*session, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: it is empty", errFormat)
	}
	if data[len(data)-1] != '\n' {
		return nil, fmt.Errorf("%w: its last line has no end", errFormat)
	}
	var s *session
	for n := 1; len(data) > 0; n++ {
		end := bytes.IndexByte(data, '\n')
		line := data[:end]
		data = data[end+1:]
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		var err error
		if s == nil {
			s, err = parseHeader(line)
		} else if err = s.add(line, n); err == nil && len(s.entries) > maxEntries {
			return nil, fmt.Errorf("more than %d entries", maxEntries)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", errFormat, n, err)
		}
	}
	if s == nil {
		return nil, fmt.Errorf("%w: it has no header", errFormat)
	}
	return s, nil
}

// want is an error about a field.
func want(field, what string) error { return fmt.Errorf("field %s: want %s", field, what) }

var errObject = errors.New("want one JSON object in valid UTF-8, with every name once")

// decode reads a line. The decoder's own errors may quote it and are not passed on.
func decode(line []byte, into any) error {
	if jsontext.Value(bytes.TrimSpace(line)).Kind() != '{' || json.Unmarshal(line, into) != nil {
		return errObject
	}
	return nil
}

func parseHeader(line []byte) (*session, error) {
	var h struct {
		Type    jsontext.Value `json:"type"`
		Version jsontext.Value `json:"version"`
		ID      jsontext.Value `json:"id"`
		CWD     jsontext.Value `json:"cwd"`
	}
	if err := decode(line, &h); err != nil {
		return nil, err
	}
	id, cwd := text(h.ID), text(h.CWD)
	switch {
	case text(h.Type) != headerType:
		return nil, want("type", headerType)
	case string(h.Version) != fmt.Sprint(version):
		return nil, want("version", fmt.Sprint(version))
	case boundary.Blank(id):
		return nil, want("id", "a string that is not blank")
	case boundary.Blank(cwd):
		return nil, want("cwd", "a string that is not blank")
	}
	return &session{id: id, cwd: cwd, byID: map[string]int{}}, nil
}

// add reads one entry.
func (s *session) add(line []byte, n int) error {
	var e struct {
		Type   jsontext.Value `json:"type"`
		ID     jsontext.Value `json:"id"`
		Parent jsontext.Value `json:"parentId"`
	}
	if err := decode(line, &e); err != nil {
		return err
	}
	read := entry{kind: text(e.Type), id: text(e.ID), parent: text(e.Parent), line: n, raw: line}
	switch _, taken := s.byID[read.id]; {
	case boundary.Blank(read.kind) || read.kind == headerType:
		return want("type", "that of an entry")
	case boundary.Blank(read.id):
		return want("id", "a string that is not blank")
	case taken:
		return want("id", "one that no other entry has")
	case e.Parent.Kind() != 'n' && boundary.Blank(read.parent):
		return want("parentId", "null or the id of an entry")
	}
	s.byID[read.id] = len(s.entries)
	s.entries = append(s.entries, read)
	return nil
}

// branch gives the entries from a root to the leaf; an empty leaf is the last
// entry. Other branches are not looked at.
func (s *session) branch(leaf string) ([]entry, error) {
	if leaf == "" {
		if len(s.entries) == 0 {
			return nil, nil
		}
		leaf = s.entries[len(s.entries)-1].id
	}
	at, ok := s.byID[leaf]
	if !ok {
		return nil, fmt.Errorf("%w: it has no entry that is the leaf", errFormat)
	}
	var branch []entry
	for {
		e := s.entries[at]
		branch = append(branch, e)
		if e.parent == "" {
			slices.Reverse(branch)
			return branch, nil
		}
		if at, ok = s.byID[e.parent]; !ok {
			return nil, fmt.Errorf("%w: line %d: %w", errFormat, e.line, want("parentId", "the id of an entry"))
		}
		// A branch longer than the file comes back to where it was.
		if len(branch) == len(s.entries) {
			return nil, fmt.Errorf("%w: line %d: the branch of the leaf is a circle", errFormat, e.line)
		}
	}
}

// text is the string that a JSON value is, empty for anything else. The value has
// been parsed before.
func text[V ~[]byte | ~string](v V) string {
	if len(v) == 0 || v[0] != '"' {
		return ""
	}
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(b)
}
