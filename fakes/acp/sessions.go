package acp

import (
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// session is one that is open.
type session struct {
	id     string
	asked  string // the session that the client asked for
	dir    string
	model  string // that the client chose
	record record
}

// record is what is remembered of a session.
type record struct {
	Spent   tokens           `json:"spent"`
	Cost    float64          `json:"cost"`
	Priced  bool             `json:"priced"` // the cost is known
	Used    int64            `json:"used"`   // of the window
	History []jsontext.Value `json:"history"`
}

// open makes a session known, under a fresh id if it has none.
func (r *renderer) open(s session) *session {
	if s.id == "" {
		s.id = r.agent.ids(&r.ids)
	}
	r.sessions[s.id] = &s
	return &s
}

// save remembers a session.
func (r *renderer) save(s *session) error {
	if r.process == nil {
		return nil
	}
	return r.store.Save(s.id, s.record)
}

// remember adds an update to the history of a session.
func (s *session) remember(update any) {
	if v, err := json.Marshal(update, jsontext.AllowInvalidUTF8(true), json.Deterministic(true)); err == nil {
		s.record.History = append(s.record.History, v)
	}
}

// answerOf is what the client is told of a session, with its id or without.
func (r *renderer) answerOf(s *session, of object, named bool) object {
	answer := maps.Clone(of)
	if named {
		answer["sessionId"] = s.id
	}
	if s.model == "" {
		return answer
	}
	if models, is := answer["models"].(object); is {
		models = maps.Clone(models)
		models["currentModelId"] = s.model
		answer["models"] = models
	}
	if options, is := answer["configOptions"].([]any); is {
		var chosen []any
		for _, o := range options {
			if option, is := o.(object); is && option["id"] == "model" {
				option = maps.Clone(option)
				option["currentValue"] = s.model
				o = option
			}
			chosen = append(chosen, o)
		}
		answer["configOptions"] = chosen
	}
	return answer
}

// introduce says what follows the answer about a session.
func (r *renderer) introduce(s *session, banner []any) error {
	if r.silenced() {
		return nil
	}
	after := append([]any{}, banner...)
	if r.agent.name == pi {
		after = append(after, usageUpdate{Kind: "usage_update", Used: s.record.Used, Size: r.agent.window})
	}
	for _, u := range append(after, r.profile.Commands) {
		if err := r.update(s, u); err != nil {
			return err
		}
	}
	return nil
}

// call is how a run begins.
func (t *turn) call() fakes.Call {
	return fakes.Call{Method: fakes.MethodStart, Session: t.of.id, Resume: t.of.asked, Message: t.message, Dir: t.of.dir, Model: t.of.model}
}
