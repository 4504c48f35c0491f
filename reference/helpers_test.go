package reference

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

const (
	runtimeID = "test-runtime"
	sessionID = "test-session"
)

// message makes a message of the test session.
func message(entry string, role history.Role, blocks ...history.Block) history.Message {
	return history.Message{
		ID:            sessionID + ":" + entry,
		SourceEntryID: entry,
		Role:          role,
		Blocks:        blocks,
		Provenance: history.Provenance{
			Source:    history.RuntimeSession,
			SessionID: sessionID,
			EntryID:   entry,
			RuntimeID: history.Some(runtimeID),
		},
	}
}

func text(entry, s string) history.Message {
	return message(entry, history.User, history.Text{Text: s})
}

func call(entry, id string) history.Message {
	return message(entry, history.Assistant, history.ToolCall{ID: id, Name: "read", Arguments: `{"path":"a"}`})
}

func result(entry, id string) history.Message {
	return message(entry, history.Tool, history.ToolResult{ToolCallID: id, ToolName: "read", Content: "A"})
}

// fixture is the four messages of the original's own suite.
func fixture() []history.Message {
	return []history.Message{
		text("entry-user", "Read the file."), call("entry-call", "tool-call-1"),
		result("entry-result", "tool-call-1"), message("entry-assistant", history.Assistant, history.Text{Text: "Done."}),
	}
}

// home is a session file in a directory of its own, with its project root.
type home struct {
	path, root string
}

func newHome(t testing.TB, messages ...history.Message) home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := home{filepath.Join(dir, "state", "session.jsonl"), filepath.Join(dir, "project")}
	if err := os.Mkdir(h.root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Create(h.create(messages...)); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h home) create(messages ...history.Message) CreateOptions {
	return CreateOptions{Path: h.path, RuntimeID: runtimeID, SessionID: sessionID, ProjectRoot: h.root, Messages: messages}
}

func (h home) options() Options {
	return Options{Path: h.path, RuntimeID: runtimeID, SessionID: sessionID, ProjectRoot: h.root}
}

func (h home) bytes(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(h.path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (h home) write(t testing.TB, data []byte) {
	t.Helper()
	if err := os.WriteFile(h.path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// unchanged runs a step and fails if it touched the session's bytes.
func (h home) unchanged(t testing.TB, step func()) {
	t.Helper()
	before := h.bytes(t)
	step()
	if !bytes.Equal(before, h.bytes(t)) {
		t.Error("the session file was changed")
	}
}

func adapter(t testing.TB, opts Options) *Adapter {
	t.Helper()
	a, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Shutdown(context.Background()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	return a
}

// codes lists an adapter's diagnostics, such as "adapter-closed:info".
func codes(a history.Adapter) string {
	var out []string
	for _, d := range a.Diagnostics() {
		out = append(out, string(d.Code)+":"+string(d.Severity))
	}
	return strings.Join(out, " ")
}
