package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// stepWidth is how much of a value or of a line is shown, in bytes.
const stepWidth = 2000

// steps writes what crosses a wire for a reader: one line per message, with the time
// since the first one. An answer is shown with the method that it answers.
type steps struct {
	mu     sync.Mutex
	to     io.Writer
	first  time.Time
	method map[string]string // of requests without an answer, by direction and id
}

func newSteps(to io.Writer) *steps { return &steps{to: to, method: map[string]string{}} }

// Write takes lines of a trace: a direction, a space, a message.
func (s *steps) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first.IsZero() {
		s.first = time.Now()
	}
	for line := range bytes.Lines(p) {
		if len(line) < 2 {
			continue
		}
		text := s.step(line[0], bytes.TrimSpace(line[2:]))
		if _, err := fmt.Fprintf(s.to, "%8.3fs %s\n", time.Since(s.first).Seconds(), printable(text)); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// message is what a step shows of a JSON-RPC message.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

// step is one message in words. What is none is shown as it stands.
func (s *steps) step(way byte, line []byte) string {
	arrow, back := "->", byte('<')
	if way == '<' {
		arrow, back = "<-", '>'
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Sprintf("%s %s", arrow, short(line))
	}
	if m.Method != "" {
		s.method[string(way)+string(m.ID)] = m.Method
		return fmt.Sprintf("%s %s %s", arrow, m.Method, short(m.Params))
	}
	asked := string(back) + string(m.ID)
	method := s.method[asked]
	delete(s.method, asked)
	if m.Error != nil {
		return fmt.Sprintf("%s %s: error %s", arrow, method, short(m.Error))
	}
	return fmt.Sprintf("%s %s: %s", arrow, method, short(m.Result))
}

// short cuts a long value between two characters.
func short(value []byte) string {
	if len(value) <= stepWidth {
		return string(value)
	}
	cut := stepWidth
	for cut > 0 && !utf8.RuneStart(value[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", value[:cut], len(value))
}
