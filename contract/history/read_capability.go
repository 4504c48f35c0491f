package history

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnmarshalJSONFrom reads leniently, so that a malformed declaration disables
// itself and not the list it is in: a field of another type is absent, and what is
// not an object declares nothing.
func (d *Declaration) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var wire struct {
		ID        jsontext.Value `json:"id"`
		Supported Optional[bool] `json:"supported"`
		Version   jsontext.Value `json:"version"`
		Reason    jsontext.Value `json:"reason"`
	}
	if err := lenient(dec, &wire); err != nil {
		return err
	}
	*d = Declaration{Capability(stringOf(wire.ID)), wire.Supported, stringOf(wire.Version), stringOf(wire.Reason)}
	return nil
}

// UnmarshalJSONFrom reads leniently: required is set by exactly true, and what is
// not an object requests nothing.
func (r *Request) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var wire struct {
		ID       jsontext.Value `json:"id"`
		Required jsontext.Value `json:"required"`
	}
	if err := lenient(dec, &wire); err != nil {
		return err
	}
	*r = Request{Capability(stringOf(wire.ID)), wire.Required.Kind() == 't'}
	return nil
}

// lenient reads an object into a struct of raw values and skips anything else.
func lenient(dec *jsontext.Decoder, wire any) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	return json.UnmarshalDecode(dec, wire)
}

// stringOf is the value of a raw JSON string, and empty for anything else.
func stringOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return unquote(string(v))
}
