package appserver

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// replay prints a recording in step with the client: an answer when the client has asked,
// what follows a question of the server when the client has answered, all else at once.
// Requests are answered in their order, whatever they ask.
type replay struct {
	rest  []byte // not printed yet
	exit  int
	stays bool             // until a signal
	asked []jsontext.Value // ids of requests that wait
	waits int              // questions that wait
}

func newReplay(r *child.Recording) *replay {
	return &replay{rest: r.Stdout, exit: r.Exit, stays: r.WaitSignal}
}

// hear takes a message of the client.
func (x *replay) hear(r *renderer, m message) error {
	switch {
	case m.Method == nil:
		if x.waits > 0 {
			x.waits--
		}
		r.process.Heard(fakes.Call{Method: fakes.MethodAnswer, Question: string(m.ID), Allow: decisionOf(m) == accepted})
	case m.ID == nil:
		r.hearNotice(*m.Method)
	default:
		x.asked = append(x.asked, m.ID)
		x.notice(r, m)
	}
	return x.print(r)
}

// notice makes a run of the turn that the client asks for, and calls of what else it
// asks.
func (x *replay) notice(r *renderer, m message) {
	p := readParams(m.Params)
	name, model, dir := p.text("threadId"), p.text("model"), p.text("cwd")
	switch *m.Method {
	case "thread/start", "thread/resume", "thread/fork":
		if dir == "" {
			dir = workDir()
		}
		r.threads[""] = &conversation{asked: name, model: model, asksModel: model != "", dir: dir}
	case "turn/start":
		c := r.threads[""]
		if c == nil {
			c = &conversation{dir: dir}
		}
		c.id = name
		if model != "" {
			c.model, c.asksModel = model, true
		}
		if r.turn != nil {
			r.process.Heard(fakes.Call{Method: fakes.MethodInput, Value: textOf(p.input())})
			return
		}
		r.turn = &turn{of: c, first: addressed{input: p.input()}}
	case "turn/steer":
		r.process.Heard(fakes.Call{Method: fakes.MethodInput, Value: textOf(p.input())})
	case "turn/interrupt":
		r.process.Heard(fakes.Call{Method: fakes.MethodCancel})
	}
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
		case known && about.ID != nil:
			if len(x.asked) == 0 {
				return nil
			}
			id := x.asked[0]
			x.asked = x.asked[1:]
			if string(id) != string(about.ID) {
				line = answerUnder(line, about.ID, id)
			}
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

// answerUnder gives a recorded answer another id: the member stands first or last.
func answerUnder(line, old, id []byte) []byte {
	head, tail := append([]byte(`{"id":`), old...), append(append([]byte(`"id":`), old...), '}')
	if rest, ok := bytes.CutPrefix(line, head); ok {
		return append(append([]byte(`{"id":`), id...), rest...)
	}
	if rest, ok := bytes.CutSuffix(line, tail); ok {
		return append(append(append(rest, `"id":`...), id...), '}')
	}
	return line
}

// end takes the end of the input.
func (x *replay) end(r *renderer) {
	if !x.stays {
		r.Stage.Leave(x.exit, "")
	}
}
