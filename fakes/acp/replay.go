package acp

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// replay prints a recording in step with the client: an answer when the client has asked,
// what follows a question of the agent when the client has answered, all else at once.
// Requests are answered in their order, whatever they ask.
type replay struct {
	rest  []byte // not printed yet
	exit  int
	asked []jsontext.Value // ids of requests that wait
	waits int              // questions that wait
}

// hear takes a message of the client.
func (x *replay) hear(r *renderer, m message) error {
	p := readParams(m.Params)
	switch {
	case m.Method == nil:
		x.waits = max(x.waits-1, 0)
		var o outcome
		_ = json.Unmarshal(m.Result, &o) // what cannot be read decides nothing
		r.process.Heard(fakes.Call{Method: fakes.MethodAnswer, Question: string(m.ID), Allow: bytes.HasPrefix([]byte(o.kind()), []byte("allow"))})
		return x.print(r)
	case m.ID == nil:
		r.process.Heard(fakes.Call{Method: fakes.MethodCancel})
		return nil
	}
	x.asked = append(x.asked, m.ID)
	switch *m.Method {
	case "session/new", "session/load", "session/resume":
		s := session{dir: p.must("cwd")}
		if name := p.must("sessionId"); name != "" {
			s.id, s.asked = name, name
		}
		r.sessions[""] = r.open(s)
	case "session/prompt":
		s := r.sessions[""]
		if s == nil {
			s = r.open(session{})
		}
		s.id = p.must("sessionId")
		t := &turn{id: m.ID, of: s, message: textOf(p.list("prompt"))}
		if r.turn != nil {
			r.process.Heard(t.call())
		} else {
			r.turn = t
		}
	}
	return x.print(r)
}

// recorded is what tells recorded lines apart.
type recorded struct {
	ID     jsontext.Value `json:"id"`
	Method *string        `json:"method"`
}

// print says what is due.
func (x *replay) print(r *renderer) error {
	for len(x.rest) > 0 && x.waits == 0 {
		line, rest, whole := bytes.Cut(x.rest, []byte("\n"))
		var about recorded
		known := json.Unmarshal(line, &about, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil
		switch {
		case known && about.ID != nil && about.Method != nil:
			x.waits++
		case known && about.ID != nil && about.ID.Kind() != 'n':
			if len(x.asked) == 0 {
				return nil
			}
			line = underID(line, x.asked[0])
			x.asked = x.asked[1:]
		}
		x.rest = rest
		say := r.Stage.Frame
		if !whole {
			say = r.Stage.Raw
		}
		if err := say(line); err != nil {
			return err
		}
	}
	return nil
}

// underID gives a recorded answer another id. The order of its members stays.
func underID(line []byte, id jsontext.Value) []byte {
	var out bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(line)), jsontext.NewEncoder(&out)
	depth := 0
	for {
		if depth == 1 && dec.PeekKind() == '"' {
			name, err := dec.ReadToken()
			if err != nil {
				return line
			}
			text := name.String()
			v, err := dec.ReadValue()
			if err != nil {
				return line
			}
			if text == "id" {
				v = id
			}
			if enc.WriteToken(jsontext.String(text)) != nil || enc.WriteValue(v) != nil {
				return line
			}
			continue
		}
		token, err := dec.ReadToken()
		if err != nil || enc.WriteToken(token) != nil {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
		}
		switch token.Kind() {
		case '{':
			depth++
		case '}':
			depth--
		}
	}
}
