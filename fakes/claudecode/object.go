package claudecode

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object whose members come in their order: that of the CLI differs
// between its versions, and clients must not lean on it.
type object []member

type member struct {
	name  string
	value any
}

// add appends a member.
func (o *object) add(name string, value any) { *o = append(*o, member{name, value}) }

// MarshalJSONTo writes the object.
func (o object) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := e.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(e, m.value); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

// line writes one frame. Text that is not UTF-8 is mended, as the wire is UTF-8.
func (v version) line(x any) ([]byte, error) {
	out, err := json.Marshal(x, jsontext.AllowInvalidUTF8(true), jsontext.EscapeForJS(!v.rawSeparators))
	if err != nil {
		return nil, fmt.Errorf("render a line: %w", err)
	}
	return out, nil
}
