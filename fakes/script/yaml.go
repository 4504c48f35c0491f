package script

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds nesting.
const maxDepth = 200

// parseYAML reads one document; nil stands for an empty one.
func parseYAML(data []byte) (*node, error) {
	if i := invalidUTF8(data); i >= 0 {
		line := 1 + bytes.Count(data[:i], []byte("\n"))
		return nil, fail(position{line, i - bytes.LastIndexByte(data[:i], '\n')}, "not UTF-8")
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, yamlError(err)
	}
	var root *node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if _, only := doc.Body.(*ast.CommentGroupNode); only {
			continue
		}
		if root != nil {
			return nil, fail(placeOf(doc.Body), "second document, want one per file")
		}
		if root, err = convert(doc.Body, 0); err != nil {
			return nil, err
		}
	}
	return root, nil
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

// yamlError takes place and message out of the parser's error, which else prints
// the source with it.
func yamlError(err error) error {
	var e yaml.Error
	if !errors.As(err, &e) {
		return fail(position{1, 1}, "not YAML: %v", err)
	}
	return fail(tokenPlace(e.GetToken()), "%s", e.GetMessage())
}

func tokenPlace(tk *token.Token) position {
	if tk == nil || tk.Position == nil {
		return position{1, 1}
	}
	return position{max(tk.Position.Line, 1), max(tk.Position.Column, 1)}
}

// placeOf is where a node begins. Maps name their first colon, so their first key
// is asked.
func placeOf(n ast.Node) position {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return placeOf(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return placeOf(n.Key)
	}
	return tokenPlace(n.GetToken())
}

func convert(n ast.Node, depth int) (*node, error) {
	at := placeOf(n)
	if depth > maxDepth {
		return nil, fail(at, "nested deeper than %d", maxDepth)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return &node{kind: kindNull, at: at}, nil
	case *ast.BoolNode:
		return &node{kind: kindBool, at: at, text: strconv.FormatBool(n.Value)}, nil
	case *ast.StringNode:
		return &node{kind: kindText, at: at, text: n.Value}, nil
	case *ast.LiteralNode:
		return &node{kind: kindText, at: at, text: n.Value.Value}, nil
	case *ast.IntegerNode:
		return &node{kind: kindNumber, at: at, text: number(n.Token.Value, fmt.Sprint(n.Value))}, nil
	case *ast.FloatNode:
		if math.IsInf(n.Value, 0) || math.IsNaN(n.Value) {
			return nil, fail(at, "number out of range")
		}
		return &node{kind: kindNumber, at: at, text: number(n.Token.Value, strconv.FormatFloat(n.Value, 'g', -1, 64))}, nil
	case *ast.SequenceNode:
		out := &node{kind: kindList, at: at}
		for _, item := range n.Values {
			child, err := convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, child)
		}
		return out, nil
	case *ast.MappingNode:
		out := &node{kind: kindObject, at: at}
		for _, pair := range n.Values {
			if err := addPair(out, pair, depth); err != nil {
				return nil, err
			}
		}
		return out, nil
	case *ast.MappingValueNode:
		out := &node{kind: kindObject, at: at}
		return out, addPair(out, n, depth)
	case *ast.AnchorNode, *ast.AliasNode:
		return nil, fail(at, "anchors and aliases are not part of the language")
	case *ast.TagNode:
		return nil, fail(at, "tags are not part of the language")
	}
	return nil, fail(at, "%s is not part of the language", n.Type().YAMLName())
}

func addPair(out *node, pair *ast.MappingValueNode, depth int) error {
	at := placeOf(pair.Key)
	var name string
	switch key := pair.Key.(type) {
	case *ast.StringNode:
		name = key.Value
	case *ast.NullNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode:
		return fail(at, "key %s: want text, quote it", pair.Key.GetToken().Value)
	default:
		return fail(at, "key: want text")
	}
	for _, known := range out.keys {
		if known.text == name {
			return fail(at, "duplicate key %q, first at line %d", name, known.at.line)
		}
	}
	value, err := convert(pair.Value, depth+1)
	if err != nil {
		return err
	}
	out.keys, out.items = append(out.keys, label{name, at}), append(out.items, value)
	return nil
}

// number keeps the text of a number that JSON would read the same, else takes the
// plain form.
func number(written, plain string) string {
	if v := jsontext.Value(written); v.IsValid() && v.Kind() == '0' {
		return written
	}
	return plain
}
