package pi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// session is a conversation and its file, which is written from the first answer on.
type session struct {
	id, path string // no path is a session that is not kept
	dir      string // the directory that it works in
	leaf     string // id of the last entry
	out      *os.File
	waiting  [][]byte
	written  bool

	messages []jsontext.Value // as answers tell them
	spent    spent
	counts   map[string]int // of messages by role, and of calls
}

// entry is what is read of an entry of a session's file.
type entry struct {
	Type     string         `json:"type"`
	ID       string         `json:"id"`
	Dir      string         `json:"cwd"`
	Provider string         `json:"provider"`
	Model    string         `json:"modelId"`
	Message  jsontext.Value `json:"message"`
}

// storedMessage is what is read of a message.
type storedMessage struct {
	Role    string `json:"role"`
	Content jsontext.Value
	Usage   struct {
		In         int64 `json:"input"`
		Out        int64 `json:"output"`
		CacheRead  int64 `json:"cacheRead"`
		CacheWrite int64 `json:"cacheWrite"`
		Cost       struct {
			Total float64 `json:"total"`
		} `json:"cost"`
	} `json:"usage"`
}

// agentDir is where the program keeps its files: the directory that the environment
// names, where that lies in the fake's own; else one there that stands for it, so that
// nothing is written anywhere else. Empty is nowhere.
func agentDir(home string, p fakes.Play) string {
	if home == "" {
		return ""
	}
	dir := p.Getenv("PI_CODING_AGENT_DIR")
	if dir == "" {
		dir = filepath.Join(p.Getenv("HOME"), ".pi", "agent")
	}
	if rel, err := filepath.Rel(home, dir); err == nil && filepath.IsLocal(rel) {
		return dir
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(home, hex.EncodeToString(sum[:8]))
}

// sessionDir is where the sessions of a working directory are.
func sessionDir(agent, dir string) string {
	name := strings.Map(func(c rune) rune {
		if c == '/' || c == '\\' || c == ':' {
			return '-'
		}
		return c
	}, strings.TrimLeft(dir, `/\`))
	return filepath.Join(agent, "sessions", "--"+name+"--")
}

// errNoSession is that of an id which no session has.
var errNoSession = errors.New("no such session")

// open finds the session that a process goes on with, or begins one. What was asked for
// is the id of the session that was found; a path that leads to no file begins a session
// there.
func (r *renderer) open(dir string) (asked string, err error) {
	r.session = &session{dir: dir, counts: map[string]int{}}
	switch {
	case r.inv.noSession || r.agent == "":
	case strings.ContainsAny(r.inv.session, `/\`) || strings.HasSuffix(r.inv.session, ".jsonl"):
		if r.session.path, err = filepath.Abs(r.inv.session); err != nil {
			return "", err
		}
		return r.resume(r.session.path)
	case r.inv.session != "":
		path, err := r.named(dir, r.inv.session)
		if err != nil {
			return "", err
		}
		return r.resume(path)
	case r.inv.goesOn:
		if all, _ := filepath.Glob(filepath.Join(r.sessions(dir), "*.jsonl")); len(all) > 0 {
			return r.resume(slices.Max(all))
		}
	}
	return "", r.newSession()
}

// sessions is the directory of sessions.
func (r *renderer) sessions(dir string) string {
	if r.inv.sessionDir != "" {
		return r.inv.sessionDir
	}
	return sessionDir(r.agent, dir)
}

// named finds the file of the session whose id begins so.
func (r *renderer) named(dir, id string) (string, error) {
	for _, pattern := range []string{filepath.Join(r.sessions(dir), "*.jsonl"), filepath.Join(r.agent, "sessions", "*", "*.jsonl")} {
		all, _ := filepath.Glob(pattern) // the pattern is well formed
		for _, path := range all {
			if _, of, ok := strings.Cut(filepath.Base(path), "_"); ok && strings.HasPrefix(of, id) {
				return path, nil
			}
		}
	}
	return "", errNoSession
}

// newSession begins a session.
func (r *renderer) newSession() error {
	s := r.session
	s.close()
	now := r.clock.now()
	*s = session{id: r.ids.session(), path: s.path, dir: s.dir, counts: map[string]int{}}
	if s.path == "" && r.agent != "" && !r.inv.noSession {
		name := strings.NewReplacer(":", "-", ".", "-").Replace(iso(now)) + "_" + s.id + ".jsonl"
		s.path = filepath.Join(r.sessions(s.dir), name)
	}
	header, err := render(object{{"type", "session"}, {"version", 3}, {"id", s.id}, {"timestamp", iso(now)}, {"cwd", s.dir}})
	if err != nil {
		return err
	}
	s.waiting = append(s.waiting, header)
	if err := r.record("model_change", member{"provider", r.model.provider}, member{"modelId", r.model.ID}); err != nil {
		return err
	}
	return r.record("thinking_level_change", member{"thinkingLevel", r.level})
}

// resume reads a session. Without its file another one begins.
func (r *renderer) resume(path string) (asked string, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		r.session.path = path
		return "", r.newSession()
	}
	if err != nil {
		return "", err
	}
	s := r.session
	s.path, s.written = path, true
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		var e entry
		if err := json.Unmarshal(line, &e, jsontext.AllowDuplicateNames(true)); err != nil {
			return "", fmt.Errorf("session %s, line %d: %w", filepath.Base(path), i+1, err)
		}
		switch e.Type {
		case "session":
			s.id, s.dir = e.ID, e.Dir
			continue
		case "model_change":
			if m, known := r.known.find(e.Provider, e.Model); known && r.inv.model == "" {
				r.model = m
			}
		case "message":
			var m storedMessage
			if err := json.Unmarshal(e.Message, &m, jsontext.AllowDuplicateNames(true)); err != nil {
				return "", fmt.Errorf("session %s, line %d: %w", filepath.Base(path), i+1, err)
			}
			u := m.Usage
			s.spent.add(spent{in: u.In, out: u.Out, cacheRead: u.CacheRead, cacheWrite: u.CacheWrite, money: money{total: u.Cost.Total}})
			s.messages = append(s.messages, e.Message)
			s.counts[m.Role]++
		}
		s.leaf = e.ID
	}
	if s.id == "" {
		return "", fmt.Errorf("session %s has no header", filepath.Base(path))
	}
	return s.id, nil
}

// record adds an entry to the session.
func (r *renderer) record(kind string, members ...member) error {
	s := r.session
	var parent any
	if s.leaf != "" {
		parent = s.leaf
	}
	s.leaf = r.ids.entry()
	line, err := render(append(object{{"type", kind}, {"id", s.leaf}, {"parentId", parent}, {"timestamp", iso(r.clock.now())}}, members...))
	if err != nil {
		return err
	}
	s.waiting = append(s.waiting, line)
	if s.written && len(s.waiting) >= atOnce {
		return s.flush()
	}
	return nil
}

// atOnce is how many entries are written at once within a run. The end of a run, and of
// the process, has all written.
const atOnce = 64

// leave has all written before the process ends.
func (r *renderer) leave() {
	if r.session.written {
		_ = r.session.flush() // the process ends in any case
	}
}

// remember adds a message to the session. The first answer has the file written.
func (r *renderer) remember(role string, message jsontext.Value) error {
	s := r.session
	s.messages = append(s.messages, message)
	s.counts[role]++
	if err := r.record("message", member{"message", message}); err != nil {
		return err
	}
	if role == "assistant" && !s.written {
		return s.flush()
	}
	return nil
}

// flush writes the entries that wait.
func (s *session) flush() error {
	if s.path == "" || len(s.waiting) == 0 {
		s.waiting = nil
		return nil
	}
	if err := s.openFile(); err != nil {
		return fmt.Errorf("write the session: %w", err)
	}
	if _, err := s.out.Write(append(bytes.Join(s.waiting, []byte("\n")), '\n')); err != nil {
		return fmt.Errorf("write the session: %w", err)
	}
	s.waiting, s.written = nil, true
	return nil
}

// openFile opens the file once: it stays open as long as the process has the session.
func (s *session) openFile() (err error) {
	if s.out != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	s.out, err = os.OpenFile(s.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return err
}

// close lets go of the file.
func (s *session) close() {
	if s.out != nil {
		_ = s.out.Close() // all has been written
		s.out = nil
	}
}
