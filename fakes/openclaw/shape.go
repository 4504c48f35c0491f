package openclaw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// rule says what is wrong with a value at a path; empty is nothing.
type rule func(path string, value jsontext.Value) string

// shape is what the members of an object must be. The gateway refuses members that it
// does not know.
type shape struct {
	required []string
	members  map[string]rule // nil is any value
}

// problem says what is wrong with an object, as the gateway says it: the first member
// that is missing, then every one too many, then every wrong one.
func (s shape) problem(members map[string]jsontext.Value) string {
	return strings.Join(s.problems("", members), "; ")
}

func (s shape) problems(path string, members map[string]jsontext.Value) []string {
	var all []string
	for _, name := range s.required {
		if _, has := members[name]; !has {
			all = append(all, at(path)+fmt.Sprintf("must have required property '%s'", name))
			break
		}
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if _, known := s.members[name]; !known {
			where := at(path)
			if path == "" {
				where = "at root: "
			}
			all = append(all, where+fmt.Sprintf("unexpected property '%s'", name))
		}
	}
	for _, name := range names {
		if check := s.members[name]; check != nil {
			if wrong := check(path+"/"+name, members[name]); wrong != "" {
				all = append(all, wrong)
			}
		}
	}
	return all
}

// problemOf is problem for JSON text. What is no object has no members; absent is an
// object without any.
func (s shape) problemOf(value jsontext.Value) string {
	members, wrong := membersOf("", value)
	if wrong != "" {
		return wrong
	}
	return s.problem(members)
}

func membersOf(path string, value jsontext.Value) (map[string]jsontext.Value, string) {
	members := map[string]jsontext.Value{}
	if len(value) == 0 {
		return members, ""
	}
	if value.Kind() != '{' || json.Unmarshal(value, &members, lenient) != nil {
		return nil, at(path) + "must be object"
	}
	return members, ""
}

func at(path string) string {
	if path == "" {
		return ""
	}
	return "at " + path + ": "
}

// nested is the rule of a member that is an object.
func (s shape) nested(path string, value jsontext.Value) string {
	members, wrong := membersOf(path, value)
	if wrong != "" {
		return wrong
	}
	return strings.Join(s.problems(path, members), "; ")
}

func isText(path string, value jsontext.Value) string {
	if value.Kind() != '"' {
		return at(path) + "must be string"
	}
	return ""
}

// filled is a text that says something.
func filled(path string, value jsontext.Value) string {
	if wrong := isText(path, value); wrong != "" {
		return wrong
	}
	if text(value) == "" {
		return at(path) + "must NOT have fewer than 1 characters"
	}
	return ""
}

func isNumber(path string, value jsontext.Value) string {
	var n int64
	if value.Kind() != '0' || json.Unmarshal(value, &n) != nil {
		return at(path) + "must be integer"
	}
	return ""
}

func isFlag(path string, value jsontext.Value) string {
	if value.Kind() != 't' && value.Kind() != 'f' {
		return at(path) + "must be boolean"
	}
	return ""
}

func isObject(path string, value jsontext.Value) string {
	if value.Kind() != '{' {
		return at(path) + "must be object"
	}
	return ""
}

func isTexts(path string, value jsontext.Value) string {
	if value.Kind() != '[' {
		return at(path) + "must be array"
	}
	var items []jsontext.Value
	_ = json.Unmarshal(value, &items, lenient) // it is an array
	for i, item := range items {
		if wrong := isText(fmt.Sprintf("%s/%d", path, i), item); wrong != "" {
			return wrong
		}
	}
	return ""
}

func constant(want string) rule {
	return func(path string, value jsontext.Value) string {
		if text(value) != want {
			return at(path) + "must be equal to constant"
		}
		return ""
	}
}

func oneOf(allowed ...string) rule {
	return func(path string, value jsontext.Value) string {
		if value.Kind() != '"' || !slices.Contains(allowed, text(value)) {
			return at(path) + "must be equal to one of the allowed values"
		}
		return ""
	}
}

// orNull allows null beside what a rule allows.
func orNull(check rule) rule {
	return func(path string, value jsontext.Value) string {
		if value.Kind() == 'n' {
			return ""
		}
		return check(path, value)
	}
}

// text is the value of a JSON string; empty for what is none.
func text(value jsontext.Value) string {
	var s string
	if value.Kind() == '"' {
		_ = json.Unmarshal(value, &s, lenient) // it is a string
	}
	return s
}

// read fills a struct from parameters that have their shape.
func read(params jsontext.Value, into any) {
	if len(params) > 0 {
		_ = json.Unmarshal(params, into, lenient) // the shape was checked
	}
}
