package pi

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

// console is where the process is talked to. Nothing waits for the process to read; what
// cannot be said is followed by what ends the process. Its methods may be called from
// several goroutines.
type console struct {
	lines *ndjson.Writer

	mu       sync.Mutex
	next     int
	prompt   string          // not said yet
	said     bool            // the prompt has been said
	aborted  bool            // nothing more is begun
	ended    bool            // nothing more is said
	first    string          // id of the prompt
	open     map[string]bool // ids of prompts without an answer
	fence    string          // id of the last question how the process stands
	provider string          // of the model; empty is not known
}

func openConsole(stdin io.WriteCloser, prompt string) *console {
	return &console{lines: ndjson.NewWriter(stdin), prompt: prompt, open: map[string]bool{}}
}

// The commands, as far as this host gives them.
type (
	commandLine struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Message  string `json:"message,omitzero"`
		Behavior string `json:"streamingBehavior,omitzero"`
		Provider string `json:"provider,omitzero"`
		Model    string `json:"modelId,omitzero"`
	}
	uiLine struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		Confirmed *bool  `json:"confirmed,omitzero"`
		Value     string `json:"value,omitzero"`
		Cancelled bool   `json:"cancelled,omitzero"`
	}
)

// put says a line. The caller holds mu.
func (c *console) put(line any) error {
	if c.ended {
		return ndjson.ErrEnded
	}
	out, err := json.Marshal(line, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("write to the runtime: %w", err)
	}
	return c.lines.Put(out)
}

// command gives a command and returns its id. The caller holds mu.
func (c *console) command(line commandLine) (id string, err error) {
	c.next++
	line.ID = fmt.Sprint("host-", c.next)
	return line.ID, c.put(line)
}

// state asks how the process stands. Only the answer to the last question counts: it
// tells of all that was said before.
func (c *console) state() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fence, _ = c.command(commandLine{Type: "get_state"})
}

// current reports whether an answer is that to the last question.
func (c *console) current(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return id == c.fence
}

// begin says the prompt, once, on a process whose model is of that provider.
func (c *console) begin(provider string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.provider = provider
	if c.said || c.aborted {
		return
	}
	c.said = true
	c.first, _ = c.command(commandLine{Type: "prompt", Message: c.prompt})
	c.open[c.first] = true
	c.prompt = ""
}

// steer gives the run a message, and reports whether it took it. One that comes before
// the prompt goes with it.
func (c *console) steer(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.aborted || c.ended:
		return false
	case !c.said:
		c.prompt = text + "\n\n" + c.prompt
		return true
	}
	id, err := c.command(commandLine{Type: "prompt", Message: text, Behavior: "steer"})
	if err != nil {
		return false
	}
	c.open[id] = true
	return true
}

// taken notes that a prompt has its answer, and reports whether it is the first one.
func (c *console) taken(id string) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
	return id == c.first
}

// started notes that the agent works: the prompt was taken, whether or not its answer
// could be read.
func (c *console) started() {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, c.first)
}

// late reports which answer the beginning still waits for, empty for none, and ends what
// is said if it does.
func (c *console) late() (waits string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.aborted || c.ended:
		return ""
	case !c.said:
		waits = "get_state"
	case c.open[c.first]:
		waits = "prompt"
	default:
		return ""
	}
	c.ended = true
	c.lines.End()
	return waits
}

// setModel asks for another model.
func (c *console) setModel(model string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	provider, id, both := strings.Cut(model, "/")
	if !both {
		provider, id = c.provider, model
	}
	if id == "" || provider == "" {
		return
	}
	_, _ = c.command(commandLine{Type: "set_model", Provider: provider, Model: id})
}

// abort asks for the end of the run. Before the prompt there is none: the process is
// told that nothing comes.
func (c *console) abort() (begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aborted = true
	if c.said {
		_, _ = c.command(commandLine{Type: "abort"})
	}
	return c.said
}

// answer answers a question.
func (c *console) answer(q *question, allow bool) error {
	line := uiLine{Type: "extension_ui_response", ID: q.id}
	switch {
	case q.yes == "":
		line.Confirmed = &allow
	case allow:
		line.Value = q.yes
	default:
		line.Cancelled = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.put(line)
}

// dismiss gives no answer to what is no question for yes or no.
func (c *console) dismiss(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.put(uiLine{Type: "extension_ui_response", ID: id, Cancelled: true})
}

// quiet ends what is said if no prompt waits for its answer, and reports whether it did:
// what is written from then on is for the next run.
func (c *console) quiet() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) > 0 {
		return false
	}
	c.ended = true
	return true
}

// end ends stdin: the process ends with it, whatever it does.
func (c *console) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.lines.End()
}
