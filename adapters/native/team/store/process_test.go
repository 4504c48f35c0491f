package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// workerEnv names the store that a child process of the test works on.
const workerEnv = "ADAPTERCHECK_TEST_STORE"

const (
	workers = 3
	jobs    = 15
)

// In a child process: wait for the start, then claim what there is, post, and fetch
// updates; each thing that was got is a line.
func TestWorker(t *testing.T) {
	path := os.Getenv(workerEnv)
	if path == "" {
		t.Skip("it is what the test of several processes starts")
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Fatal(err)
	}
	work(t, path, fmt.Sprintf("process-%d", os.Getpid()), func(line string) { fmt.Println(line) })
}

// work does a worker's part on a store that it opens itself.
func work(t *testing.T, path, name string, got func(line string)) {
	s, err := Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	ctx := context.Background()
	for i := range jobs {
		if _, err := s.CreateTask(ctx, NewTask{Title: fmt.Sprintf("%s/%d", name, i), TeamID: "t1", DelegatedBy: "lead"}); err != nil {
			t.Error(err)
		}
		if _, err := s.Say(ctx, "t1", name, fmt.Sprint(i)); err != nil {
			t.Error(err)
		}
		ready, err := s.Tasks(ctx, Filter{Ready: true})
		if err != nil {
			t.Error(err)
		}
		for _, task := range ready {
			if _, err := s.Claim(ctx, task.ID, name, ""); errors.Is(err, ErrConflict) {
				continue // another one was faster
			} else if err != nil {
				t.Error(err)
				continue
			}
			got("claimed " + task.Title)
			if _, err := s.Report(ctx, task.ID, Report{Outcome: Succeeded, AgentID: name, Summary: "s"}); err != nil {
				t.Error(err)
			}
		}
		updates, err := s.TakeUpdates(ctx, "lead", "t1")
		if err != nil {
			t.Error(err)
		}
		for _, u := range updates {
			got("told " + u.Title)
		}
	}
}

// once checks that each task was claimed once and told of once, and that no post is
// missing.
func once(t *testing.T, path string, lines []string) {
	t.Helper()
	seen := map[string]int{}
	for _, line := range lines {
		seen[line]++
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	left, err := s.TakeUpdates(t.Context(), "lead", "t1")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range left {
		seen["told "+u.Title]++
	}
	tasks, err := s.Tasks(t.Context(), Filter{})
	if err != nil || len(tasks) != workers*jobs {
		t.Fatalf("%d tasks, error %v", len(tasks), err)
	}
	for _, task := range tasks {
		if task.Status != Done || seen["claimed "+task.Title] != 1 || seen["told "+task.Title] != 1 {
			t.Errorf("%s is %s, was claimed %d times and told %d times", task.Title, task.Status, seen["claimed "+task.Title], seen["told "+task.Title])
		}
	}
	posts, _, err := s.Heard(t.Context(), "t1", "", 0, 10*workers*jobs)
	if err != nil || len(posts) != workers*jobs {
		t.Errorf("%d posts, error %v", len(posts), err)
	}
}

// Several processes open one store at once, that is not there yet, and work on it.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "team.db")
	var lines []string
	var mu sync.Mutex
	var starts []io.Closer
	var running sync.WaitGroup
	ready := make(chan struct{}, 2*workers)
	for range workers {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWorker$", "-test.v")
		cmd.Env = append(os.Environ(), workerEnv+"="+path)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		starts = append(starts, stdin)
		running.Go(func() {
			var said []string
			scanner := bufio.NewScanner(stdout)
			for scanner.Scan() {
				if scanner.Text() == "ready" {
					ready <- struct{}{}
				}
				said = append(said, scanner.Text())
			}
			ready <- struct{}{} // one that died is not waited for
			mu.Lock()
			lines = append(lines, said...)
			mu.Unlock()
			if err := cmd.Wait(); err != nil {
				t.Errorf("a process: %v\n%s", err, strings.Join(said, "\n"))
			}
		})
	}
	for range workers {
		select {
		case <-ready:
		case <-t.Context().Done():
			t.Fatal("a process did not start")
		}
	}
	for _, start := range starts {
		start.Close()
	}
	running.Wait()
	once(t, path, lines)
}

// The same with stores that goroutines of one process opened each for itself.
func TestStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "team.db")
	var lines []string
	var mu sync.Mutex
	var running sync.WaitGroup
	for i := range workers {
		running.Go(func() {
			work(t, path, fmt.Sprintf("store-%d", i), func(line string) {
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, line)
			})
		})
	}
	running.Wait()
	once(t, path, lines)
}

// Goroutines that claim one task on one store: one gets it.
func TestClaimRace(t *testing.T) {
	s := open(t)
	task := create(t, s, NewTask{Title: "x"})
	var won, lost sync.Map
	var running sync.WaitGroup
	for i := range 16 {
		running.Go(func() {
			if _, err := s.Claim(t.Context(), task.ID, fmt.Sprint(i), ""); err == nil {
				won.Store(i, true)
			} else if errors.Is(err, ErrConflict) {
				lost.Store(i, true)
			} else {
				t.Error(err)
			}
		})
	}
	running.Wait()
	count := func(m *sync.Map) (n int) {
		m.Range(func(any, any) bool { n++; return true })
		return n
	}
	if count(&won) != 1 || count(&lost) != 15 {
		t.Errorf("%d got the task, %d did not", count(&won), count(&lost))
	}
}

// Waiting for the store ends with the context.
func TestContextEndsWaiting(t *testing.T) {
	s := open(t)
	tx, err := s.db.BeginTx(t.Context(), nil) // another writer, as long as it likes
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.CreateTask(ctx, NewTask{Title: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
