package mutants_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/mutants"
)

// canary is content that must never get in, not even in an error.
const canary = "CANARY executor# sk-live-0 /home/u/.secret"

// sample is a matrix in which every member is there.
func sample() mutants.Matrix {
	return mutants.Matrix{
		Schema: mutants.Schema, Seed: math.MaxUint64, Full: true,
		Mutants: []mutants.Kill{{
			ID: "executor-A1", Profile: report.Executor, Check: "executor.identity.id-stable", Code: "id-changes",
			Killed: true, State: report.Failed, Codes: []report.Name{"id-changes"},
			Also: []mutants.Catch{{Check: "executor.start.context", Codes: []report.Name{"start-hung"}}},
		}},
		Right:     []mutants.Trial{{ID: "history-right-plain", Profile: report.History, Seeds: 50}},
		Once:      []report.Name{"executor.queues.bounded"},
		Survivors: []report.Name{"executor-A2"}, WrongCode: []report.Name{"executor-A3"}, Unexercised: []report.Name{"executor.events.ts"},
		Accused: []mutants.Accusation{{
			ID: "history-right-plain", Profile: report.History, Check: "history.privacy.summary",
			State: report.Failed, Codes: []report.Name{"privacy-threw"}, Seed: 7,
		}},
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(mutants.SchemaJSON()))
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

func TestMarshalKeepsTheSchema(t *testing.T) {
	s := compile(t)
	for name, m := range map[string]mutants.Matrix{"all members": sample(), "nothing": {Schema: mutants.Schema}} {
		data, err := mutants.Marshal(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := judge(s, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		again, _ := mutants.Marshal(m)
		if diff := cmp.Diff(string(data), string(again)); diff != "" {
			t.Errorf("%s: the same matrix gives other bytes (-want +got):\n%s", name, diff)
		}
	}
	bad := sample()
	bad.Accused[0].Codes[0] = canary
	_, err := mutants.Marshal(bad)
	field, ok := errors.AsType[*report.FieldError](err)
	if !ok || field.Field != "accused[0].codes[0]" || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("Marshal of content: %v", err)
	}
}

// Content put into any string of a matrix is refused, by Validate and by the schema.
// New fields are covered without touching this test.
func TestNoStringTakesContent(t *testing.T) {
	s := compile(t)
	n := 0
	for ; ; n++ {
		m := sample()
		left := n
		at, ok := spoil(reflect.ValueOf(&m).Elem(), "", &left)
		if !ok {
			break
		}
		if m.Validate() == nil {
			t.Errorf("Validate lets content into %s", at)
		}
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if judge(s, data) == nil {
			t.Errorf("the schema lets content into %s", at)
		}
	}
	if n < 20 {
		t.Errorf("only %d strings found", n)
	}
}

// spoil puts the canary into a string below v, after as many others as left says.
func spoil(v reflect.Value, path string, left *int) (string, bool) {
	switch v.Kind() {
	case reflect.Struct:
		for f, fv := range v.Fields() {
			if at, ok := spoil(fv, path+"."+f.Name, left); ok {
				return at, true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if at, ok := spoil(v.Index(i), path+"[]", left); ok {
				return at, true
			}
		}
	case reflect.String:
		if *left == 0 {
			v.SetString(canary)
			return path, true
		}
		*left--
	case reflect.Bool, reflect.Int, reflect.Uint64:
	default:
		panic("a matrix has a " + v.Kind().String())
	}
	return "", false
}

// Every object of the schema is closed and has the members of its Go type.
func TestSchemaMatchesTheTypes(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(mutants.SchemaJSON(), &root); err != nil {
		t.Fatal(err)
	}
	defs, _ := root["$defs"].(map[string]any)
	var match func(s map[string]any, ty reflect.Type, path string)
	match = func(s map[string]any, ty reflect.Type, path string) {
		if ref, ok := s["$ref"].(string); ok {
			s, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		switch ty.Kind() {
		case reflect.Struct:
			if s["additionalProperties"] != false {
				t.Errorf("%s: the object is open", path)
			}
			props, _ := s["properties"].(map[string]any)
			want, required, got := []string{}, []any{}, []string{}
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
		case reflect.String:
			if s["const"] == nil && s["enum"] == nil && s["pattern"] == nil {
				t.Errorf("%s: a string without const, enum or pattern", path)
			}
		case reflect.Int, reflect.Uint64:
			if s["type"] != "integer" || s["minimum"] == nil {
				t.Errorf("%s: want an integer with a minimum", path)
			}
		case reflect.Bool:
			if s["type"] != "boolean" {
				t.Errorf("%s: want a boolean", path)
			}
		}
	}
	match(root, reflect.TypeFor[mutants.Matrix](), "matrix")
}

func TestConforms(t *testing.T) {
	good := func() mutants.Matrix {
		m := sample()
		m.Survivors, m.WrongCode, m.Unexercised, m.Accused = nil, nil, nil, nil
		return m
	}
	if !good().Conforms() {
		t.Error("a matrix with nothing wrong does not conform")
	}
	for name, spoil := range map[string]func(*mutants.Matrix){
		"survivor":    func(m *mutants.Matrix) { m.Survivors = []report.Name{"x"} },
		"wrong code":  func(m *mutants.Matrix) { m.WrongCode = []report.Name{"x"} },
		"unexercised": func(m *mutants.Matrix) { m.Unexercised = []report.Name{"x"} },
		"accused":     func(m *mutants.Matrix) { m.Accused = sample().Accused },
		"no mutants":  func(m *mutants.Matrix) { m.Mutants = nil },
		"no right":    func(m *mutants.Matrix) { m.Right = nil },
	} {
		m := good()
		spoil(&m)
		if m.Conforms() {
			t.Errorf("%s: the matrix conforms", name)
		}
	}
}
