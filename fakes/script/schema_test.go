package script_test

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
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
	return schema
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
	schema := compileSchema(t)
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
	schema := compileSchema(t)
	for _, steps := range []string{"  - emitt: 1\n", "  - delta: 5\n", "  - call: {id: a}\n", "  - end: okay\n", "  - delta\n", "  - cut: 1\n", "  - exit: {}\n", "  - {cut: null, silent: null}\n",
		"  - host: {strat: S1}\n", "  - host: start\n", "  - host: {wait: {for: 5s, until: idle}}\n", "  - host: {umask: \"8\"}\n", "  - file: mode\n", "  - expect: {answer: yes}\n",
		"  - host: {append: {calls: [{id: t1}]}}\n", "  - raw: {file: a, eol: lf}\n"} {
		if fits(schema, []byte(head+steps)) == nil {
			t.Errorf("the schema takes %q", steps)
		}
	}
}

// What Format writes fits the schema.
func TestFormatFitsTheSchema(t *testing.T) {
	schema := compileSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		text := script.FormatFrames(drawFrames(t)...)
		if err := fits(schema, text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}
