package provider

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A shape is what an answer looks like without what it says: the kinds of its events in
// their order, and which fields each has. Events of one shape in a row are one, as how many
// there are depends on what is said.
//
//	message_start: message.content message.id … type=message_start
//	content_block_delta: delta.text delta.type=text_delta index type=content_block_delta
//
// A body that is no stream is one event, "body". An error is "status 429".

// Kinds of events that are none on the wire.
const (
	bodyEvent = "body"
	cutEvent  = "cut" // the stream ends without its terminal event
)

// kindFields are fields whose values are words of the protocol.
var kindFields = []string{"type", "object", "role", "status"}

// closedFields hold what people and models say: fields inside them are none of the
// protocol.
var closedFields = []string{"input", "arguments", "metadata", "output"}

// shapeOf is the shape of a body.
func shapeOf(status int, contentType string, body []byte) []string {
	if status >= 400 {
		return []string{eventShape(fmt.Sprintf("status %d", status), body)}
	}
	if !strings.HasPrefix(contentType, "text/event-stream") {
		return []string{eventShape(bodyEvent, body)}
	}
	var shape []string
	for block := range bytes.SplitSeq(bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")), []byte("\n\n")) {
		name, data := "", []byte(nil)
		for line := range bytes.SplitSeq(block, []byte("\n")) {
			if rest, is := bytes.CutPrefix(line, []byte("event:")); is {
				name = string(bytes.TrimSpace(rest))
			}
			if rest, is := bytes.CutPrefix(line, []byte("data:")); is {
				data = bytes.TrimSpace(rest)
			}
		}
		if data != nil && name != "ping" { // which comes when it comes
			shape = append(shape, eventShape(name, data))
		}
	}
	return slices.Compact(shape)
}

// eventShape is the shape of one event. One without a name is called by its object's.
func eventShape(name string, data []byte) string {
	fields := map[string]bool{}
	if jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		collect(data, "", fields)
	} else {
		name = or(name, strings.Trim(string(data[:min(len(data), 20)]), "[]"))
	}
	list := slices.Sorted(maps.Keys(fields))
	if name == "" {
		name = "data"
		for _, f := range list {
			if kind, is := strings.CutPrefix(f, "object="); is {
				name = kind
			}
		}
	}
	return strings.TrimSuffix(name+": "+strings.Join(list, " "), ": ")
}

// collect collects the paths of the fields below a value. A null is a field as well.
func collect(v jsontext.Value, path string, into map[string]bool) {
	switch v.Kind() {
	case '{':
		members, err := objectFields(string(v))
		if err != nil {
			return
		}
		for name, member := range members {
			below := strings.TrimPrefix(path+"."+name, ".")
			switch {
			case member.Kind() == '"' && slices.Contains(kindFields, name):
				into[below+"="+string(plain(member))] = true
			case (member.Kind() == '{' || member.Kind() == '[') && !slices.Contains(closedFields, name):
				collect(member, below, into)
			default:
				into[below] = true
			}
		}
		if len(members) == 0 {
			into[path] = true
		}
	case '[':
		empty := true
		for item := range items(v) {
			empty = false
			collect(item, path+"[]", into)
		}
		if empty {
			into[path+"[]"] = true
		}
	default:
		into[path] = true
	}
}

// items are those of an array.
func items(v jsontext.Value) func(yield func(jsontext.Value) bool) {
	return func(yield func(jsontext.Value) bool) {
		var list []jsontext.Value
		if decode(v, &list) != nil {
			return
		}
		for _, item := range list {
			if !yield(item) {
				return
			}
		}
	}
}

// shape is that of the rule's answer in a dialect: as it was recorded, or as it is played.
func (r *Rule) shape(d Dialect, stream bool) ([]string, error) {
	if len(r.Shape) > 0 {
		return r.Shape, nil
	}
	if r.Live {
		return []string{"live"}, nil
	}
	h := &holes{model: []byte("m")}
	if r.Refuse != nil {
		contentType, body := r.Refuse.body(d, requestID(h))
		return shapeOf(r.Refuse.status(), contentType, body), nil
	}
	t, err := compile(r, &request{dialect: d, stream: stream})
	if err != nil {
		return nil, err
	}
	if t.refusal != nil {
		contentType, body := t.refusal.body(d, requestID(h))
		return shapeOf(t.refusal.status(), contentType, body), nil
	}
	var body []byte
	for _, e := range t.events {
		body = e.fill(body, h)
	}
	contentType := "application/json"
	if stream {
		contentType = "text/event-stream"
	}
	shape := shapeOf(200, contentType, body)
	if t.cut || t.silent {
		shape = append(shape, cutEvent)
	}
	return shape, nil
}

// streamed reports whether a recorded shape is that of a stream.
func streamed(shape []string) bool {
	return len(shape) == 0 || !strings.HasPrefix(shape[0], bodyEvent+":") && shape[0] != bodyEvent
}
