package store

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// From each status a task may go where this says, and may stay.
var allowed = map[Status][]Status{
	Backlog:    {Todo, Blocked, Cancelled},
	Todo:       {InProgress, Blocked, Backlog, Cancelled},
	InProgress: {InReview, Done, Blocked, Todo, Cancelled},
	InReview:   {Done, InProgress, Blocked, Cancelled},
	Blocked:    {Todo, InProgress, Backlog, Cancelled},
	Done:       {},
	Cancelled:  {},
}

func TestSetStatus(t *testing.T) {
	s, ctx := open(t), t.Context()
	for from, to := range allowed {
		may := map[Status]bool{from: true}
		for _, each := range to {
			may[each] = true
		}
		for _, target := range Statuses() {
			task := create(t, s, NewTask{Title: "x"})
			if _, err := s.db.ExecContext(ctx, "UPDATE tasks SET status = ?, assignee_agent_id = 'a' WHERE id = ?", from, task.ID); err != nil {
				t.Fatal(err)
			}
			got, err := s.SetStatus(ctx, task.ID, target)
			if !may[target] {
				if now, _ := s.Task(ctx, task.ID); !errors.Is(err, ErrTransition) || now.Status != from {
					t.Errorf("%s to %s: %v, and it is %s", from, target, err, now.Status)
				}
				continue
			}
			if err != nil || got.Status != target {
				t.Errorf("%s to %s: %v, and it is %s", from, target, err, got.Status)
			}
			if target == Todo && from != Todo && got.AssigneeAgentID != "" {
				t.Errorf("%s to %s: still with %s", from, target, got.AssigneeAgentID)
			}
			if moved := from != target; moved && (got.CompletedAt != 0) != target.Terminal() {
				t.Errorf("%s to %s: completed at %d", from, target, got.CompletedAt)
			}
		}
	}
	if _, err := s.SetStatus(ctx, "none", Done); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such task: %v", err)
	}
	if _, err := s.SetStatus(ctx, "none", "finished"); !errors.Is(err, ErrInvalid) {
		t.Errorf("no such status: %v", err)
	}
}

func TestClaimReleaseUnblock(t *testing.T) {
	s, ctx := open(t), t.Context()
	task := create(t, s, NewTask{Title: "x"})
	step := func(name string, want error, do func() (Task, error)) Task {
		t.Helper()
		got, err := do()
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Fatalf("%s: %v; want %v", name, err, want)
		}
		return got
	}
	step("release a free one", ErrConflict, func() (Task, error) { return s.Release(ctx, task.ID) })
	step("claim for nobody", ErrInvalid, func() (Task, error) { return s.Claim(ctx, task.ID, " ", "") })
	step("claim none", ErrNotFound, func() (Task, error) { return s.Claim(ctx, "none", "a", "") })
	got := step("claim", nil, func() (Task, error) { return s.Claim(ctx, task.ID, "a", "r") })
	if got.Status != InProgress || got.AssigneeAgentID != "a" || got.AssigneeRuntime != "r" {
		t.Errorf("claimed: %+v", got)
	}
	step("claim again", ErrConflict, func() (Task, error) { return s.Claim(ctx, task.ID, "b", "") })
	step("claim again for the same", ErrConflict, func() (Task, error) { return s.Claim(ctx, task.ID, "a", "") })
	step("unblock a running one", ErrTransition, func() (Task, error) { return s.Unblock(ctx, task.ID) })
	got = step("release", nil, func() (Task, error) { return s.Release(ctx, task.ID) })
	if got.Status != Todo || got.AssigneeAgentID != "" || got.AssigneeRuntime != "" {
		t.Errorf("released: %+v", got)
	}
	step("block", nil, func() (Task, error) { return s.SetStatus(ctx, task.ID, Blocked) })
	step("claim a blocked one", ErrConflict, func() (Task, error) { return s.Claim(ctx, task.ID, "b", "") })
	step("unblock", nil, func() (Task, error) { return s.Unblock(ctx, task.ID) })
	step("claim", nil, func() (Task, error) { return s.Claim(ctx, task.ID, "b", "") })
	got = step("locate", nil, func() (Task, error) { return s.Locate(ctx, task.ID, "/w", "b1") })
	if got.WorktreeRef != "/w" || got.BranchRef != "b1" || got.AssigneeAgentID != "b" {
		t.Errorf("located: %+v", got)
	}
}

func money(usd float64) *float64 { return &usd }

