package report_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Whatever the bytes, Unmarshal does not panic. What it takes, the schema takes, and
// it comes out of Marshal and back the same; what it refuses has a position.
func FuzzUnmarshal(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	for _, s := range []string{
		``, `null`, `[]`, `{"runs":[[]]}`, `{"schema":"adaptercheck-report-v1"}`,
		`{"schema":"adaptercheck-report-v1","tool":{"name":"a","version":"1"},"seed":0,"runs":[]}`,
		`{"schema":"adaptercheck-report-v1","tool":{"name":"a","version":"1"},"seed":0,"runs":[],"timing":{"runs":[{"total":"<1s","checks":{"a":"<1ms"}}]}}`,
		`{"timing":{"runs":[{"checks":{"a":{}}}]}}`, `{"runs":[{"checks":[{"counts":{"a":1,"a":2}}]}]}`,
	} {
		f.Add([]byte(s))
	}
	schema := compile(f, report.SchemaJSON())
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := report.Unmarshal(data)
		if err != nil {
			e, ok := errors.AsType[*report.FieldError](err)
			if !ok || e.Line < 1 || e.Column < 1 {
				t.Fatalf("refused without a position: %v", err)
			}
			return
		}
		if err := judge(schema, data); err != nil {
			t.Fatalf("the reader takes what the schema refuses: %v", err)
		}
		out, err := report.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := report.Unmarshal(out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("round trip (-want +got):\n%s", diff)
		}
	})
}

// The catalog's reader is as sturdy.
func FuzzUnmarshalCatalog(f *testing.F) {
	f.Add(sample(f, "catalog"))
	schema := compile(f, report.CatalogSchemaJSON())
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := report.UnmarshalCatalog(data)
		if err != nil {
			return
		}
		if err := judge(schema, data); err != nil {
			t.Fatalf("the reader takes what the schema refuses: %v", err)
		}
		if _, err := report.MarshalCatalog(c); err != nil {
			t.Fatal(err)
		}
	})
}
