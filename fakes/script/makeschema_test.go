package script

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/sebdah/goldie/v2"
	"pgregory.net/rapid"
)

// The published schema is that of the words. go test -run SchemaIsCurrent -update ./fakes/script
// writes it anew.
func TestSchemaIsCurrent(t *testing.T) {
	got, err := makeSchema()
	if err != nil {
		t.Fatal(err)
	}
	goldie.New(t, goldie.WithFixtureDir("."), goldie.WithNameSuffix(".schema.json")).Assert(t, "script", got)
}

// What FormatCase writes fits the schema.
func TestFormatCaseFitsTheSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("script.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("script.schema.json")
	rapid.Check(t, func(t *rapid.T) {
		var doc any
		text := FormatCase(drawCase(t))
		if err := yaml.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

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

// makeSchema makes the schema of the words.
func makeSchema() ([]byte, error) {
	list := func(item string) object {
		return object{{"type", []string{"array", "null"}}, {"items", object{{"$ref", "#/$defs/" + item}}}}
	}
	call, _ := find("call", frameWords)
	steps := append(append([]word(nil), frameWords...), caseWords...)
	out, err := json.Marshal(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", "https://github.com/adaptercheck/adaptercheck/fakes/script/script.schema.json"},
		{"title", "Scenario script of a fake runtime, or case with a host in it"},
		{"type", "object"},
		{"properties", object{{"schema", object{{"const", Schema}}}, {"steps", list("step")}, {"expect", list("expectation")}}},
		{"additionalProperties", false},
		{"required", []string{"schema", "steps"}},
		{"$defs", object{{"step", oneOfWords(steps)}, {"expectation", oneOfWords(expectWords)}, {"call", call.fieldsSchema()}}},
	})
	if err != nil {
		return nil, err
	}
	v := jsontext.Value(out)
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, err
	}
	return append(v, '\n'), nil
}

// oneOfWords is the schema of a step: one of the words in a map, or a bare one.
func oneOfWords(words []word) object {
	bare, props := []string{}, object{}
	for _, w := range words {
		if w.bare {
			bare = append(bare, w.name)
		}
		props = append(props, member{w.name, w.schema()})
	}
	step := object{{"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}, {"additionalProperties", false}, {"properties", props}}
	if len(bare) == 0 {
		return step
	}
	return object{{"oneOf", []object{{{"enum", bare}}, step}}}
}

// schema is the schema of what stands after a word.
func (w word) schema() object {
	doc := object{{"description", w.doc}}
	if w.of != nil {
		return append(doc, oneOfWords(w.of)...)
	}
	var forms []object
	if w.bare {
		forms = append(forms, object{{"type", "null"}})
	}
	if f, has := w.field(w.scalar); has {
		forms = append(forms, f.schema(w))
	}
	if len(w.fields) > 0 {
		forms = append(forms, w.fieldsSchema())
	}
	if len(forms) == 1 {
		return append(doc, forms[0]...)
	}
	return append(doc, member{"oneOf", forms})
}

// fieldsSchema is the schema of the fields of a word.
func (w word) fieldsSchema() object {
	props, required := object{}, []string{}
	for _, f := range w.fields {
		props = append(props, member{f.name, f.schema(w)})
		if f.required {
			required = append(required, f.name)
		}
	}
	out := object{{"type", "object"}, {"properties", props}, {"additionalProperties", false}}
	if len(required) > 0 {
		out = append(out, member{"required", required})
	}
	if w.oneOf != nil {
		var forms []object
		for _, name := range w.oneOf {
			forms = append(forms, object{{"required", []string{name}}})
		}
		out = append(out, member{"oneOf", forms})
	}
	if w.atMostOne != nil {
		out = append(out, member{"not", object{{"required", w.atMostOne}}})
	}
	return out
}

// schema is the schema of a field.
func (f field) schema(w word) object {
	text := object{{"type", "string"}}
	switch f.is {
	case fieldNullable:
		return object{{"type", []string{"string", "null"}}}
	case fieldWord:
		return object{{"enum", f.words}}
	case fieldFlag:
		return object{{"type", "boolean"}}
	case fieldInt, fieldCount:
		return object{{"type", "integer"}, {"minimum", 0}}
	case fieldAmount:
		return object{{"type", "number"}}
	case fieldJSON:
		return object{{"description", "Any value."}}
	case fieldObject:
		return object{{"type", "object"}}
	case fieldJSONText:
		return append(text, member{"description", "The " + w.plainJSON() + " as JSON text, byte for byte."})
	case fieldBase64:
		return append(text, member{"contentEncoding", "base64"})
	case fieldFile:
		return append(text, member{"description", "Name of a file beside the script, whose bytes are meant."})
	case fieldTexts:
		return object{{"type", "array"}, {"items", text}}
	case fieldTextMap:
		return object{{"type", "object"}, {"additionalProperties", text}}
	case fieldDuration:
		return append(text, member{"pattern", `^\+?([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$`})
	case fieldShift:
		return append(text, member{"pattern", `^[+-]?([0-9.]+(ns|us|µs|ms|s|m|h))+$|^[+-]?0$`})
	case fieldMode:
		return append(text, member{"pattern", "^[0-7]+$"})
	case fieldCalls:
		return object{{"type", "array"}, {"items", object{{"$ref", "#/$defs/call"}}}}
	}
	return text
}
