package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/renameio/v2/maybe"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
)

// ErrNoTranscript is about a transcript that is not there.
var ErrNoTranscript = errors.New("there is no transcript of that session")

// maxSoul and maxTranscript bound what is read, in bytes.
const (
	maxSoul       = 64 << 10
	maxTranscript = 64 << 20
)

// Home is where one agent keeps its sessions: Dir/runtimes/clawboo-native/AGENT. With an
// empty Dir nothing is kept.
type Home struct {
	Dir   string
	Agent string
}

// SanitizeAgent is an agent's id as the name of a directory: what is no letter, digit,
// dash or underscore of ASCII is an underscore, and an empty one is _default.
func SanitizeAgent(id string) string {
	if id == "" {
		return "_default"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}

// Keeps reports whether the home has a directory.
func (h Home) Keeps() bool { return h.Dir != "" }

// Path is the directory of the agent. It need not be there.
func (h Home) Path() string {
	return filepath.Join(h.Dir, "runtimes", "clawboo-native", SanitizeAgent(h.Agent))
}

func (h Home) sessions() string { return filepath.Join(h.Path(), "sessions") }

// named reports whether an id can be the name of a file.
func named(id string) bool { return id != "" && id == SanitizeAgent(id) }

// transcript is the file of a session.
type transcript struct {
	Version   int               `json:"version"`
	SessionID string            `json:"sessionId"`
	Messages  []message.Message `json:"messages"`
}

const transcriptVersion = 1

// Save writes the transcript of a session, atomically and for its owner only. A home that
// keeps nothing, and an id that is no name of a file, do nothing.
func (h Home) Save(id string, talk []message.Message) error {
	if !h.Keeps() || !named(id) {
		return nil
	}
	if talk == nil {
		talk = []message.Message{}
	}
	text, err := json.Marshal(transcript{transcriptVersion, id, talk}, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("save transcript: %w", err)
	}
	if err := os.MkdirAll(h.sessions(), 0o700); err != nil {
		return fmt.Errorf("save transcript: %w", err)
	}
	if err := maybe.WriteFile(filepath.Join(h.sessions(), id+".json"), append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("save transcript: %w", err)
	}
	return nil
}

// Load reads the transcript of a session. One that is not there is [ErrNoTranscript]; one
// that is broken, or of another session, is an error too, which holds nothing of it.
func (h Home) Load(id string) ([]message.Message, error) {
	if !h.Keeps() || !named(id) {
		return nil, ErrNoTranscript
	}
	text, err := read(filepath.Join(h.sessions(), id+".json"), maxTranscript)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoTranscript
	case err != nil:
		return nil, fmt.Errorf("load transcript: %w", err)
	}
	var t transcript
	// The reason of an error may quote the file; it stays here.
	if json.Unmarshal(text, &t, json.RejectUnknownMembers(true)) != nil {
		return nil, errors.New("load transcript: the file is not one of this runtime")
	}
	switch {
	case t.Version != transcriptVersion:
		return nil, fmt.Errorf("load transcript: member version: %d, want %d", t.Version, transcriptVersion)
	case t.SessionID != id:
		return nil, errors.New("load transcript: member sessionId names another session")
	}
	for i, m := range t.Messages {
		if m.Role != message.User && m.Role != message.Assistant {
			return nil, fmt.Errorf("load transcript: member messages, entry %d: unknown role", i)
		}
	}
	return t.Messages, nil
}

// Soul reads the file SOUL.md in the agent's directory, 64 KiB of it at most; empty if
// there is none. A link that leads out of the directory is not followed.
func (h Home) Soul() string {
	if !h.Keeps() {
		return ""
	}
	root, err := os.OpenRoot(h.Path())
	if err != nil {
		return ""
	}
	defer root.Close()
	f, err := root.Open("SOUL.md")
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSoul))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(text), ""))
}

// read reads a file that is not longer than the limit.
func read(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("it is longer than %d bytes", limit)
	}
	return text, err
}
