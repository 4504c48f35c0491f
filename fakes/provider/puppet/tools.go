package puppet

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Question is what a tool of the runtime asks, by POST to [EnvTools], when it is called.
type Question struct {
	// Session of the run, as its requests name it, and id of the call.
	Session string `json:"session"`
	ID      string `json:"id"`
}

// Answer is what the tool then returns.
type Answer struct {
	Output  string `json:"output"`
	IsError bool   `json:"isError"`
}

// maxQuestion bounds a question, in bytes.
const maxQuestion = 1 << 16

func (rt *Runtime) serveTool(w http.ResponseWriter, q *http.Request) {
	var asked Question
	if q.Method != http.MethodPost || json.UnmarshalRead(http.MaxBytesReader(w, q.Body, maxQuestion), &asked) != nil {
		http.Error(w, "want a question by POST", http.StatusBadRequest)
		return
	}
	r := rt.byName(asked.Session)
	if r == nil {
		http.Error(w, "there is no run of that session", http.StatusNotFound)
		return
	}
	p := r.called(asked.ID)
	if p == nil {
		http.Error(w, "the model has made no call of that id", http.StatusNotFound)
		return
	}
	select {
	case <-p.done:
		r.returned(false)
		w.Header().Set("Content-Type", "application/json")
		_ = json.MarshalWrite(w, Answer{p.result.Out, p.result.Error}) // the runtime may be gone
	case <-q.Context().Done():
		r.returned(true)
	case <-rt.life.Done():
		r.returned(false)
	}
}

// called takes the call of a tool.
func (r *Run) called(id string) *pending {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.tools[id]
	if p == nil {
		return nil
	}
	r.calling++
	r.calls = append(r.calls, fakes.Call{Method: fakes.MethodTool, Session: r.thread.name, Value: id})
	if r.question == id {
		r.question = ""
		r.calls = append(r.calls, fakes.Call{Method: fakes.MethodAnswer, Session: r.thread.name, Question: id, Allow: true})
	}
	return p
}

// returned notes that a tool is over, and whether it was given up.
func (r *Run) returned(gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calling--
	if gone {
		r.cancelled()
	}
	r.announce()
}

// makes notes a call that the model makes.
func (r *Run) makes(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tools[id] = &pending{done: make(chan struct{})}
}

// settle gives a call its result, once.
func (r *Run) settle(id string, f fakes.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.tools[id]; p != nil && p.result == nil {
		p.result = &f
		close(p.done)
	}
}

// abandon fails the calls that have no result: the run goes on without.
func (r *Run) abandon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.tools {
		if p.result == nil {
			p.result = &fakes.Result{Out: "the tool returned nothing", Error: true}
			close(p.done)
		}
	}
}
