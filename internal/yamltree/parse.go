package yamltree

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

// MaxDepth bounds nesting.
const MaxDepth = 200

// Parse reads one document; nil stands for an empty one. It may begin with a byte
// order mark and end its lines with CR LF, as editors on Windows have it. Every error is
// an [*Error].
func Parse(data []byte) (*Node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) // the parser counts some of them twice
	if i := invalidUTF8(data); i >= 0 {
		line := 1 + bytes.Count(data[:i], []byte("\n"))
		return nil, Fail(Position{line, i - bytes.LastIndexByte(data[:i], '\n')}, "not UTF-8")
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, yamlError(err)
	}
	var root *Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if _, only := doc.Body.(*ast.CommentGroupNode); only {
			continue
		}
		if root != nil {
			return nil, Fail(placeOf(doc.Body), "second document, want one per file")
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
		return Fail(Position{1, 1}, "not YAML: %v", err)
	}
	return Fail(tokenPlace(e.GetToken()), "%s", e.GetMessage())
}

func tokenPlace(tk *token.Token) Position {
	if tk == nil || tk.Position == nil {
		return Position{1, 1}
	}
	return Position{max(tk.Position.Line, 1), max(tk.Position.Column, 1)}
}

// placeOf is where a node begins. Maps name their first colon, so their first key
// is asked.
func placeOf(n ast.Node) Position {
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

func convert(n ast.Node, depth int) (*Node, error) {
	at := placeOf(n)
	if depth > MaxDepth {
		return nil, Fail(at, "nested deeper than %d", MaxDepth)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return &Node{Kind: Null, At: at}, nil
	case *ast.BoolNode:
		return &Node{Kind: Bool, At: at, Text: strconv.FormatBool(n.Value)}, nil
	case *ast.StringNode:
		return &Node{Kind: Text, At: at, Text: n.Value}, nil
	case *ast.LiteralNode:
		return &Node{Kind: Text, At: at, Text: n.Value.Value}, nil
	case *ast.IntegerNode:
		return &Node{Kind: Number, At: at, Text: number(n.Token.Value, fmt.Sprint(n.Value))}, nil
	case *ast.FloatNode:
		if math.IsInf(n.Value, 0) || math.IsNaN(n.Value) {
			return nil, Fail(at, "number out of range")
		}
		return &Node{Kind: Number, At: at, Text: number(n.Token.Value, strconv.FormatFloat(n.Value, 'g', -1, 64))}, nil
	case *ast.SequenceNode:
		out := &Node{Kind: List, At: at}
		for _, item := range n.Values {
			child, err := convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, child)
		}
		return out, nil
	case *ast.MappingNode:
		out := &Node{Kind: Map, At: at}
		for _, pair := range n.Values {
			if err := addPair(out, pair, depth); err != nil {
				return nil, err
			}
		}
		return out, nil
	case *ast.MappingValueNode:
		out := &Node{Kind: Map, At: at}
		return out, addPair(out, n, depth)
	case *ast.AnchorNode, *ast.AliasNode:
		return nil, Fail(at, "anchors and aliases are not part of the language")
	case *ast.TagNode:
		return nil, Fail(at, "tags are not part of the language")
	}
	return nil, Fail(at, "%s is not part of the language", n.Type().YAMLName())
}

func addPair(out *Node, pair *ast.MappingValueNode, depth int) error {
	at := placeOf(pair.Key)
	var name string
	switch key := pair.Key.(type) {
	case *ast.StringNode:
		name = key.Value
	case *ast.NullNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode:
		return Fail(at, "key %s: want text, quote it", pair.Key.GetToken().Value)
	default:
		return Fail(at, "key: want text")
	}
	for _, known := range out.Keys {
		if known.Text == name {
			return Fail(at, "duplicate key %q, first at line %d", name, known.At.Line)
		}
	}
	value, err := convert(pair.Value, depth+1)
	if err != nil {
		return err
	}
	out.Keys, out.Items = append(out.Keys, Label{name, at}), append(out.Items, value)
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
