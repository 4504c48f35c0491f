package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenKeepsAndProtects(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", "team.db")
	s := openAt(t, path)
	task := create(t, s, NewTask{Title: "kept"})
	if runtime.GOOS != "windows" {
		for name, want := range map[string]os.FileMode{path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, filepath.Dir(path): 0o700} {
			info, err := os.Stat(name)
			if err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, error %v; want %v", filepath.Base(name), info.Mode().Perm(), err, want)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := openAt(t, path).Task(t.Context(), task.ID)
	if diff := cmp.Diff(task, again); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
}

func TestOpenRefuses(t *testing.T) {
	later := filepath.Join(t.TempDir(), "later.db")
	s := openAt(t, later)
	if _, err := s.db.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := Open(later); !errors.Is(err, ErrVersion) {
		t.Errorf("a later version: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	content := []byte("this is no database, and somebody's file, which is longer than a header of SQLite is")
	if err := os.WriteFile(other, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other); err == nil {
		t.Error("a file that is no database was opened")
	}
	if got, err := os.ReadFile(other); err != nil || string(got) != string(content) {
		t.Errorf("the file is now %q, error %v", got, err)
	}
}

func TestCreateTask(t *testing.T) {
	s := open(t)
	parent := create(t, s, NewTask{Title: "parent", TeamID: "t1"})
	child := create(t, s, NewTask{Title: "child", ParentTaskID: parent.ID, Status: Backlog, Priority: 3, Description: "d", AssigneeRuntime: "r"})
	want := Task{ID: child.ID, Title: "child", Description: "d", Status: Backlog, Priority: 3, TeamID: "t1", AssigneeRuntime: "r",
		ParentTaskID: parent.ID, CreatedAt: child.CreatedAt, UpdatedAt: child.CreatedAt}
	got, err := s.Task(t.Context(), child.ID)
	if diff := cmp.Diff(want, got); err != nil || diff != "" || child.CreatedAt == 0 || parent.Status != Todo {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
	for _, c := range []struct {
		name string
		n    NewTask
		want error
	}{
		{"blank title", NewTask{Title: " \n"}, ErrInvalid},
		{"running", NewTask{Title: "x", Status: InProgress}, ErrInvalid},
		{"no such parent", NewTask{Title: "x", ParentTaskID: "none"}, ErrNotFound},
	} {
		if _, err := s.CreateTask(t.Context(), c.n); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if all, err := s.Tasks(t.Context(), Filter{}); err != nil || len(all) != 2 {
		t.Errorf("%d tasks, error %v: a refused one was kept", len(all), err)
	}
	if _, err := s.Task(t.Context(), "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such task: %v", err)
	}
}

func TestTasks(t *testing.T) {
	s, ctx := open(t), t.Context()
	low := create(t, s, NewTask{Title: "low", TeamID: "t1"})
	high := create(t, s, NewTask{Title: "high", TeamID: "t1", Priority: 5})
	create(t, s, NewTask{Title: "later", TeamID: "t1", Status: Backlog, Priority: 9})
	create(t, s, NewTask{Title: "other", TeamID: "t2"})
	waits := create(t, s, NewTask{Title: "waits", TeamID: "t1", Priority: 7})
	if err := s.Link(ctx, waits.ID, low.ID); err != nil {
		t.Fatal(err)
	}
	list := func(f Filter, want ...string) {
		t.Helper()
		got, err := s.Tasks(ctx, f)
		if diff := cmp.Diff(want, ids(got)); err != nil || diff != "" {
			t.Errorf("%+v: error %v, (-want +got):\n%s", f, err, diff)
		}
	}
	list(Filter{}, "waits", "other", "later", "high", "low")
	list(Filter{TeamID: "t1", Limit: 2}, "waits", "later")
	list(Filter{TeamID: "t1", Status: Backlog}, "later")
	list(Filter{TeamID: "t1", Ready: true}, "high", "low")
	if _, err := s.Claim(ctx, low.ID, "a", ""); err != nil {
		t.Fatal(err)
	}
	list(Filter{TeamID: "t1", Ready: true}, "high") // in progress is not done
	if _, err := s.SetStatus(ctx, low.ID, Done); err != nil {
		t.Fatal(err)
	}
	list(Filter{TeamID: "t1", Ready: true}, "waits", "high")
	list(Filter{}, "low", "waits", "other", "later", "high") // the last change comes first
	_ = high
}

func TestLink(t *testing.T) {
	s, ctx := open(t), t.Context()
	a, b, c := create(t, s, NewTask{Title: "a"}), create(t, s, NewTask{Title: "b"}), create(t, s, NewTask{Title: "c"})
	for _, l := range []struct {
		from, to string
		want     error
	}{
		{a.ID, b.ID, nil}, {b.ID, c.ID, nil}, {a.ID, b.ID, nil}, {a.ID, c.ID, nil},
		{a.ID, a.ID, ErrCycle}, {b.ID, a.ID, ErrCycle}, {c.ID, a.ID, ErrCycle},
		{a.ID, "none", ErrNotFound}, {"none", a.ID, ErrNotFound},
	} {
		if err := s.Link(ctx, l.from, l.to); !errors.Is(err, l.want) || (err == nil) != (l.want == nil) {
			t.Errorf("%s on %s: %v; want %v", l.from, l.to, err, l.want)
		}
	}
}

func TestAncestors(t *testing.T) {
	s, ctx := open(t), t.Context()
	a := create(t, s, NewTask{Title: "a"})
	b := create(t, s, NewTask{Title: "b", ParentTaskID: a.ID})
	c := create(t, s, NewTask{Title: "c", ParentTaskID: b.ID})
	got, err := s.Ancestors(ctx, c.ID)
	if diff := cmp.Diff([]string{"b", "a"}, ids(got)); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
	if _, err := s.Ancestors(ctx, "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such task: %v", err)
	}
	// No operation makes a circle; a file that was tampered with may have one.
	if _, err := s.db.ExecContext(ctx, "UPDATE tasks SET parent_task_id = ? WHERE id = ?", c.ID, a.ID); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Ancestors(ctx, c.ID); err != nil || len(got) != 2 {
		t.Errorf("in a circle: %v, error %v", ids(got), err)
	}
}

func TestComments(t *testing.T) {
	s, ctx := open(t), t.Context()
	task := create(t, s, NewTask{Title: "a"})
	for _, c := range []struct {
		body, by, agent string
		want            error
	}{
		{"first", ByAgent, "a1", nil}, {"second", BySystem, "", nil}, {" ", ByUser, "", ErrInvalid}, {"x", "ghost", "", ErrInvalid},
	} {
		if _, err := s.AddComment(ctx, task.ID, c.body, c.by, c.agent); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%q by %q: %v; want %v", c.body, c.by, err, c.want)
		}
	}
	if _, err := s.AddComment(ctx, "none", "x", ByUser, ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such task: %v", err)
	}
	got, err := s.Comments(ctx, task.ID)
	if err != nil || len(got) != 2 || got[0].Body != "first" || got[0].AuthorAgentID != "a1" || got[1].AuthorType != BySystem || got[0].TaskID != task.ID {
		t.Errorf("%+v, error %v", got, err)
	}
}
