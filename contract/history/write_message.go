package history

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MarshalMessage writes the JSON form of a message: one compact line, the fields
// in the order of the contract, then those of Extra. It refuses what
// [ParseMessage] would refuse, with a [*ShapeError], so that what it writes can
// always be read back and gives an equal message.
func MarshalMessage(m Message) ([]byte, error) { return AppendMessage(nil, m) }

// AppendMessage appends the JSON form of a message to dst; see [MarshalMessage].
// On error dst is returned as it was.
func AppendMessage(dst []byte, m Message) ([]byte, error) {
	w := &writer{buf: dst}
	w.message(m)
	if w.err != nil {
		return dst, named(w.err, "message")
	}
	return w.buf, nil
}

// MarshalJSONTo writes the message. The encoder may rewrite the escapes in
// strings; [MarshalMessage] keeps every byte of a value that was read.
func (m Message) MarshalJSONTo(enc *jsontext.Encoder) error {
	b, err := MarshalMessage(m)
	if err != nil {
		return err
	}
	return enc.WriteValue(b)
}

// SameMessage reports whether two messages say the same: equal in every field,
// known or not, where numbers are compared by value, strings without regard to
// escapes, and objects without regard to the order of their names. Absent and
// null are different. A message that cannot be written is the same as none.
func SameMessage(a, b Message) bool {
	x, errX := canonical(a)
	y, errY := canonical(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func canonical(m Message) (jsontext.Value, error) {
	b, err := MarshalMessage(m)
	if err != nil {
		return nil, err
	}
	v := jsontext.Value(b)
	err = v.Canonicalize()
	return v, err
}

// writer appends one message and keeps the first error with its path.
type writer struct {
	buf []byte
	err error
	// names is a stack of the names of the objects being written, whether or not
	// their fields are there, for collisions with Extra.
	names []string
	// written counts the members of the innermost object.
	written int
}

func (w *writer) fail(field string, p Problem, want string) {
	if w.err == nil {
		w.err = &ShapeError{Field: field, Problem: p, Want: want}
	}
}

// object writes an object; f writes its members.
func (w *writer) object(extra Members, f func()) {
	base, written := len(w.names), w.written
	w.written = 0
	w.buf = append(w.buf, '{')
	f()
	for _, m := range extra {
		if slices.Contains(w.names[base:], m.Name) {
			w.fail(safeName(m.Name), ProblemDuplicate, "names of Extra that no other field has")
		}
		w.json(m.Name, m.Value)
	}
	w.buf = append(w.buf, '}')
	w.names, w.written = w.names[:base], written
}

func (w *writer) key(name string) {
	if w.written > 0 {
		w.buf = append(w.buf, ',')
	}
	w.written++
	w.names = append(w.names, name)
	w.quote(name, name)
	w.buf = append(w.buf, ':')
}

func (w *writer) quote(field, s string) {
	b, err := jsontext.AppendQuote(w.buf, s)
	if err != nil {
		w.fail(safeName(field), ProblemValue, "valid UTF-8")
	}
	w.buf = b
}

func (w *writer) str(name, s string) { w.key(name); w.quote(name, s) }

func (w *writer) boolean(name string, b bool) {
	w.key(name)
	w.buf = strconv.AppendBool(w.buf, b)
}

// json writes a raw value: checked, without white space, its strings and numbers
// byte for byte.
func (w *writer) json(name string, v JSON) {
	w.key(name)
	b, err := jsontext.AppendFormat(w.buf, v, jsontext.PreserveRawStrings(true))
	if err != nil || tooDeep(v) {
		w.fail(safeName(name), ProblemSyntax, "one valid JSON value")
	}
	w.buf = b
}

// tooDeep reports whether a valid value is nested so deeply that a reader gives up
// on it once it stands inside a message of a snapshot. Readers stop at 10,000.
func tooDeep(v JSON) bool {
	const around, limit = 10, 10_000
	if len(v) < limit-around {
		return false
	}
	nested := strings.Repeat("[", around) + string(v) + strings.Repeat("]", around)
	return !jsontext.Value(nested).IsValid()
}

// optional writes a raw value unless it is absent.
func (w *writer) optional(name string, v JSON) {
	if v == "" {
		w.names = append(w.names, name)
		return
	}
	w.json(name, v)
}

// optionalStr writes a field that is absent or a string.
func (w *writer) optionalStr(name string, v Optional[string]) {
	if v.text != "" && v.text[0] != '"' {
		w.fail(name, ProblemType, "a string")
	}
	w.optional(name, v.text)
}

func (w *writer) message(m Message) {
	w.object(m.Extra, func() {
		w.str("id", m.ID)
		w.str("sourceEntryId", m.SourceEntryID)
		w.str("role", string(m.Role))
		if !slices.Contains(Roles(), m.Role) {
			w.fail("role", ProblemValue, wantRole)
		}
		w.key("blocks")
		w.blocks(m.Blocks)
		w.optional("createdAt", m.CreatedAt.text)
		w.optional("provider", m.Provider.text)
		w.optional("model", m.Model.text)
		w.key("provenance")
		w.provenance(m.Provenance)
		w.optional("tokenEstimate", m.TokenEstimate.text)
		w.key("flags")
		w.flags(m.Flags)
	})
}

func (w *writer) provenance(p Provenance) {
	good := w.err == nil
	w.object(p.Extra, func() {
		w.str("source", string(p.Source))
		if !p.Source.known() {
			w.fail("source", ProblemValue, wantSource)
		}
		w.str("sessionId", p.SessionID)
		w.str("entryId", p.EntryID)
		w.optional("originalRole", p.OriginalRole.text)
		w.optionalStr("runtimeId", p.RuntimeID)
	})
	w.within(good, "provenance")
}

func (w *writer) flags(f Flags) {
	good := w.err == nil
	w.object(f.Extra, func() {
		w.optional("pinned", f.Pinned.text)
		w.optional("atomic", f.Atomic.text)
		w.optional("localOnly", f.LocalOnly.text)
		w.optional("synthetic", f.Synthetic.text)
	})
	w.within(good, "flags")
}

func (w *writer) blocks(blocks []Block) {
	w.buf = append(w.buf, '[')
	for i, b := range blocks {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		good := w.err == nil
		if b == nil {
			w.fail("", ProblemMissing, "a block")
		} else {
			b.Accept((*blockWriter)(w))
		}
		if w.err != nil {
			w.within(good, fmt.Sprintf("blocks[%d]", i))
			return
		}
	}
	w.buf = append(w.buf, ']')
}

// within completes the path of an error that arose inside a field.
func (w *writer) within(wasGood bool, parent string) {
	if wasGood && w.err != nil {
		w.err = inside(w.err, parent)
	}
}
