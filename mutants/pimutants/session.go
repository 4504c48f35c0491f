package pimutants

import (
	"bytes"
	"fmt"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// line is one of a session file.
type line struct {
	raw []byte
	// entry is what it says; nil if it is damaged.
	entry entry
}

// entry is an entry, or the header, by its fields.
type entry map[string]jsontext.Value

func (e entry) text(name string) string {
	var s string
	if json.Unmarshal(e[name], &s) != nil {
		return ""
	}
	return s
}

// kind is the type of the entry.
func (e entry) kind() string { return e.text("type") }

// header reports whether it is one, and so stands in no tree.
func (e entry) header() bool { return e.kind() == "session" }

// with gives an entry that has another value in a field. Strings and nil are what a
// field is set to here, which always have a JSON text.
func (e entry) with(name string, value any) entry {
	out := entry{}
	for n, v := range e {
		out[n] = v
	}
	out[name], _ = json.Marshal(value)
	return out
}

// below puts an entry below another one; an empty parent makes it a root.
func (e entry) below(parent string) entry {
	if parent == "" {
		return e.with("parentId", nil)
	}
	return e.with("parentId", parent)
}

// made is a new entry of a kind, with fields of its own in JSON.
func made(kind, id, fields string) entry {
	var e entry
	if err := json.Unmarshal([]byte("{"+fields+"}"), &e); err != nil {
		panic(fmt.Sprintf("entry %s: %v", id, err)) // fields are constants here
	}
	return e.with("type", kind).with("id", id).with("timestamp", "2027-01-15T08:00:00.000Z")
}

// said is a new entry with a message.
func said(id, message string) entry { return made("message", id, `"message":`+message) }

// isSession reports whether lines begin as a session file does.
func isSession(lines []line) bool { return len(lines) > 0 && lines[0].entry.header() }

// wayUp lists the ids of the branch that ends with the last line, from there up.
func wayUp(lines []line) []string {
	parents := map[string]string{}
	for _, l := range lines[1:] {
		parents[l.entry.text("id")] = l.entry.text("parentId")
	}
	var ids []string
	for at := lines[len(lines)-1].entry.text("id"); at != ""; at = parents[at] {
		ids = append(ids, at)
	}
	return ids
}

func of(e entry) line { return line{entry: e} }

func split(data []byte) []line {
	var lines []line
	for raw := range bytes.Lines(data) {
		l := line{raw: raw}
		if json.Unmarshal(raw, &l.entry) != nil || !bytes.HasSuffix(raw, []byte{'\n'}) {
			l.entry = nil
		}
		lines = append(lines, l)
	}
	return lines
}

// join writes lines. What is damaged stays so.
func join(lines []line) []byte {
	var out []byte
	for _, l := range lines {
		if l.entry == nil {
			out = append(out, l.raw...)
			continue
		}
		// What was decoded can be encoded.
		text, _ := json.Marshal(l.entry, json.Deterministic(true))
		out = append(append(out, text...), '\n')
	}
	return out
}

// onLines makes an edit of a session file. What is none stays as it is.
func onLines(edit func([]line) []line) func([]byte) []byte {
	return func(data []byte) []byte {
		lines := split(data)
		if !isSession(lines) {
			return data
		}
		return join(edit(lines))
	}
}

func rewrite(path string, edit func([]byte) []byte) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, edit(data), 0o600)
}
