package config

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func schemaText(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// validator is the published schema's opinion of a YAML text.
func validator(t *testing.T) func(text string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText(t)))
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
	return func(text string) error {
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			return err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return s.Validate(doc)
	}
}

// The schema has the keys that the reader has, with a word about each.
func TestSchemaHasTheKeys(t *testing.T) {
	type object struct {
		Description string            `json:"description"`
		Properties  map[string]object `json:"properties"`
		Defs        map[string]object `json:"$defs"`
	}
	var root object
	if err := json.Unmarshal(schemaText(t), &root); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		keys []string
		at   object
	}{
		"file":    {fileKeys, root},
		"subject": {subjectKeys, root.Defs["subject"]},
		"budgets": {budgetKeys, root.Properties["budgets"]},
	} {
		got := slices.Sorted(maps.Keys(c.at.Properties))
		if diff := cmp.Diff(slices.Sorted(slices.Values(c.keys)), got); diff != "" {
			t.Errorf("%s (-reader +schema):\n%s", name, diff)
		}
		for key, p := range c.at.Properties {
			if p.Description == "" && key != "schema" {
				t.Errorf("%s.%s has no description", name, key)
			}
		}
	}
}

// Schema and reader take and refuse the same files.
func TestSchemaAndReaderAgree(t *testing.T) {
	valid := validator(t)
	for name, text := range map[string]string{"whole": whole, "least": head, "no subjects": head + "subjects: {}\n"} {
		if err := valid(text); err != nil {
			t.Errorf("%s: the schema refuses it: %v", name, err)
		}
		if _, err := Parse("c.yaml", []byte(text), known); err != nil {
			t.Errorf("%s: the reader refuses it: %v", name, err)
		}
	}
	for _, tt := range refused {
		if !tt.programOnly && valid(tt.text) == nil {
			t.Errorf("%s: the schema takes it", tt.name)
		}
	}
}
