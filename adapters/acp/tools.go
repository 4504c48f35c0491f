package acp

import (
	"bytes"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// toolUpdate is a call, or what is new about one. Values that have a form of their own
// are read when they are needed, so that an odd one costs no more than itself.
type toolUpdate struct {
	ID      string             `json:"toolCallId"`
	Name    string             `json:"name"` // of some agents
	Title   string             `json:"title"`
	Kind    sdk.ToolKind       `json:"kind"`
	Status  sdk.ToolCallStatus `json:"status"`
	Input   jsontext.Value     `json:"rawInput"`
	Output  jsontext.Value     `json:"rawOutput"`
	Content jsontext.Value     `json:"content"`
	Meta    jsontext.Value     `json:"_meta"`
}

// tool is a call as it stands.
type tool struct {
	name      string
	title     string // as it was first told: what people read, of some agents the tool's name
	kind      sdk.ToolKind
	input     jsontext.Value
	content   string
	output    jsontext.Value
	terminal  strings.Builder // what some agents say of a terminal of their own
	announced bool
	over      bool
}

// learn takes what is new.
func (t *tool) learn(u *toolUpdate) {
	if t.name == "" {
		t.name = u.Name
	}
	if t.title == "" {
		t.title = u.Title
	}
	if t.kind == "" {
		t.kind = u.Kind
	}
	if set(u.Input) {
		t.input = u.Input
	}
	if set(u.Content) {
		t.content = contentText(u.Content)
	}
	if set(u.Output) {
		t.output = u.Output
	}
	var meta struct {
		Terminal struct {
			Data string `json:"data"`
		} `json:"terminal_output"`
	}
	if decode(u.Meta, &meta) == nil {
		t.terminal.WriteString(meta.Terminal.Data)
	}
}

// called is what the tool is called: by its name, by a title that can be one, or by its
// kind.
func (t *tool) called() string {
	switch {
	case t.name != "":
		return t.name
	case t.title != "" && !strings.ContainsAny(t.title, " \t\r\n"):
		return t.title
	case t.kind != "":
		return string(t.kind)
	}
	return string(sdk.ToolKindOther)
}

// given is the input of the call. An agent that tells none may say in the title what the
// tool does.
func (t *tool) given() executor.JSON {
	if len(t.input) > 0 || t.title == "" || t.title == t.called() {
		return executor.JSON(t.input)
	}
	title, err := json.Marshal(map[string]string{"title": t.title})
	if err != nil {
		return "" // cannot happen: it is text
	}
	return executor.JSON(title)
}

// said is what the tool said: to programs if that is text, else what people are shown.
func (t *tool) said() string {
	raw := text(t.output)
	if raw == "" {
		raw = t.content
	}
	if raw == "" {
		raw = t.terminal.String()
	}
	if raw == "" && set(t.output) && !bytes.HasPrefix(t.output, []byte(`"`)) {
		raw = string(t.output)
	}
	return raw
}

// contentText is the text in what a tool shows.
func contentText(v jsontext.Value) string {
	var all []jsontext.Value
	if decode(v, &all) != nil {
		return ""
	}
	var texts []string
	for _, c := range all {
		var it struct {
			Type    string         `json:"type"`
			Content jsontext.Value `json:"content"`
			Path    string         `json:"path"`
		}
		if decode(c, &it) != nil {
			continue
		}
		switch it.Type {
		case "content":
			if kind, s, ok := blockText(it.Content); ok && kind == "text" {
				texts = append(texts, s)
			}
		case "diff":
			texts = append(texts, it.Path)
		}
	}
	return strings.Join(texts, "\n")
}

// blockText is the kind of a block of content, and its text if it is one of text. False
// says that it cannot be read.
func blockText(v jsontext.Value) (kind, said string, ok bool) {
	var b struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	err := decode(v, &b)
	if err == nil && b.Type == "text" && b.Text != nil {
		return b.Type, *b.Text, true
	}
	var other struct {
		Type string `json:"type"`
	}
	ok = decode(v, &other) == nil && other.Type != "" && other.Type != "text"
	return other.Type, "", ok
}

// tooled maps a call, or what is new about one. A call is told when its input is known:
// the tool has begun or ended, the input came after the call, or something else follows.
func (m *mapper) tooled(u *toolUpdate, first bool) []executor.Event {
	t := m.tools[u.ID]
	switch {
	case t == nil, t.over && first: // an id that comes again is another call
		t = &tool{}
		m.tools[u.ID] = t
		m.said.passed, m.meant.passed = true, true
	case t.over:
		return nil
	}
	t.learn(u)
	known := !first && set(u.Input)
	var out []executor.Event
	switch u.Status {
	case sdk.ToolCallStatusInProgress:
		known = true
	case sdk.ToolCallStatusCompleted, sdk.ToolCallStatusFailed:
		out = m.announce(u.ID, t)
		t.over = true
		return append(out, m.calls.Answer(u.ID, t.said(), u.Status == sdk.ToolCallStatusFailed)...)
	}
	switch {
	case known:
		out = m.announce(u.ID, t)
	case !t.announced && first:
		m.held = append(m.held, u.ID)
	}
	return out
}

// announce tells a call, once.
func (m *mapper) announce(id string, t *tool) []executor.Event {
	if t.announced {
		return nil
	}
	t.announced = true
	return []executor.Event{m.calls.Announce(id, t.called(), t.given())}
}

// release tells the calls that wait for their input: nothing more of it comes.
func (m *mapper) release() []executor.Event {
	var out []executor.Event
	for _, id := range m.held {
		out = append(out, m.announce(id, m.tools[id])...)
	}
	m.held = nil
	return out
}

// asked maps the call that a permission is about: its input is what the host decides on.
func (m *mapper) asked(u *toolUpdate) []executor.Event {
	t := m.tools[u.ID]
	if t == nil || t.over || t.announced {
		return nil // it is told, or is not one of the run's calls
	}
	t.learn(u)
	return m.announce(u.ID, t)
}
