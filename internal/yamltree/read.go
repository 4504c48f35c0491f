package yamltree

import (
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/internal/nearest"
)

// Schema looks for the line that says which schema a document keeps. A document that
// is empty or no map is an error too.
func Schema(root *Node, want string) error {
	if root == nil {
		return Fail(Position{1, 1}, "empty file, want a line \"schema: %s\"", want)
	}
	if root.Kind != Map {
		return Fail(root.At, "found %s, want a map", root.Kind)
	}
	value := root.Get("schema")
	switch {
	case value == nil:
		return Fail(root.At, "missing schema, want a line \"schema: %s\"", want)
	case value.Kind != Text:
		return Fail(value.At, "schema: found %s, want %q", value.Kind, want)
	case value.Text != want:
		return Fail(value.At, "unknown schema %q, want %q", value.Text, want)
	}
	return nil
}

// Get is the value of a key; nil if n is no map or has no such key.
func (n *Node) Get(key string) *Node {
	for i, k := range n.Keys {
		if k.Text == key {
			return n.Items[i]
		}
	}
	return nil
}

// Fields wants a map with none but the keys that are known. What names the map.
func (n *Node) Fields(what string, known ...string) error {
	if n.Kind != Map {
		return Fail(n.At, "%s: found %s, want a map with %s", what, n.Kind, strings.Join(known, ", "))
	}
	for _, k := range n.Keys {
		if !slices.Contains(known, k.Text) {
			return Fail(k.At, "%s: unknown key %q%s", what, k.Text, hint(k.Text, known))
		}
	}
	return nil
}

// hint names the nearest key, or all.
func hint(wrong string, known []string) string {
	if near := nearest.Hint(wrong, known); near != "" {
		return near
	}
	return ", want one of " + strings.Join(known, ", ")
}

// Word wants a text that is one of the words.
func (n *Node) Word(what string, words ...string) (string, error) {
	text, err := n.String(what)
	if err != nil {
		return "", err
	}
	if !slices.Contains(words, text) {
		return "", Fail(n.At, "%s: unknown word %q%s", what, text, hint(text, words))
	}
	return text, nil
}

// String wants a text that is not empty.
func (n *Node) String(what string) (string, error) {
	switch {
	case n.Kind == Number || n.Kind == Bool:
		return "", Fail(n.At, "%s: found %s %s, want text, quote it", what, n.Kind, n.Text)
	case n.Kind != Text:
		return "", Fail(n.At, "%s: found %s, want text", what, n.Kind)
	case n.Text == "":
		return "", Fail(n.At, "%s: the text is empty", what)
	}
	return n.Text, nil
}

// Strings wants a list of such texts.
func (n *Node) Strings(what string) ([]string, error) {
	if n.Kind != List {
		return nil, Fail(n.At, "%s: found %s, want a list of texts", what, n.Kind)
	}
	var out []string
	for _, item := range n.Items {
		text, err := item.String(what)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// Flag wants true or false.
func (n *Node) Flag(what string) (bool, error) {
	if n.Kind != Bool {
		return false, Fail(n.At, "%s: found %s, want true or false", what, n.Kind)
	}
	return n.Text == "true", nil
}
