package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/native/host"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/provider"
)

const key = "sk-canary-0123456789abcdefghijklmnopqrstuv"

// bench is a host, the provider that it calls, and the store of its tasks.
type bench struct {
	t        *testing.T
	home     string
	server   *httptest.Server
	provider *fake.Server
	store    *store.Store
	log      *logbook
}

type logbook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newBench(t *testing.T, change ...func(*host.Options)) *bench {
	t.Helper()
	p, err := fake.New(t.Context(), fake.Options{Keys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &bench{t: t, home: filepath.Join(t.TempDir(), "home"), provider: p, log: &logbook{}}
	o := host.Options{
		Home: b.home, Env: func(string) string { return "" }, Log: slog.New(slog.NewTextHandler(b.log, nil)),
		BaseURLs: map[provider.ID]string{provider.Anthropic: p.URL(), provider.OpenRouter: p.URL() + "/v1"},
	}
	for _, c := range change {
		c(&o)
	}
	h, err := host.New(o)
	if err != nil {
		t.Fatal(err)
	}
	b.server = httptest.NewServer(h.Handler())
	if b.store, err = store.Open(filepath.Join(b.home, "team.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.server.CloseClientConnections()
		for _, err := range []error{h.Close(), b.store.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
		b.server.Close()
		if strings.Contains(b.log.String(), key[20:]) {
			t.Error("the key is in the log")
		}
		if t.Failed() {
			t.Log(b.log.String())
		}
	})
	return b
}

// post sends an object and reads the answer.
func (b *bench) post(path string, body map[string]any) (int, map[string]any) {
	b.t.Helper()
	status, m, err := b.try(b.t.Context(), path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	return status, m
}

func (b *bench) try(ctx context.Context, path string, body map[string]any) (int, map[string]any, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.server.URL+path, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil, err
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return 0, nil, fmt.Errorf("%d %s: %w", resp.StatusCode, text, err)
	}
	return resp.StatusCode, m, nil
}

const routes = "/api/runtimes/clawboo-native/"

// ready connects Anthropic and seeds a team, and returns the specialist's id.
func (b *bench) ready() string {
	b.t.Helper()
	if status, m := b.post(routes+"connect", map[string]any{"apiKey": key}); status != 200 || m["connectionState"] != "ready" {
		b.t.Fatalf("connect: %d %v", status, m)
	}
	status, m := b.post("/api/onboarding/seed-native-team", map[string]any{"provider": "anthropic"})
	if status != 201 {
		b.t.Fatalf("seed: %d %v", status, m)
	}
	return m["specialistAgentId"].(string)
}

func (b *bench) task(n store.NewTask) store.Task {
	b.t.Helper()
	task, err := b.store.CreateTask(b.t.Context(), n)
	if err != nil {
		b.t.Fatal(err)
	}
	return task
}

// status is where the task stands, for anyone.
func (b *bench) status(id string) store.Task {
	b.t.Helper()
	task, err := b.store.Task(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return task
}

func (b *bench) answers(w fake.When, frames ...fakes.Frame) {
	b.t.Helper()
	if err := b.provider.Answer(w, frames...); err != nil {
		b.t.Fatal(err)
	}
}

// repository makes one with a commit.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	dir := t.TempDir()
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false", "commit", "--quiet", "--allow-empty", "-m", "one"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func write(id, path, content string) fakes.Frame {
	input, _ := json.Marshal(map[string]string{"path": path, "content": content}) // of strings
	return fakes.ToolCall{ID: id, Name: "write_file", Input: string(input)}
}

func tokens(in, out int64) fakes.Frame { return fakes.Usage{In: &in, Out: &out} }

// The whole way: a key, a team, a task, a file in the task's worktree, the task done.
func TestWholeWay(t *testing.T) {
	repo := repository(t)
	b := newBench(t)
	coder := b.ready()
	task := b.task(store.NewTask{Title: "Greet the world", Description: "In docs/hello.txt."})
	b.answers(fake.When{Turn: 1}, fakes.Delta{Text: "On it."}, write("t1", "docs/hello.txt", "hello\n"), tokens(100, 10))
	b.answers(fake.When{Result: "t1"}, fakes.Delta{Text: "It says hello."}, tokens(200, 20))
	status, m := b.post(routes+"run", map[string]any{"taskId": task.ID, "assigneeAgentId": coder, "repoPath": repo})
	if status != 200 || m["ok"] != true || m["doneReason"] != "success" || m["status"] != "done" || m["summary"] != "It says hello." || m["usedWorktree"] != true {
		t.Fatalf("run: %d %v", status, m)
	}
	// claude-haiku-4-5 costs 1 and 5 dollars a million.
	if cost, _ := m["costUsd"].(float64); cost < 0.00044 || cost > 0.00046 {
		t.Errorf("costUsd %v, want 0.00045", m["costUsd"])
	}
	after := b.status(task.ID)
	if after.Status != store.Done || after.AssigneeAgentID != coder || after.WorktreeRef == "" || after.CostUSD == nil {
		t.Errorf("%+v", after)
	}
	text, err := os.ReadFile(filepath.Join(after.WorktreeRef, "docs", "hello.txt"))
	if err != nil || string(text) != "hello\n" {
		t.Errorf("%q, %v", text, err)
	}
	if entries, _ := os.ReadDir(filepath.Join(repo, "docs")); len(entries) > 0 {
		t.Error("the repository's own files were touched")
	}
	for _, x := range b.provider.Journal() {
		if x.Model != "claude-haiku-4-5" {
			t.Errorf("model %q", x.Model)
		}
	}
	// It is not run once more.
	if status, m := b.post(routes+"run", map[string]any{"taskId": task.ID, "assigneeAgentId": coder}); status != 409 {
		t.Errorf("again: %d %v", status, m)
	}
}

// A session that ends at its turn limit is followed by a fresh one that knows how far
// things are, three times at most.
func TestRotation(t *testing.T) {
	for name, c := range map[string]struct {
		asked     any
		sessions  int
		rotations float64
	}{"default": {nil, 4, 3}, "one": {1, 2, 1}, "none": {0, 1, 0}, "more than there are": {9, 4, 3}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			coder := b.ready()
			b.configure(coder, `"maxTurns": 16`, `"maxTurns": 1`)
			b.answers(fake.When{}, fakes.Delta{Text: "Half of it."}, fakes.ToolCall{ID: "t1", Name: "note", Input: `{"text":"x"}`}, tokens(10, 1))
			task := b.task(store.NewTask{Title: "Endless"})
			body := map[string]any{"taskId": task.ID, "assigneeAgentId": coder}
			if c.asked != nil {
				body["maxRotations"] = c.asked
			}
			status, m := b.post(routes+"run", body)
			if status != 200 || m["doneReason"] != "max_turns" || m["rotations"] != c.rotations || m["status"] != "todo" {
				t.Fatalf("%d %v", status, m)
			}
			asked := b.provider.Journal()
			if len(asked) != c.sessions {
				t.Fatalf("%d sessions, want %d", len(asked), c.sessions)
			}
			for i, x := range asked {
				if got := strings.Contains(x.Body, "Session handoff (rotation)"); got != (i > 0) {
					t.Errorf("session %d: a handoff note %t", i, got)
				}
				if i > 0 && !strings.Contains(x.Body, fmt.Sprintf("Rotation: #%d", i)) {
					t.Errorf("session %d does not know its number", i)
				}
				if strings.Contains(x.Body, "tool_result") {
					t.Errorf("session %d is not fresh", i)
				}
			}
		})
	}
}

// configure changes how an agent is set up.
func (b *bench) configure(agent, old, new string) {
	b.t.Helper()
	path := filepath.Join(b.home, "agents", agent+".json")
	text, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		b.t.Fatalf("%s has no %s", text, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// The first cost that reaches the budget ends the run, also where no price is known.
func TestBudget(t *testing.T) {
	for name, model := range map[string]string{"a price that is known": "", "one that is not": "claude-sonnet-5"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			coder := b.ready()
			b.configure(coder, `"budgetUsd": null`, `"budgetUsd": 0.0025`)
			// 1,000 tokens a turn: 0.001 dollars, or 0.003 at a guess.
			b.answers(fake.When{}, fakes.ToolCall{ID: "t1", Name: "note", Input: `{"text":"x"}`}, tokens(1000, 0))
			task := b.task(store.NewTask{Title: "Dear"})
			status, m := b.post(routes+"run", map[string]any{"taskId": task.ID, "assigneeAgentId": coder, "model": model})
			if status != 200 || m["doneReason"] != "aborted" || m["budgetReached"] != true || m["status"] != "todo" || m["rotations"] != 0.0 {
				t.Fatalf("%d %v", status, m)
			}
			// A request that was under way when the budget was reached may be one more.
			want := map[string]int{"": 3, "claude-sonnet-5": 1}[model]
			if n := len(b.provider.Journal()); n < want || n > want+1 {
				t.Errorf("%d turns, want %d", n, want)
			}
			if model != "" && m["costUsd"] != nil {
				t.Errorf("a cost that nobody knows: %v", m["costUsd"])
			}
		})
	}
}

// Research and review need no place of their own, and without one there is nothing to
// write into.
func TestNoWorktree(t *testing.T) {
	repo := repository(t)
	for _, kind := range []string{"research", "review"} {
		t.Run(kind, func(t *testing.T) {
			b := newBench(t)
			coder := b.ready()
			b.answers(fake.When{}, fakes.Delta{Text: "Read."}, tokens(10, 1))
			task := b.task(store.NewTask{Title: "Look around"})
			status, m := b.post(routes+"run", map[string]any{"taskId": task.ID, "assigneeAgentId": coder, "repoPath": repo, "kind": kind})
			if status != 200 || m["usedWorktree"] != false || m["doneReason"] != "success" {
				t.Fatalf("%d %v", status, m)
			}
			if body := b.provider.Journal()[0].Body; strings.Contains(body, "write_file") {
				t.Error("there is a tool to write files with")
			}
		})
	}
}

// What cannot be run is free again, and says why.
func TestRunRefuses(t *testing.T) {
	b := newBench(t)
	coder := b.ready()
	free := b.task(store.NewTask{Title: "Free"})
	top := b.task(store.NewTask{Title: "0"})
	deep := top
	for i := range 3 {
		deep = b.task(store.NewTask{Title: fmt.Sprint(i), ParentTaskID: deep.ID})
	}
	for name, c := range map[string]struct {
		body   map[string]any
		status int
		reason string
	}{
		"no repository": {map[string]any{"taskId": free.ID, "repoPath": t.TempDir()}, 422, "workspace_unavailable"},
		"relative path": {map[string]any{"taskId": free.ID, "repoPath": "."}, 422, "workspace_unavailable"},
		"too deep":      {map[string]any{"taskId": deep.ID}, 422, "too_deep"},
		"not there":     {map[string]any{"taskId": "none"}, 404, "not_found"},
	} {
		c.body["assigneeAgentId"] = coder
		if status, m := b.post(routes+"run", c.body); status != c.status || m["error"] != c.reason || m["ok"] != false {
			t.Errorf("%s: %d %v", name, status, m)
		}
	}
	for _, task := range []store.Task{free, deep} {
		if got := b.status(task.ID); got.Status != store.Todo || got.AssigneeAgentID != "" {
			t.Errorf("%s is %s of %q", task.Title, got.Status, got.AssigneeAgentID)
		}
	}
	if n := len(b.provider.Journal()); n > 0 {
		t.Errorf("%d calls", n)
	}
}

// A run that fails lets go of its task, and says no more than how it ended.
func TestRunFails(t *testing.T) {
	b := newBench(t)
	coder := b.ready()
	if status, m := b.post(routes+"connect", map[string]any{"apiKey": "sk-wrong-key-0123456789"}); status != 200 {
		t.Fatalf("%d %v", status, m)
	}
	task := b.task(store.NewTask{Title: "Hopeless"})
	status, m := b.post(routes+"run", map[string]any{"taskId": task.ID, "assigneeAgentId": coder})
	if status != 200 || m["doneReason"] != "error" || m["status"] != "todo" {
		t.Errorf("%d %v", status, m)
	}
	if text := fmt.Sprint(m); strings.Contains(text, "wrong-key") {
		t.Errorf("the key is in %s", text)
	}
	if got := b.status(task.ID); got.Status != store.Todo || got.AssigneeAgentID != "" {
		t.Errorf("%+v", got)
	}
}

// A client that goes away ends the run, and the task is free.
func TestClientGone(t *testing.T) {
	b := newBench(t)
	coder := b.ready()
	if err := b.provider.Add(fake.Rule{Live: true}); err != nil {
		t.Fatal(err)
	}
	task := b.task(store.NewTask{Title: "Long"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, _, err := b.try(ctx, routes+"run", map[string]any{"taskId": task.ID, "assigneeAgentId": coder})
		ended <- err
	}()
	call, err := b.provider.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("there was an answer")
	}
	if err := call.Gone(t.Context()); err != nil {
		t.Error(err)
	}
	other := b.task(store.NewTask{Title: "Short"})
	go func() {
		call, err := b.provider.Next(t.Context())
		if err == nil {
			_, err = call.Emit(t.Context(), fakes.Delta{Text: "Fine."}, fakes.End{Reason: fakes.EndOK})
		}
		ended <- err
	}()
	if status, m := b.post(routes+"run", map[string]any{"taskId": other.ID, "assigneeAgentId": coder}); status != 200 || m["doneReason"] != "success" {
		t.Errorf("%d %v", status, m)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := b.status(task.ID); got.Status != store.Todo || got.AssigneeAgentID != "" {
		t.Errorf("%+v", got)
	}
}
