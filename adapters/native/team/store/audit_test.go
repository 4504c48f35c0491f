package store

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAudit(t *testing.T) {
	s, ctx := open(t), t.Context()
	first, err := s.Record(ctx, Call{Tool: "echo", AgentID: "a", TeamID: "t1", Input: `{"message":"m"}`, Decision: Allowed})
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Record(ctx, Call{Tool: "delete_path", Input: strings.Repeat("é", maxInput), Decision: Denied, Reason: "approval:denied"})
	if err != nil || second <= first {
		t.Fatalf("number %d after %d, error %v", second, first, err)
	}
	if _, err := s.Record(ctx, Call{Tool: "x", Decision: "perhaps"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("unknown decision: %v", err)
	}
	for _, failed := range []bool{false, true} { // the first end counts
		if err := s.Ended(ctx, first, failed); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Calls(ctx, 10)
	want := []Call{
		{N: second, Tool: "delete_path", Decision: Denied, Reason: "approval:denied"},
		{N: first, Tool: "echo", AgentID: "a", TeamID: "t1", Input: `{"message":"m"}`, Decision: Allowed, Outcome: OutcomeOK},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Call{}, "CreatedAt", "EndedAt"), cmp.FilterPath(
		func(p cmp.Path) bool { return p.String() == "Input" }, cmp.Comparer(func(a, b string) bool { return a == b || a == "" || b == "" }))); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
	if len(got[0].Input) != maxInput || !utf8.ValidString(got[0].Input) {
		t.Errorf("a long input is kept as %d bytes", len(got[0].Input))
	}
	if got[0].EndedAt != 0 || got[1].EndedAt <= got[1].CreatedAt {
		t.Errorf("ended at %d and %d", got[0].EndedAt, got[1].EndedAt)
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a plain text, with token counts: 12", "a plain text, with token counts: 12"},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
		{"empty", "", ""},
	} {
		if got := Clean(c.text); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	for _, text := range []string{"key " + canary, "[ds4:local-only]my diary[/ds4:local-only] and more", "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----"} {
		once := Clean(text)
		if once == text || Clean(once) != once {
			t.Errorf("%q became %q, then %q", text, once, Clean(once))
		}
	}
}
