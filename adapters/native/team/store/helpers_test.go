package store

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// open opens a store in a fresh directory, whose clock moves on by a millisecond each
// time that it is read.
func open(t testing.TB) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "team.db"))
}

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var ticks atomic.Int64
	s.now = func() time.Time { return time.UnixMilli(1_700_000_000_000 + ticks.Add(1)) }
	return s
}

func create(t testing.TB, s *Store, n NewTask) Task {
	t.Helper()
	task, err := s.CreateTask(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

func ids(tasks []Task) []string {
	all := make([]string, len(tasks))
	for i, task := range tasks {
		all[i] = task.Title
	}
	return all
}
