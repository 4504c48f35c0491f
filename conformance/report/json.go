package report

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Marshal returns the report as indented JSON with a final newline. The same report
// always gives the same bytes: members in the order of the types, keys of maps
// sorted, nothing escaped for HTML. A report that does not validate is refused with
// a [*FieldError].
func Marshal(r Report) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return encode(r)
}

// MarshalCatalog returns the catalog in the same form as [Marshal].
func MarshalCatalog(c Catalog) ([]byte, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return encode(c)
}

func encode(v any) ([]byte, error) {
	out, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// Unmarshal reads a report. It is strict: unknown, missing, null and duplicate
// members are refused, and so is everything that [Report.Validate] refuses. Every
// error is a [*FieldError] with a position. On an error the report is the zero
// value.
func Unmarshal(data []byte) (Report, error) {
	var r Report
	if err := decode("report", data, &r); err != nil {
		return Report{}, err
	}
	return r, nil
}

// UnmarshalCatalog reads a catalog as strictly as [Unmarshal] reads a report.
func UnmarshalCatalog(data []byte) (Catalog, error) {
	var c Catalog
	if err := decode("catalog", data, &c); err != nil {
		return Catalog{}, err
	}
	return c, nil
}