func TestReport(t *testing.T) {
	for _, c := range []struct {
		name   string
		moved  Status // by the agent itself, while it ran
		report Report
		want   Status
		free   bool
		told   Outcome
	}{
		{"success", "", Report{Outcome: Succeeded, Summary: "made it"}, Done, false, Succeeded},
		{"error", "", Report{Outcome: Failed, Summary: "no key"}, Todo, true, Failed},
		{"abort", "", Report{Outcome: Aborted}, Todo, true, Aborted},
		{"turns", "", Report{Outcome: MaxTurns, Summary: "half of it"}, Todo, true, MaxTurns},
		{"success in review", InReview, Report{Outcome: Succeeded, Summary: "made it"}, Done, false, Succeeded},
		{"success but blocked", Blocked, Report{Outcome: Succeeded, Summary: "cannot"}, Blocked, false, "blocked"},
		{"error but in review", InReview, Report{Outcome: Failed, Summary: "late"}, InReview, false, Failed},
		{"success and done before", Done, Report{Outcome: Succeeded, Summary: "made it"}, Done, false, Succeeded},
		{"error but done before", Done, Report{Outcome: Failed, Summary: "late"}, Done, false, Succeeded},
		{"success but cancelled", Cancelled, Report{Outcome: Succeeded, Summary: "was not wanted"}, Cancelled, false, Withdrawn},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ctx := open(t), t.Context()
			task := create(t, s, NewTask{Title: "x", TeamID: "t1", DelegatedBy: "lead", DelegatedTo: "Coder"})
			if _, err := s.Claim(ctx, task.ID, "coder", ""); err != nil {
				t.Fatal(err)
			}
			if c.moved != "" {
				if _, err := s.SetStatus(ctx, task.ID, c.moved); err != nil {
					t.Fatal(err)
				}
			}
			c.report.AgentID, c.report.CostUSD = "coder", money(0.25)
			got, err := s.Report(ctx, task.ID, c.report)
			if err != nil || got.Status != c.want || (got.AssigneeAgentID == "") != c.free || got.CostUSD == nil || *got.CostUSD != 0.25 {
				t.Errorf("%+v, error %v", got, err)
			}
			comments, err := s.Comments(ctx, task.ID)
			if err != nil || len(comments) == 1 != (c.report.Summary != "") {
				t.Errorf("%d comments, error %v", len(comments), err)
			}
			updates, err := s.TakeUpdates(ctx, "lead", "t1")
			want := []Update{{TaskID: task.ID, Title: "x", Worker: "Coder", Outcome: c.told, Summary: c.report.Summary}}
			if diff := cmp.Diff(want, updates); err != nil || diff != "" {
				t.Errorf("told: error %v, (-want +got):\n%s", err, diff)
			}
		})
	}
	s := open(t)
	if _, err := s.Report(t.Context(), "none", Report{Outcome: Succeeded}); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such task: %v", err)
	}
	if _, err := s.Report(t.Context(), "none", Report{Outcome: "fine"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no such outcome: %v", err)
	}
}

func TestCostsAddUp(t *testing.T) {
	s, ctx := open(t), t.Context()
	task := create(t, s, NewTask{Title: "x"})
	for i, c := range []struct{ cost, want *float64 }{
		{nil, nil}, {money(0.5), money(0.5)}, {nil, money(0.5)}, {money(0), money(0.5)}, {money(0.25), money(0.75)},
	} {
		got, err := s.Report(ctx, task.ID, Report{Outcome: Failed, CostUSD: c.cost})
		if diff := cmp.Diff(c.want, got.CostUSD); err != nil || diff != "" {
			t.Errorf("%d: error %v, (-want +got):\n%s", i, err, diff)
		}
	}
}

// An update goes to who delegated, in that team, once.
func TestTakeUpdates(t *testing.T) {
	s, ctx := open(t), t.Context()
	end := func(n NewTask, to Status, comment string) Task {
		t.Helper()
		task := create(t, s, n)
		if _, err := s.Claim(ctx, task.ID, "worker", ""); err != nil {
			t.Fatal(err)
		}
		if comment != "" {
			if _, err := s.AddComment(ctx, task.ID, comment, ByAgent, "worker"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.SetStatus(ctx, task.ID, to); err != nil {
			t.Fatal(err)
		}
		return task
	}
	one := end(NewTask{Title: "one", TeamID: "t1", DelegatedBy: "lead", DelegatedTo: "Coder"}, Done, "the last word")
	two := end(NewTask{Title: "two", TeamID: "t1", DelegatedBy: "lead"}, Cancelled, "")
	end(NewTask{Title: "three", TeamID: "t1", DelegatedBy: "other"}, Done, "")
	end(NewTask{Title: "four", TeamID: "t2", DelegatedBy: "lead"}, Done, "")
	end(NewTask{Title: "five", TeamID: "t1"}, Done, "")
	end(NewTask{Title: "six", TeamID: "t1", DelegatedBy: "lead"}, InReview, "")
	got, err := s.TakeUpdates(ctx, "lead", "t1")
	want := []Update{
		{TaskID: one.ID, Title: "one", Worker: "Coder", Outcome: Succeeded, Summary: "the last word"},
		{TaskID: two.ID, Title: "two", Worker: "worker", Outcome: Withdrawn},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
	if got, err := s.TakeUpdates(ctx, "lead", "t1"); err != nil || len(got) != 0 {
		t.Errorf("again: %+v, error %v", got, err)
	}
	// What is reported after the update was fetched is no second one.
	if _, err := s.Report(ctx, one.ID, Report{Outcome: Succeeded, Summary: "more"}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.TakeUpdates(ctx, "lead", "t1"); err != nil || len(got) != 0 {
		t.Errorf("after the report: %+v, error %v", got, err)
	}
}

// A task that fails twice before the leader looks is one update, of the last time.
func TestUpdateIsReplaced(t *testing.T) {
	s, ctx := open(t), t.Context()
	task := create(t, s, NewTask{Title: "x", TeamID: "t1", DelegatedBy: "lead"})
	for i := range 2 {
		if _, err := s.Claim(ctx, task.ID, fmt.Sprintf("w%d", i), ""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Report(ctx, task.ID, Report{Outcome: Failed, AgentID: fmt.Sprintf("w%d", i), Summary: fmt.Sprintf("try %d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.TakeUpdates(ctx, "lead", "t1")
	if err != nil || len(got) != 1 || got[0].Summary != "try 1" || got[0].Worker != "w1" {
		t.Errorf("%+v, error %v", got, err)
	}
}
