package script

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// EncodeFrames writes frames as a JSON list of one-word objects: the steps of a
// script, for a fake's control connection. Text that is not UTF-8 is mended, except
// in raw and stderr frames, which carry their bytes.
func EncodeFrames(frames ...fakes.Frame) ([]byte, error) {
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out, jsontext.AllowInvalidUTF8(true))
	tokens := func(ts ...jsontext.Token) error {
		for _, t := range ts {
			if err := e.WriteToken(t); err != nil {
				return err
			}
		}
		return nil
	}
	if err := tokens(jsontext.BeginArray); err != nil {
		return nil, err
	}
	for i, f := range frames {
		values, err := valuesOf(f)
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", i, err)
		}
		if err := tokens(jsontext.BeginObject, jsontext.String(f.Word()), jsontext.BeginObject); err != nil {
			return nil, fmt.Errorf("frame %d: %w", i, err)
		}
		for _, v := range values {
			if err := tokens(jsontext.String(v.name), v.token()); err != nil {
				return nil, fmt.Errorf("frame %d, %s: %w", i, v.name, err)
			}
		}
		if err := tokens(jsontext.EndObject, jsontext.EndObject); err != nil {
			return nil, fmt.Errorf("frame %d: %w", i, err)
		}
	}
	if err := tokens(jsontext.EndArray); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// token is the value as one JSON token. JSON texts travel as text, so that they
// arrive as they were.
func (v value) token() jsontext.Token {
	switch x := v.v.(type) {
	case nil:
		return jsontext.Null
	case string:
		return jsontext.String(x)
	case bool:
		return jsontext.Bool(x)
	case int:
		return jsontext.Int(int64(x))
	case int64:
		return jsontext.Int(x)
	case float64:
		return jsontext.Float(x)
	case jsonText:
		return jsontext.String(string(x))
	case rawBytes:
		return jsontext.String(base64.StdEncoding.EncodeToString(x))
	}
	panic(fmt.Sprintf("script: value of type %T", v.v))
}

// DecodeFrames reads what [EncodeFrames] wrote, and any JSON list of steps. It is as
// strict as [Parse].
func DecodeFrames(data []byte) ([]fakes.Frame, error) {
	var r reader
	d := jsontext.NewDecoder(bytes.NewReader(data))
	root, err := decodeJSON(d, 0)
	if err == nil {
		var end error
		if _, end = d.ReadToken(); end == nil {
			err = yamltree.Fail(jsonPlace(d), "text after the list")
		} else if !errors.Is(end, io.EOF) {
			err = end
		}
	}
	var frames []fakes.Frame
	if err != nil {
		r.add(err)
	} else {
		for _, s := range r.list(root, "frames", "step", frameWords) {
			frames = append(frames, s.build().(fakes.Frame))
		}
	}
	for _, p := range r.problems {
		p.At = inLines(p.At, data)
	}
	if err := problems("frames", 0, r.problems); err != nil {
		return nil, err
	}
	return frames, nil
}

// atOffset marks a position that is a byte offset so far: lines are counted only
// for an error.
const atOffset = -1

func jsonPlace(d *jsontext.Decoder) yamltree.Position {
	return yamltree.Position{Line: atOffset, Col: int(d.InputOffset())}
}

// inLines turns an offset into line and column.
func inLines(at yamltree.Position, data []byte) yamltree.Position {
	if at.Line != atOffset {
		return at
	}
	before := data[:min(at.Col, len(data))]
	return yamltree.Position{Line: 1 + bytes.Count(before, []byte("\n")), Col: len(before) - bytes.LastIndexByte(before, '\n')}
}

func decodeJSON(d *jsontext.Decoder, depth int) (*yamltree.Node, error) {
	if depth > yamltree.MaxDepth {
		return nil, yamltree.Fail(jsonPlace(d), "nested deeper than %d", yamltree.MaxDepth)
	}
	t, err := d.ReadToken()
	if err != nil {
		return nil, yamltree.Fail(jsonPlace(d), "not JSON: %v", err)
	}
	n := &yamltree.Node{At: jsonPlace(d)}
	switch t.Kind() {
	case 'n':
		n.Kind = yamltree.Null
	case 't', 'f':
		n.Kind, n.Text = yamltree.Bool, strconv.FormatBool(t.Bool())
	case '0':
		n.Kind, n.Text = yamltree.Number, t.String()
	case '"':
		n.Kind, n.Text = yamltree.Text, t.String()
	case '[':
		n.Kind = yamltree.List
		for d.PeekKind() != ']' {
			child, err := decodeJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, child)
		}
		_, err = d.ReadToken()
	case '{':
		n.Kind = yamltree.Map
		for d.PeekKind() != '}' {
			key, err := decodeJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			child, err := decodeJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			n.Keys, n.Items = append(n.Keys, yamltree.Label{Text: key.Text, At: key.At}), append(n.Items, child)
		}
		_, err = d.ReadToken()
	}
	if err != nil {
		return nil, yamltree.Fail(jsonPlace(d), "not JSON: %v", err)
	}
	return n, nil
}

// appendJSON writes a node as compact JSON, keys in their order.
func appendJSON(out []byte, n *yamltree.Node) ([]byte, error) {
	var err error
	switch n.Kind {
	case yamltree.Null:
		return append(out, "null"...), nil
	case yamltree.Bool, yamltree.Number:
		return append(out, n.Text...), nil
	case yamltree.Text:
		return jsontext.AppendQuote(out, n.Text)
	case yamltree.List:
		out = append(out, '[')
		for i, item := range n.Items {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendJSON(out, item); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	}
	out = append(out, '{')
	for i, item := range n.Items {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = jsontext.AppendQuote(out, n.Keys[i].Text); err != nil {
			return nil, err
		}
		if out, err = appendJSON(append(out, ':'), item); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}
