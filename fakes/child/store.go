package child

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

// Store remembers sessions, by id, over the processes that serve them. With an empty
// directory it remembers nothing.
type Store[T any] struct{ Dir string }

// session is one file of a store.
type session[T any] struct {
	ID    string `json:"id"`
	State T      `json:"state"`
}

const lastSession = "last"

func (s Store[T]) file(id string) string {
	sum := sha256.Sum256([]byte(id)) // an id may be any text
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:8])+".json")
}

// Load returns the state of a session, and whether it is known.
func (s Store[T]) Load(id string) (T, bool, error) {
	x, known, err := s.read(s.file(id))
	return x.State, known, err
}

// Last returns the id of the session that was saved last; empty is none.
func (s Store[T]) Last() (string, error) {
	x, _, err := s.read(filepath.Join(s.Dir, lastSession))
	return x.ID, err
}

// Save writes a session, which is then the last one.
func (s Store[T]) Save(id string, state T) error {
	if s.Dir == "" {
		return nil
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("remember the session: %w", err)
	}
	data, err := json.Marshal(session[T]{id, state})
	if err != nil {
		return fmt.Errorf("remember the session: %w", err)
	}
	for _, name := range []string{s.file(id), filepath.Join(s.Dir, lastSession)} {
		if err := replace(name, data); err != nil {
			return fmt.Errorf("remember the session: %w", err)
		}
	}
	return nil
}

func (s Store[T]) read(name string) (session[T], bool, error) {
	var x session[T]
	if s.Dir == "" {
		return x, false, nil
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return x, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &x)
	}
	if err != nil {
		return session[T]{}, false, fmt.Errorf("recall a session: %w", err)
	}
	return x, true, nil
}

// replace writes a file so that a reader sees the old one or the new one: several
// processes may serve one session.
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
