package pi

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object whose members come in their order.
type object []member

type member struct {
	name  string
	value any
}

// add appends members.
func (o *object) add(members ...member) { *o = append(*o, members...) }

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

// render writes one line. U+2028 and U+2029 stay as they are, which breaks clients that
// take them for line ends. Text that is not UTF-8 is mended, as the wire is UTF-8.
func render(x any) ([]byte, error) {
	out, err := json.Marshal(x, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fmt.Errorf("render a line: %w", err)
	}
	return out, nil
}

// textContent is content of one text.
func textContent(text string) []object {
	return []object{{{"type", "text"}, {"text", text}}}
}
