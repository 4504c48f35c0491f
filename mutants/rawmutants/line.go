package rawmutants

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// behaviour is what a subject does in the place of what is right. Nil fields do that.
type behaviour struct {
	// heard is called with each request before the adapter gets it, and reports
	// whether the adapter shall.
	heard func(l *line, method string) bool
	// says is called with each answer, and returns the lines to say.
	says func(a answer) []string
}

// answer is what the adapter answers to one request. Result is that of the protocol;
// it is nil if the answer is an error.
type answer struct {
	id     int64
	method string
	result map[string]any
}

// line is the conversation of a subject with its suite: what the suite asks goes to
// the right adapter, and what that answers is rewritten.
type line struct {
	play     fakes.Play
	behaves  behaviour
	partial  []byte // of an answer that is not whole yet
	speaking sync.Mutex

	mu      sync.Mutex
	methods map[int64]string // requests without an answer
}

func newLine(p fakes.Play, b behaviour) *line {
	return &line{play: p, behaves: b, methods: map[int64]string{}}
}

// message is a line of the protocol, as far as it matters here.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Result map[string]any `json:"result"`
}

// input is what the adapter hears.
func (l *line) input() io.Reader {
	r, w := io.Pipe()
	go func() {
		in := bufio.NewReader(l.play.Stdin)
		for {
			text, err := in.ReadBytes('\n')
			if err != nil {
				_ = w.Close()
				return
			}
			if l.hears(text) {
				_, _ = w.Write(text)
			}
		}
	}()
	return r
}

func (l *line) hears(text []byte) bool {
	var m message
	if json.Unmarshal(text, &m) != nil || m.Method == "" {
		return true // an answer to a call-back
	}
	if id, err := strconv.ParseInt(string(m.ID), 10, 64); err == nil {
		l.mu.Lock()
		l.methods[id] = m.Method
		l.mu.Unlock()
	}
	return l.behaves.heard == nil || l.behaves.heard(l, m.Method)
}

// Write takes what the adapter says, in pieces of any size.
func (l *line) Write(b []byte) (int, error) {
	l.partial = append(l.partial, b...)
	for {
		text, rest, whole := bytes.Cut(l.partial, []byte{'\n'})
		if !whole {
			return len(b), nil
		}
		for _, said := range l.rewritten(text) {
			if err := l.say(said); err != nil {
				return 0, err
			}
		}
		l.partial = rest
	}
}

// Close does nothing: the output ends with the process.
func (*line) Close() error { return nil }

// say says one line.
func (l *line) say(text string) error {
	l.speaking.Lock()
	defer l.speaking.Unlock()
	_, err := io.WriteString(l.play.Stdout, text+"\n")
	return err
}

// rewritten is what is said in the place of a line.
func (l *line) rewritten(text []byte) []string {
	var m message
	if json.Unmarshal(text, &m) != nil || m.Method != "" || m.Result == nil || l.behaves.says == nil {
		return []string{string(text)}
	}
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return []string{string(text)}
	}
	l.mu.Lock()
	method := l.methods[id]
	delete(l.methods, id)
	l.mu.Unlock()
	return l.behaves.says(answer{id, method, m.Result})
}

// text is the answer as a line, under its own id or another one.
func (a answer) text(id int64) string {
	result, err := json.Marshal(a.result, json.Deterministic(true))
	if err != nil {
		panic(err) // what a lie puts in is JSON
	}
	return `{"jsonrpc":"2.0","id":` + strconv.FormatInt(id, 10) + `,"result":` + string(result) + `}`
}
