package report_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

func compile(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// judge is the schema's opinion of a document.
func judge(s *jsonschema.Schema, data []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

func TestSamplesKeepTheSchema(t *testing.T) {
	s := compile(t, report.SchemaJSON())
	for name, data := range samples(t) {
		if err := judge(s, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := judge(compile(t, report.CatalogSchemaJSON()), sample(t, "catalog")); err != nil {
		t.Errorf("catalog: %v", err)
	}
}

// Schema and reader refuse the same documents.
func TestSchemaAndReaderRefuseTheSame(t *testing.T) {
	s := compile(t, report.SchemaJSON())
	data := string(sample(t, "mixed"))
	for _, c := range []struct{ name, old, new string }{
		{"extra field", `"seed"`, `"note": "x", "seed"`},
		{"extra field in a check", `"codes": []`, `"detail": "x", "codes": []`},
		{"missing field", `"partial": false,`, ``},
		{"free text in a code", `"seq-missing"`, `"expected 1 to equal 2"`},
		{"free text as a count's name", `"held"`, `"what was held"`},
		{"free text as a bucket", `"<1s"`, `"soon"`},
		{"unknown state", `"state": "known"`, `"state": "flaky"`},
		{"unknown verdict", `"fails"`, `"fine"`},
		{"unknown reason", `"worker-died"`, `"bored"`},
		{"free text as a breach", `"line-garbage"`, `"Hello, world"`},
		{"free text in the baseline", `"reason": "passed"`, `"reason": "it passes now"`},
		{"long name", `"memory"`, `"` + strings.Repeat("m", 65) + `"`},
		{"null", `"features": []`, `"features": null`},
		{"negative", `20000`, `-1`},
		{"fraction", `20000`, `0.5`},
		{"empty word", `"during": "history.rebuild.torn-tail"`, `"during": ""`},
		{"seed too large", `18446744073709551615`, `18446744073709551616`},
	} {
		bad := []byte(strings.Replace(data, c.old, c.new, 1))
		if string(bad) == data {
			t.Fatalf("%s: the sample has no %s", c.name, c.old)
		}
		if judge(s, bad) == nil {
			t.Errorf("%s: the schema takes it", c.name)
		}
		if _, err := report.Unmarshal(bad); err == nil {
			t.Errorf("%s: the reader takes it", c.name)
		}
	}
}

// Content put into any string of a report, a key of a map included, is refused by
// Validate and by the schema. New fields are covered without touching this test.
func TestNoStringTakesContent(t *testing.T) {
	for name, document := range map[string]struct {
		schema []byte
		fresh  func() validating
		text   []string // fields that hold the suite's own words
	}{
		"report": {report.SchemaJSON(), func() validating {
			r, err := report.Unmarshal(sample(t, "mixed"))
			if err != nil {
				t.Fatal(err)
			}
			// The second and third run have every optional member between them.
			r.Runs, r.Timing.Runs = r.Runs[1:3], r.Timing.Runs[1:2]
			return &r
		}, nil},
		"catalog": {report.CatalogSchemaJSON(), func() validating {
			c, err := report.UnmarshalCatalog(sample(t, "catalog"))
			if err != nil {
				t.Fatal(err)
			}
			return &c
		}, []string{"Title"}},
	} {
		s := compile(t, document.schema)
		n := 0
		for ; ; n++ {
			v := document.fresh()
			at, ok := spoil(reflect.ValueOf(v).Elem(), n, document.text)
			if !ok {
				break
			}
			if v.Validate() == nil {
				t.Errorf("%s: Validate lets content into %s", name, at)
			}
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if judge(s, data) == nil {
				t.Errorf("%s: the schema lets content into %s", name, at)
			}
		}
		if n < 10 {
			t.Errorf("%s: only %d strings found", name, n)
		}
	}
}

type validating interface{ Validate() error }

// spoil puts the canary into the nth string below v and says where that was.
func spoil(v reflect.Value, n int, skip []string) (string, bool) {
	at, left := "", n
	var walk func(v reflect.Value, path string) bool
	walk = func(v reflect.Value, path string) bool {
		switch v.Kind() {
		case reflect.Pointer:
			return !v.IsNil() && walk(v.Elem(), path)
		case reflect.Struct:
			for f, fv := range v.Fields() {
				if !slices.Contains(skip, f.Name) && walk(fv, path+"."+f.Name) {
					return true
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				if walk(v.Index(i), path+"[]") {
					return true
				}
			}
		case reflect.Map:
			if v.Len() == 0 {
				return false
			}
			if left == 0 {
				key := reflect.ValueOf(canary).Convert(v.Type().Key())
				v.SetMapIndex(key, v.MapIndex(v.MapKeys()[0]))
				at = path + " key"
				return true
			}
			left--
			if v.Type().Elem().Kind() == reflect.String {
				if left == 0 {
					v.SetMapIndex(v.MapKeys()[0], reflect.ValueOf(canary).Convert(v.Type().Elem()))
					at = path + " value"
					return true
				}
				left--
			}
		case reflect.String:
			if left == 0 {
				v.SetString(canary)
				at = path
				return true
			}
			left--
		}
		return false
	}
	ok := walk(v, "")
	return at, ok
}

// No field that can be reached from a report is a plain string, a byte slice, a
// float or an interface. Only Schema is a string: it has one value.
func TestReportHasNoFreeText(t *testing.T) {
	closed := []reflect.Type{
		reflect.TypeFor[report.Name](), reflect.TypeFor[report.Profile](), reflect.TypeFor[report.Verdict](),
		reflect.TypeFor[report.State](), reflect.TypeFor[report.Level](), reflect.TypeFor[report.Provenance](),
		reflect.TypeFor[report.CutReason](), reflect.TypeFor[report.Bucket](),
		reflect.TypeFor[report.MismatchReason](),
	}
	var walk func(ty reflect.Type, path string)
	walk = func(ty reflect.Type, path string) {
		switch ty.Kind() {
		case reflect.Struct:
			for f := range ty.Fields() {
				walk(f.Type, path+"."+f.Name)
			}
		case reflect.Pointer, reflect.Slice:
			walk(ty.Elem(), path)
		case reflect.Map:
			walk(ty.Key(), path+" key")
			walk(ty.Elem(), path+" value")
		case reflect.String:
			if path != "Report.Schema" && !slices.Contains(closed, ty) {
				t.Errorf("%s is a %s, which has no closed set", path, ty)
			}
		case reflect.Bool, reflect.Int, reflect.Uint64:
		default:
			t.Errorf("%s is a %s", path, ty)
		}
	}
	walk(reflect.TypeFor[report.Report](), "Report")
}

// Every object of a schema is closed, every string is bound, and its members are
// the members of the Go type, in the same order for required ones.
func TestSchemasMatchTheTypes(t *testing.T) {
	for name, c := range map[string]struct {
		schema []byte
		typ    reflect.Type
	}{
		"report":  {report.SchemaJSON(), reflect.TypeFor[report.Report]()},
		"catalog": {report.CatalogSchemaJSON(), reflect.TypeFor[report.Catalog]()},
	} {
		var root map[string]any
		if err := json.Unmarshal(c.schema, &root); err != nil {
			t.Fatal(err)
		}
		defs, _ := root["$defs"].(map[string]any)
		var match func(s map[string]any, ty reflect.Type, path string)
		match = func(s map[string]any, ty reflect.Type, path string) {
			if ref, ok := s["$ref"].(string); ok {
				s = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
			}
			if ty.Kind() == reflect.Pointer {
				ty = ty.Elem()
			}
			kind, _ := s["type"].(string)
			if kind == "object" && s["additionalProperties"] != false {
				t.Errorf("%s: object is open", path)
			}
			switch ty.Kind() {
			case reflect.Struct:
				want, required := []string{}, []any{}
				props, _ := s["properties"].(map[string]any)
				for f := range ty.Fields() {
					member, options, _ := strings.Cut(f.Tag.Get("json"), ",")
					want = append(want, member)
					if options == "" {
						required = append(required, member)
					}
					if p, ok := props[member].(map[string]any); ok {
						match(p, f.Type, path+"."+member)
					}
				}
				got := []string{}
				for k := range props {
					got = append(got, k)
				}
				slices.Sort(want)
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s members (-type +schema):\n%s", path, diff)
				}
				if diff := cmp.Diff(required, s["required"]); diff != "" {
					t.Errorf("%s required (-type +schema):\n%s", path, diff)
				}
			case reflect.Slice:
				items, _ := s["items"].(map[string]any)
				match(items, ty.Elem(), path+"[]")
			case reflect.Map:
				patterns, _ := s["patternProperties"].(map[string]any)
				if kind != "object" || len(patterns) != 1 {
					t.Errorf("%s: a map needs one pattern for its names", path)
				}
				for _, p := range patterns {
					match(p.(map[string]any), ty.Elem(), path+"{}")
				}
			case reflect.String:
				if s["const"] == nil && s["enum"] == nil && s["pattern"] == nil {
					t.Errorf("%s: string without const, enum or pattern", path)
				}
			case reflect.Int, reflect.Uint64:
				if kind != "integer" || s["minimum"] == nil {
					t.Errorf("%s: want an integer with a minimum", path)
				}
			case reflect.Bool:
				if kind != "boolean" {
					t.Errorf("%s: want a boolean", path)
				}
			}
		}
		match(root, c.typ, name)
	}
}

// Catalog words are bound alike in Go and in the schema.
func TestCatalogWords(t *testing.T) {
	s := compile(t, report.CatalogSchemaJSON())
	for _, c := range []struct {
		clause, title string
		want          bool
	}{
		{"executor#seq", "numbers events", true},
		{"history#Privacy_1.a-b", "“quotes”, é and 🦜", true},
		{strings.Repeat("a", 32) + "#" + strings.Repeat("b", 64), strings.Repeat("é", 160), true},
		{strings.Repeat("a", 33) + "#b", "t", false},
		{"a#" + strings.Repeat("b", 65), "t", false},
		{"executor", "t", false},
		{"#seq", "t", false},
		{"executor#", "t", false},
		{"executor#a#b", "t", false},
		{"executor#a+b", "t", false},
		{"Executor#a", "t", false},
		{"executor#a b", "t", false},
		{"executor#a", "", false},
		{"executor#a", strings.Repeat("é", 161), false},
		{"executor#a", "two\nlines", false},
		{"executor#a", "\x1b[2J", false},
		{"executor#a", "\u009b2J", false},
		{"executor#a", "\x7f", false},
	} {
		v := report.Catalog{Schema: report.CatalogSchema, Checks: []report.CatalogCheck{{
			ID: "a", Profile: report.Host, Case: "a", Clause: c.clause, Level: report.Must,
			Provenance: report.Stated, Title: c.title,
		}}}
		if got := v.Validate() == nil; got != c.want {
			t.Errorf("%q %q: Validate takes it: %v", c.clause, c.title, got)
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := judge(s, data) == nil; got != c.want {
			t.Errorf("%q %q: the schema takes it: %v", c.clause, c.title, got)
		}
	}
}

func TestSchemaJSONIsTheCallersOwn(t *testing.T) {
	report.SchemaJSON()[0] = 'x'
	report.CatalogSchemaJSON()[0] = 'x'
	if report.SchemaJSON()[0] != '{' || report.CatalogSchemaJSON()[0] != '{' {
		t.Error("a caller can change the embedded schema")
	}
}
