package appserver

import "github.com/go-json-experiment/json/jsontext"

// What turns consist of, and the notifications about it.

type itemStarted struct {
	Item    any    `json:"item"`
	Thread  string `json:"threadId"`
	Turn    string `json:"turnId"`
	Started int64  `json:"startedAtMs"`
}

type itemCompleted struct {
	Item      any    `json:"item"`
	Thread    string `json:"threadId"`
	Turn      string `json:"turnId"`
	Tokens    any    `json:"contentTokenCount"`
	Completed int64  `json:"completedAtMs"`
}

type textDelta struct {
	Thread string `json:"threadId"`
	Turn   string `json:"turnId"`
	Item   string `json:"itemId"`
	Delta  string `json:"delta"`
}

type summaryDelta struct {
	textDelta
	Index int `json:"summaryIndex"`
}

type summaryPart struct {
	Thread string `json:"threadId"`
	Turn   string `json:"turnId"`
	Item   string `json:"itemId"`
	Index  int    `json:"summaryIndex"`
}

// times end every item.
type times struct {
	Started   int64  `json:"startedAtMs"`
	Completed *int64 `json:"completedAtMs"`
}

type userMessage struct {
	Type    string           `json:"type"`
	ID      string           `json:"id"`
	Client  *string          `json:"clientId"`
	Content []jsontext.Value `json:"content"`
	times
}

type agentMessage struct {
	Type       string  `json:"type"`
	Moderation any     `json:"moderation"`
	ID         string  `json:"id"`
	Text       *string `json:"text"`
	Phase      any     `json:"phase"`
	Citation   any     `json:"memoryCitation"`
	Delivery   any     `json:"delivery"`
	Questions  any     `json:"questions"`
	times
}

type reasoningItem struct {
	Type    string   `json:"type"`
	ID      string   `json:"id"`
	Summary []string `json:"summary"`
	Content []string `json:"content"`
	times
}

type commandItem struct {
	Type     string          `json:"type"`
	ID       string          `json:"id"`
	Plugin   any             `json:"pluginId"`
	Script   any             `json:"scriptPath"`
	Command  string          `json:"command"`
	Dir      string          `json:"cwd"`
	Process  *string         `json:"processId"`
	Source   string          `json:"source"`
	Status   string          `json:"status"`
	Actions  []commandAction `json:"commandActions"`
	Output   *string         `json:"aggregatedOutput"`
	ExitCode *int            `json:"exitCode"`
	Duration *int64          `json:"durationMs"`
	times
}

// commandAction is what a command was understood to do.
type commandAction struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Path    **string `json:"path,omitzero"` // null or text where the type has one
}

type fileItem struct {
	Type    string       `json:"type"`
	ID      string       `json:"id"`
	Changes []fileChange `json:"changes"`
	Status  string       `json:"status"`
	times
}

type fileChange struct {
	Path string     `json:"path"`
	Kind changeKind `json:"kind"`
	Diff string     `json:"diff"`
}

// changeKind is add, delete, or update, which may move.
type changeKind struct {
	Type string   `json:"type"`
	Move **string `json:"move_path,omitzero"`
}

type mcpItem struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Server    string         `json:"server"`
	Tool      string         `json:"tool"`
	Status    string         `json:"status"`
	Arguments jsontext.Value `json:"arguments"`
	App       any            `json:"appContext"`
	Plugin    any            `json:"pluginId"`
	Result    *mcpResult     `json:"result"`
	Error     any            `json:"error"`
	Duration  *int64         `json:"durationMs"`
	times
}

type mcpResult struct {
	Content    []mcpText       `json:"content"`
	Structured *jsontext.Value `json:"structuredContent"`
	Meta       any             `json:"_meta"`
}

type mcpText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type compactionItem struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	times
}

type searchItem struct {
	Type   string       `json:"type"`
	ID     string       `json:"id"`
	Query  string       `json:"query"`
	Action searchAction `json:"action"`
	times
}

type searchAction struct {
	Type  string  `json:"type"`
	Query *string `json:"query,omitzero"`
}
