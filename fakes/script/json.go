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
	d := jsontext.NewDecoder(bytes.NewReader(data))
	root, err := decodeJSON(d, 0)
	if err == nil {
		var end error
		if _, end = d.ReadToken(); end == nil {
			err = fail(jsonPlace(d), "text after the list")
		} else if !errors.Is(end, io.EOF) {
			err = end
		}
	}
	var frames []fakes.Frame
	if err == nil {
		frames, err = readList(root, "frames", "step", frameWords, asFrame)
	}
	if err != nil {
		return nil, named("frames", inLines(err, data))
	}
	return frames, nil
}

// atOffset marks a position that is a byte offset so far: lines are counted only
// for an error.
const atOffset = -1

func jsonPlace(d *jsontext.Decoder) position { return position{atOffset, int(d.InputOffset())} }

// inLines turns the offset of an error into line and column.
func inLines(err error, data []byte) error {
	var p *placed
	if errors.As(err, &p) && p.at.line == atOffset {
		before := data[:min(p.at.col, len(data))]
		p.at = position{1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')}
	}
	return err
}

func decodeJSON(d *jsontext.Decoder, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fail(jsonPlace(d), "nested deeper than %d", maxDepth)
	}
	t, err := d.ReadToken()
	if err != nil {
		return nil, fail(jsonPlace(d), "not JSON: %v", err)
	}
	n := &node{at: jsonPlace(d)}
	switch t.Kind() {
	case 'n':
		n.kind = kindNull
	case 't', 'f':
		n.kind, n.text = kindBool, strconv.FormatBool(t.Bool())
	case '0':
		n.kind, n.text = kindNumber, t.String()
	case '"':
		n.kind, n.text = kindText, t.String()
	case '[':
		n.kind = kindList
		for d.PeekKind() != ']' {
			child, err := decodeJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, child)
		}
		_, err = d.ReadToken()
	case '{':
		n.kind = kindObject
		for d.PeekKind() != '}' {
			key, err := decodeJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			child, err := decodeJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			n.keys, n.items = append(n.keys, label{key.text, key.at}), append(n.items, child)
		}
		_, err = d.ReadToken()
	}
	if err != nil {
		return nil, fail(jsonPlace(d), "not JSON: %v", err)
	}
	return n, nil
}

// appendJSON writes a node as compact JSON, keys in their order.
func appendJSON(out []byte, n *node) ([]byte, error) {
	var err error
	switch n.kind {
	case kindNull:
		return append(out, "null"...), nil
	case kindBool, kindNumber:
		return append(out, n.text...), nil
	case kindText:
		return jsontext.AppendQuote(out, n.text)
	case kindList:
		out = append(out, '[')
		for i, item := range n.items {
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
	for i, item := range n.items {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = jsontext.AppendQuote(out, n.keys[i].text); err != nil {
			return nil, err
		}
		if out, err = appendJSON(append(out, ':'), item); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}
