package script_test

import (
	"bytes"
	"io/fs"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

func compileSchema(t *testing.T) (*jsonschema.Schema, map[string]any) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(script.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("script.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("script.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema, doc.(map[string]any)
}

// fits judges YAML by the schema.
func fits(schema *jsonschema.Schema, data []byte) error {
	var doc any
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return err
	}
	return schema.Validate(doc)
}

func TestFixturesFitTheSchema(t *testing.T) {
	schema, _ := compileSchema(t)
	found, err := fs.Glob(fixtures.Scripts(), "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		data, err := fs.ReadFile(fixtures.Scripts(), name)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(schema, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	schema, _ := compileSchema(t)
	for _, steps := range []string{"  - emitt: 1\n", "  - delta: 5\n", "  - call: {id: a}\n", "  - end: okay\n", "  - delta\n", "  - cut: 1\n", "  - exit: {}\n", "  - {cut: null, silent: null}\n"} {
		if fits(schema, []byte(head+steps)) == nil {
			t.Errorf("the schema takes %q", steps)
		}
	}
}

// What Format writes fits the schema.
func TestFormatFitsTheSchema(t *testing.T) {
	schema, _ := compileSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		text := script.FormatFrames(drawFrames(t)...)
		if err := fits(schema, text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// Words and fields of the schema are those of the language.
func TestSchemaHasTheWords(t *testing.T) {
	_, doc := compileSchema(t)
	step := doc["$defs"].(map[string]any)["step"].(map[string]any)["oneOf"].([]any)[1].(map[string]any)["properties"].(map[string]any)
	got := map[string][]string{}
	for word, def := range step {
		got[word] = fieldsOf(def.(map[string]any))
	}
	want := script.Words()
	for _, fields := range want {
		slices.Sort(fields)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-language +schema):\n%s", diff)
	}
}

func fieldsOf(def map[string]any) []string {
	names := []string{}
	if props, ok := def["properties"].(map[string]any); ok {
		for name := range props {
			names = append(names, name)
		}
	}
	if forms, ok := def["oneOf"].([]any); ok {
		for _, form := range forms {
			names = append(names, fieldsOf(form.(map[string]any))...)
		}
	}
	slices.Sort(names)
	return names
}
