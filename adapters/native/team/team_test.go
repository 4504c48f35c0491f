package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/server"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
)

func openStore(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "team.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func attach(t testing.TB, o Options) *Attachment {
	t.Helper()
	a, err := Attach(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func names(tools []tool.Tool) string {
	var all []string
	for _, each := range tools {
		all = append(all, each.Definition().Name)
	}
	return strings.Join(all, " ")
}

func call(t testing.TB, a *Attachment, name, input string) tool.Result {
	t.Helper()
	for _, each := range a.Tools() {
		if each.Definition().Name == name {
			return each.Call(t.Context(), json.RawMessage(input))
		}
	}
	t.Errorf("no tool %s", name) // goroutines call this too
	return tool.Result{}
}

func inboxOf(t testing.TB, a *Attachment) []string {
	t.Helper()
	messages, err := a.Inbox(t.Context())
	if err != nil {
		t.Error(err)
	}
	return messages
}

func TestTeamOf(t *testing.T) {
	for _, c := range []struct {
		key, team string
		is        bool
	}{
		{"agent:a:team:t1", "t1", true},
		{"agent:a:team:t1:chat:7", "t1", true},
		{"agent:a:team:", "", false},
		{"agent:a:team", "", false},
		{"agent::team:t1", "", false},
		{"agent:a:main", "", false},
		{"agent:a:main:team:t1", "", false},
		{"runtime:clawboo-native:task:t1", "", false},
		{"xagent:a:team:t1", "", false},
		{"", "", false},
	} {
		if team, is := teamOf(c.key); is != c.is || is && team != c.team {
			t.Errorf("%q: %q, %t; want %q, %t", c.key, team, is, c.team, c.is)
		}
	}
}

func TestToolsOfARun(t *testing.T) {
	s := openStore(t)
	const key = "agent:lead:team:t1"
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"nothing", Options{}, ""},
		{"nothing, of a team", Options{SessionKey: key}, "delegate"},
		{"a task of a team is no session of it", Options{SessionKey: "runtime:clawboo-native:task:x", TeamID: "t1"}, ""},
		{"tasks to read", Options{Tasks: server.ReadOnly}, "get_task list_tasks"},
		{"all", Options{SessionKey: key, Tasks: server.ReadOnly, Memory: true, Tools: true, TeamChat: true},
			"delegate get_task list_tasks memory_browse memory_save memory_search delete_path echo note team_chat_post team_chat_subscribe"},
		{"chat without a team", Options{TeamChat: true}, ""},
		{"chat with one", Options{TeamChat: true, TeamID: "t1"}, "team_chat_post team_chat_subscribe"},
		{"a key for searches", Options{Tools: true, Env: func(string) string { return "k" }}, "delete_path echo note web_search"},
	} {
		c.o.Store, c.o.AgentID = s, "lead"
		if got := names(attach(t, c.o).Tools()); got != c.want {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
	}
}

func TestAttachRefuses(t *testing.T) {
	s := openStore(t)
	for name, o := range map[string]Options{"no store": {AgentID: "a"}, "no agent": {Store: s}, "unknown access": {Store: s, AgentID: "a", Tasks: "some"}} {
		if _, err := Attach(t.Context(), o); err == nil {
			t.Errorf("%s: attached", name)
		}
	}
	closed := openStore(t)
	closed.Close()
	if _, err := Attach(t.Context(), Options{Store: closed, AgentID: "a", TeamID: "t1", TeamChat: true}); err == nil {
		t.Error("a closed store: attached")
	}
}

// Nothing is left of a run that is over, nor of one that could not be attached.
func TestCloseLeavesNothing(t *testing.T) {
	s := openStore(t)
	before := goleak.IgnoreCurrent()
	o := Options{Store: s, AgentID: "lead", SessionKey: "agent:lead:team:t1", Tasks: server.Full, Memory: true, Tools: true, TeamChat: true}
	a, err := Attach(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	call(t, a, "echo", `{"message":"x"}`)
	for range 2 {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := call(t, a, "echo", `{"message":"x"}`); !got.IsError {
		t.Errorf("after Close: %+v", got)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	o.TeamChat = false // or the store would see that the context is done
	if _, err := Attach(gone, o); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
	goleak.VerifyNone(t, before)
}

func TestDelegate(t *testing.T) {
	s := openStore(t)
	a := attach(t, Options{Store: s, AgentID: "lead", SessionKey: "agent:lead:team:t1"})
	const needs = "delegate requires both an assignee (teammate name) and a task"
	long := strings.Repeat("é", 100)
	for _, c := range []struct {
		input string
		want  tool.Result
	}{
		{`{"assignee":" Coder ","task":" write it "}`, tool.Result{Output: "Delegated to Coder: write it. They'll pick it up and report back when done."}},
		{`{"assignee":"Coder","task":"` + long + `\nand more"}`, tool.Result{Output: "Delegated to Coder: " + long + "\nand more. They'll pick it up and report back when done."}},
		{`{"assignee":"Coder"}`, tool.Error(needs)},
		{`{"task":"x"}`, tool.Error(needs)},
		{`{"assignee":"","task":"x"}`, tool.Error(needs)},
		{`{"assignee":"Coder","task":" \n"}`, tool.Error(needs)},
		{`{"assignee":7,"task":"x"}`, tool.Error(needs)},
		{``, tool.Error(needs)},
		{`{`, tool.Error("invalid args: expected a JSON object")},
		{`["Coder","x"]`, tool.Error("invalid args: expected a JSON object")},
	} {
		if diff := cmp.Diff(c.want, call(t, a, "delegate", c.input)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", c.input, diff)
		}
	}
	tasks, err := s.Tasks(t.Context(), store.Filter{TeamID: "t1", Ready: true})
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%d tasks, error %v", len(tasks), err)
	}
	if got := tasks[1]; got.Title != "write it" || got.DelegatedBy != "lead" || got.DelegatedTo != "Coder" || got.AssigneeAgentID != "" {
		t.Errorf("%+v", got)
	}
	if got := tasks[0]; got.Title != strings.Repeat("é", 80)+"…" || got.Description != long+"\nand more" {
		t.Errorf("%+v", got)
	}
	s.Close()
	if got := call(t, a, "delegate", `{"assignee":"Coder","task":"x"}`); !got.IsError || !strings.HasPrefix(got.Output, "not delegated: ") {
		t.Errorf("without a store: %+v", got)
	}
}

// The outcome of what was delegated is a message, once, also for a later run of the
// same agent in the team, and for nobody else.
func TestTaskUpdate(t *testing.T) {
	s, ctx := openStore(t), t.Context()
	lead := Options{Store: s, AgentID: "lead", SessionKey: "agent:lead:team:t1"}
	first := attach(t, lead)
	call(t, first, "delegate", `{"assignee":"Coder","task":"write it"}`)
	call(t, first, "delegate", `{"assignee":"Tester","task":"test it"}`)
	if got := inboxOf(t, first); len(got) != 0 {
		t.Errorf("before anything ended: %q", got)
	}
	tasks, err := s.Tasks(ctx, store.Filter{TeamID: "t1"})
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%d tasks, error %v", len(tasks), err)
	}
	for i, r := range []store.Report{
		{Outcome: store.Succeeded, AgentID: "coder", Summary: "written,\nin main.go"},
		{Outcome: store.MaxTurns, AgentID: "tester"},
	} {
		task := tasks[1-i] // the last one is listed first
		if _, err := s.Claim(ctx, task.ID, r.AgentID, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Report(ctx, task.ID, r); err != nil {
			t.Fatal(err)
		}
	}
	for name, o := range map[string]Options{
		"another agent": {Store: s, AgentID: "coder", SessionKey: "agent:coder:team:t1"},
		"another team":  {Store: s, AgentID: "lead", SessionKey: "agent:lead:team:t2"},
		"no session":    {Store: s, AgentID: "lead", TeamID: "t1"},
	} {
		if got := inboxOf(t, attach(t, o)); len(got) != 0 {
			t.Errorf("%s is told %q", name, got)
		}
	}
	want := fmt.Sprintf(`[Task Update] 2 tasks that you delegated have ended. This comes from the task list and not from the user.

Coder: "write it" (task %s) is done.
| written,
| in main.go

Tester: "test it" (task %s) ran out of turns before it was finished.

Decide about those that are not done: delegate again, to the same or another teammate, or tell the user.`, tasks[1].ID, tasks[0].ID)
	second := attach(t, lead)
	if diff := cmp.Diff([]string{want}, inboxOf(t, second)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, a := range []*Attachment{first, second} {
		if got := inboxOf(t, a); len(got) != 0 {
			t.Errorf("told again: %q", got)
		}
	}
}

func TestUpdateInWords(t *testing.T) {
	for outcome, want := range map[store.Outcome]string{
		store.Succeeded: "is done", store.Failed: "failed with an error", store.Aborted: "was stopped before it was finished",
		store.MaxTurns: "ran out of turns before it was finished", store.Withdrawn: "was cancelled", "blocked": "was left as blocked",
	} {
		got := updated([]store.Update{{TaskID: "id", Title: "x", Worker: "w", Outcome: outcome, Summary: strings.Repeat("é", 5000)}})
		if !strings.HasPrefix(got, "[Task Update] 1 task that you delegated has ended.") || !strings.Contains(got, `w: "x" (task id) `+want+".\n") ||
			strings.Contains(got, "Decide") != (outcome != store.Succeeded) || strings.Count(got, "é") != maxSummary {
			t.Errorf("%s: %q", outcome, got)
		}
	}
}

// What teammates post while a run goes on reaches it; what was there before does not,
// nor does its own.
func TestPostsReachTheRun(t *testing.T) {
	s, ctx := openStore(t), t.Context()
	say := func(team, author, body string) {
		t.Helper()
		if _, err := s.Say(ctx, team, author, body); err != nil {
			t.Fatal(err)
		}
	}
	say("t1", "b", "before")
	a := attach(t, Options{Store: s, AgentID: "a", TeamID: "t1", TeamChat: true})
	deaf := attach(t, Options{Store: s, AgentID: "a", TeamID: "t1"})
	if got := inboxOf(t, a); len(got) != 0 {
		t.Errorf("at first: %q", got)
	}
	say("t1", "b", "one")
	say("t2", "b", "elsewhere")
	if got := call(t, a, "team_chat_post", `{"text":"mine"}`); got.IsError {
		t.Error(got.Output)
	}
	say("t1", "c", "two")
	want := []string{"[Inter-session message · from=b · kind=peer · seq=2 · isUser=false]\n| one\n\n[Inter-session message · from=c · kind=peer · seq=5 · isUser=false]\n| two"}
	if diff := cmp.Diff(want, inboxOf(t, a)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := append(inboxOf(t, a), inboxOf(t, deaf)...); len(got) != 0 {
		t.Errorf("again, or without the chat: %q", got)
	}
	for i := range maxPosts + 1 {
		say("t1", "b", fmt.Sprint(i))
	}
	if first, second := inboxOf(t, a), inboxOf(t, a); len(first) != 1 || len(second) != 1 || strings.Count(first[0], "isUser") != maxPosts || strings.Count(second[0], "isUser") != 1 {
		t.Errorf("a flood comes as %d and %d messages", len(first), len(second))
	}
}

// An inbox that fails has taken nothing.
func TestInboxFails(t *testing.T) {
	s := openStore(t)
	a := attach(t, Options{Store: s, AgentID: "a", SessionKey: "agent:a:team:t1", TeamChat: true})
	if _, err := s.Say(t.Context(), "t1", "b", "kept"); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if messages, err := a.Inbox(gone); !errors.Is(err, context.Canceled) || messages != nil {
		t.Errorf("%q, error %v", messages, err)
	}
	if got := inboxOf(t, a); len(got) != 1 {
		t.Errorf("then: %q", got)
	}
}

// Many runs of a team at once: each task is claimed and told once, each post is heard
// by all others.
func TestManyRuns(t *testing.T) {
	s := openStore(t)
	const runs, jobs = 6, 4
	lead := attach(t, Options{Store: s, AgentID: "lead", SessionKey: "agent:lead:team:t1"})
	var mu sync.Mutex
	claimed, heard, told := map[string]int{}, map[string]int{}, 0
	var workers sync.WaitGroup
	var attached []*Attachment
	for i := range runs {
		attached = append(attached, attach(t, Options{Store: s, AgentID: fmt.Sprint("w", i), TeamID: "t1", Tasks: server.Full, Memory: true, Tools: true, TeamChat: true}))
	}
	count := func(a *Attachment, of string, add func(int)) {
		n := 0
		for _, m := range inboxOf(t, a) {
			n += strings.Count(m, of)
		}
		mu.Lock()
		defer mu.Unlock()
		add(n)
	}
	listen := func(i int) {
		count(attached[i], "isUser=false", func(n int) { heard[fmt.Sprint("w", i)] += n })
		count(lead, "(task ", func(n int) { told += n })
	}
	for i := range runs {
		workers.Go(func() {
			for j := range jobs {
				call(t, lead, "delegate", fmt.Sprintf(`{"assignee":"any","task":"job %d of %d"}`, j, i))
				call(t, attached[i], "team_chat_post", `{"text":"working"}`)
				call(t, attached[i], "memory_save", fmt.Sprintf(`{"title":"t%d","content":"c"}`, j))
				call(t, attached[i], "echo", `{"message":"x"}`)
				var ready []store.Task
				if err := json.Unmarshal([]byte(call(t, attached[i], "list_tasks", `{"ready":true}`).Output), &ready); err != nil {
					t.Error(err)
				}
				for _, task := range ready {
					if got := call(t, attached[i], "claim_task", fmt.Sprintf(`{"taskId":%q}`, task.ID)); got.IsError {
						continue
					}
					mu.Lock()
					claimed[task.ID]++
					mu.Unlock()
					call(t, attached[i], "update_task_status", fmt.Sprintf(`{"taskId":%q,"status":"done"}`, task.ID))
				}
				listen(i)
			}
		})
	}
	workers.Wait()
	for i := range runs {
		listen(i)
		if got := heard[fmt.Sprint("w", i)]; got != (runs-1)*jobs {
			t.Errorf("w%d heard %d posts; want %d", i, got, (runs-1)*jobs)
		}
	}
	if len(claimed) != runs*jobs || told != runs*jobs {
		t.Errorf("%d tasks claimed, %d told, of %d", len(claimed), told, runs*jobs)
	}
	for id, n := range claimed {
		if n != 1 {
			t.Errorf("%s was claimed %d times", id, n)
		}
	}
	calls, err := s.Calls(t.Context(), 1000)
	if err != nil || len(calls) != runs*jobs {
		t.Errorf("%d rows of the audit, error %v", len(calls), err)
	}
}

// BenchmarkCall is one call through MCP, with its row in the audit.
func BenchmarkCall(b *testing.B) {
	a := attach(b, Options{Store: openStore(b), AgentID: "a", Tools: true})
	for b.Loop() {
		if got := call(b, a, "echo", `{"message":"x"}`); got.IsError {
			b.Fatal(got.Output)
		}
	}
}

// BenchmarkAttach is what a run pays for its servers.
func BenchmarkAttach(b *testing.B) {
	s := openStore(b)
	for b.Loop() {
		a, err := Attach(b.Context(), Options{Store: s, AgentID: "a", SessionKey: "agent:a:team:t1", Tasks: server.Full, Memory: true, Tools: true, TeamChat: true})
		if err != nil {
			b.Fatal(err)
		}
		a.Close()
	}
}
