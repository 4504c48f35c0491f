package store

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChat(t *testing.T) {
	s, ctx := open(t), t.Context()
	say := func(team, author, body string) {
		t.Helper()
		if _, err := s.Say(ctx, team, author, body); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5 {
		say("t1", "a", fmt.Sprintf("a%d", i))
		say("t2", "x", "elsewhere")
		say("t1", "b", fmt.Sprintf("b%d", i))
	}
	heard := func(reader string, after int64, limit int, want ...string) (next int64) {
		t.Helper()
		posts, next, err := s.Heard(ctx, "t1", reader, after, limit)
		got := []string{}
		for _, p := range posts {
			got = append(got, p.Body)
		}
		if diff := cmp.Diff(append([]string{}, want...), got); err != nil || diff != "" {
			t.Errorf("%s after %d: error %v, (-want +got):\n%s", reader, after, err, diff)
		}
		return next
	}
	next := heard("a", 0, 2, "b0", "b1")
	next = heard("a", next, 2, "b2", "b3")
	next = heard("a", next, 2, "b4")
	head, err := s.Head(ctx, "t1")
	if err != nil || next != head {
		t.Errorf("goes on from %d, the head is %d, error %v", next, head, err)
	}
	if again := heard("a", next, 2); again != next {
		t.Errorf("from %d to %d with nothing new", next, again)
	}
	say("t1", "a", "a5")
	if own := heard("a", next, 2); own <= next {
		t.Errorf("one's own post is not gone past: %d", own)
	}
	if far := heard("a", 1<<40, 2); far != 1<<40 {
		t.Errorf("went back to %d", far)
	}
	heard("c", 0, 3, "a0", "b0", "a1")
	if head, err := s.Head(ctx, "nobody's"); err != nil || head != 0 {
		t.Errorf("an empty room has the head %d, error %v", head, err)
	}
	for _, c := range [][3]string{{"", "a", "x"}, {"t", "", "x"}, {"t", "a", " "}} {
		if _, err := s.Say(ctx, c[0], c[1], c[2]); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", c, err)
		}
	}
}
