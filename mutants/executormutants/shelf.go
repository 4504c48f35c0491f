package executormutants

import "sync"

// shelf keeps text that a mutant shares where a right adapter does not.
type shelf struct {
	mu   sync.Mutex
	text map[string]string
}

func newShelf() *shelf { return &shelf{text: map[string]string{}} }

func (s *shelf) add(key, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text[key] += text
}

func (s *shelf) set(key, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text[key] = text
}

func (s *shelf) get(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text[key]
}
