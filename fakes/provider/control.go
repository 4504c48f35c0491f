package provider

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// controlPath is where a test in any language steers a space, below its address:
//
//	GET  journal              what was asked, and what became of it
//	GET  journal/NUMBER       waits until that exchange is over
//	POST rules                adds the rules of a file
//	POST gates/NAME           opens a gate
//	GET  gates/NAME           waits until an answer stands before it
//	POST spaces/NAME          makes a space; the answer is its address
const controlPath = "/adaptercheck/"

// control steers the space. What is sent there is in no journal.
func (s *Space) control(w http.ResponseWriter, r *http.Request, path string) {
	what, name, _ := strings.Cut(path, "/")
	name = unescaped(name)
	status, body := http.StatusOK, any(nil)
	var err error
	switch verb := r.Method + " " + what; {
	case verb == "GET journal" && name == "":
		body = s.Journal()
	case verb == "GET journal":
		body, err = s.waited(r, name)
	case verb == "POST rules" && name == "":
		body, err = s.posted(w, r)
	case verb == "POST gates" && name != "":
		s.Gate(name).Open()
		body = map[string]string{"open": name}
	case verb == "GET gates" && name != "":
		select {
		case <-s.Gate(name).Reached():
			body = map[string]string{"reached": name}
		case <-r.Context().Done():
			return
		}
	case verb == "POST spaces" && name != "":
		body = map[string]string{"url": s.server.Isolated(name).URL()}
	default:
		status, body = http.StatusNotFound, map[string]string{"error": fmt.Sprintf("no %s %s%s here, want GET journal, POST rules, POST gates/NAME, GET gates/NAME or POST spaces/NAME", r.Method, controlPath, path)}
	}
	if err != nil {
		status, body = http.StatusBadRequest, map[string]string{"error": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(jsonText(body), '\n')) // a client that is gone does not hear it
}

func (s *Space) waited(r *http.Request, name string) (any, error) {
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("exchange %q, want a number from 1", name)
	}
	return s.Wait(r.Context(), n)
}

// posted adds rules that were sent. Keys and models are not a space's to change.
func (s *Space) posted(w http.ResponseWriter, r *http.Request) (any, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
	if err != nil {
		return nil, err
	}
	o, err := Parse("rules", data)
	if err != nil {
		return nil, err
	}
	if o.Keys != nil || o.Models != nil {
		return nil, fmt.Errorf("keys and models are the server's, and were given when it began")
	}
	if o.Limit != (Limit{}) {
		s.Limit(o.Limit)
	}
	return map[string]int{"rules": len(o.Rules)}, s.Add(o.Rules...)
}
