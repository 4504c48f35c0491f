package codex

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// totals is what a thread has spent. Input includes what came from the cache.
type totals struct {
	Input     int64 `json:"input"`
	Cached    int64 `json:"cached"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"`
}

// store remembers threads over the processes that serve them. The zero value
// remembers nothing.
type store struct{ dir string }

// thread is one file of a store.
type thread struct {
	ID    string `json:"id"`
	Spent totals `json:"spent"`
}

const lastThread = "last"

func (s store) file(id string) string {
	sum := sha256.Sum256([]byte(id)) // an id may be any text
	return filepath.Join(s.dir, hex.EncodeToString(sum[:8])+".json")
}

// load returns what a thread has spent, and whether it is known.
func (s store) load(id string) (totals, bool, error) {
	t, known, err := s.read(s.file(id))
	return t.Spent, known, err
}

// last returns the id of the thread that was saved last; empty is none.
func (s store) last() (string, error) {
	t, _, err := s.read(filepath.Join(s.dir, lastThread))
	return t.ID, err
}

// save writes a thread, which is then the last one.
func (s store) save(id string, spent totals) error {
	if s.dir == "" {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("remember the thread: %w", err)
	}
	data, err := json.Marshal(thread{id, spent})
	if err != nil {
		return fmt.Errorf("remember the thread: %w", err)
	}
	for _, name := range []string{s.file(id), filepath.Join(s.dir, lastThread)} {
		if err := replace(name, data); err != nil {
			return fmt.Errorf("remember the thread: %w", err)
		}
	}
	return nil
}

func (s store) read(name string) (thread, bool, error) {
	var t thread
	if s.dir == "" {
		return t, false, nil
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return t, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err != nil {
		return thread{}, false, fmt.Errorf("recall a thread: %w", err)
	}
	return t, true, nil
}

// replace writes a file so that a reader sees the old one or the new one: several
// processes may serve one thread.
func replace(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "new-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
