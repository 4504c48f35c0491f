package pi

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// question is one of an extension that waits for its answer.
type question struct {
	id   string
	call *call // nil if it is about none
}

// uiResponse is an answer to a question.
type uiResponse struct {
	ID        string  `json:"id"`
	Confirmed *bool   `json:"confirmed"`
	Cancelled *bool   `json:"cancelled"`
	Value     *string `json:"value"`
}

// Ask has an extension ask whether the last call of that tool may be made.
func (r *renderer) Ask(f fakes.Ask) error {
	if r.quiet() {
		return nil
	}
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.closeMessage("stop", ""); err != nil {
		return err
	}
	q := &question{id: f.ID}
	if q.id == "" {
		q.id = r.ids.request()
	}
	about := f.Tool
	for _, c := range r.run.calls {
		if c.name == f.Tool && !c.over {
			q.call, about = c, c.command()
		}
	}
	r.input.asked = append(r.input.asked, q)
	if err := r.event("extension_ui_request", member{"id", q.id}, member{"method", "confirm"}, member{"title", "Run it?"}, member{"message", about}); err != nil {
		return err
	}
	if !r.scripted() || len(r.process.Play.Args) == 0 {
		return nil
	}
	code, ended := r.process.Await(func() bool { return !slices.Contains(r.input.asked, q) })
	if ended {
		return &child.Ended{Code: code}
	}
	return nil
}

// expect notes that a native line asks something.
func (in *input) expect(line jsontext.Value) {
	var x struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}
	if json.Unmarshal(line, &x) == nil && x.Type == "extension_ui_request" && x.ID != "" {
		in.asked = append(in.asked, &question{id: x.ID})
	}
}

// hearAnswer takes an answer. One to nothing that was asked is dropped.
func (r *renderer) hearAnswer(a uiResponse) error {
	allow := a.Confirmed != nil && *a.Confirmed || a.Value != nil
	if a.Cancelled != nil && *a.Cancelled {
		allow = false
	}
	r.process.Heard(fakes.Call{Method: fakes.MethodAnswer, Question: a.ID, Allow: allow})
	in := &r.input
	i := slices.IndexFunc(in.asked, func(q *question) bool { return q.id == a.ID })
	if i < 0 {
		r.breach(BreachAnswer)
		return nil
	}
	q := in.asked[i]
	in.asked = slices.Delete(in.asked, i, i+1)
	if q.call != nil && !q.call.over && !allow {
		if err := r.answer(q.call, fakes.Result{Out: "Blocked by user", Error: true}, false); err != nil {
			return err
		}
	}
	if len(in.asked) == 0 && len(in.aborting) > 0 {
		return r.aborted()
	}
	return nil
}
