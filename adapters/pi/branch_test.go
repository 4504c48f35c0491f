package pi_test

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// Two branches from e2: e3 with e4 below it, and e5. The last entry is e5.
func tree() []string {
	return []string{
		user("e1", "null", "one"), user("e2", "e1", "two"),
		user("e3", "e2", "three"), user("e4", "e3", "four"),
		user("e5", "e2", "five"),
	}
}

func TestBranch(t *testing.T) {
	p := newPlace(t)
	p.lay(t, tree()...)
	for leaf, want := range map[string]string{
		"": "e1 e2 e5", "e5": "e1 e2 e5", "e4": "e1 e2 e3 e4", "e2": "e1 e2", "e1": "e1",
	} {
		if got := ids(snapshot(t, p.adapter(t, withLeaf(leaf)))); got != want {
			t.Errorf("leaf %q: messages %s, want %s", leaf, got, want)
		}
	}
}

// An entry that is no message can be the leaf, and a file can have two roots.
func TestLeafWithoutMessage(t *testing.T) {
	p := newPlace(t)
	p.lay(t, user("e1", "null", "one"), user("e2", "null", "two"),
		`{"type":"label","id":"e3","parentId":"e2","targetId":"e1","label":"l"}`)
	if got := ids(snapshot(t, p.adapter(t))); got != "e2" {
		t.Errorf("messages %s", got)
	}
}

// A broken branch is no harm to another one.
func TestOtherBranchIsNotLookedAt(t *testing.T) {
	p := newPlace(t)
	p.lay(t, user("x1", "gone", "lost"), user("x2", "x3", "round"), user("x3", "x2", "round"),
		say("x4", "null", `{"role":"toolResult","content":[]}`), user("e1", "null", "here"))
	if got := ids(snapshot(t, p.adapter(t))); got != "e1" {
		t.Errorf("messages %s", got)
	}
}

// A branch as long as the file is no circle.
func TestWholeFileIsTheBranch(t *testing.T) {
	p := newPlace(t)
	p.lay(t, user("e1", "e2", "below"), user("e2", "null", "above"))
	if got := ids(snapshot(t, p.adapter(t, withLeaf("e1")))); got != "e2 e1" {
		t.Errorf("messages %s", got)
	}
}

func TestRevision(t *testing.T) {
	revision := func(leaf string, entries ...string) string {
		p := newPlace(t)
		p.lay(t, entries...)
		return snapshot(t, p.adapter(t, withLeaf(leaf))).Revision
	}
	first := revision("", user("e1", "null", "one"), user("e2", "e1", "two"))
	call := func(n string) string {
		return say("e1", "null", `{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"n","arguments":`+n+`}]}`)
	}
	for _, c := range []struct {
		name string
		a, b string
		same bool
	}{
		{"again", first, revision("", user("e1", "null", "one"), user("e2", "e1", "two")), true},
		{"the leaf named", first, revision("e2", user("e1", "null", "one"), user("e2", "e1", "two")), true},
		{"another branch beside it", first, revision("e2", user("e1", "null", "one"), user("e2", "e1", "two"), user("e3", "e1", "three")), true},
		{"written in another way", first, revision("", ` { "parentId" : null, "type":"message","timestamp":"2027-01-15T08:00:01.500Z","message":{"content":"\u006fne","role":"user"},"id":"e1"}`, user("e2", "e1", "two")), true},
		{"a word", first, revision("", user("e1", "null", "One"), user("e2", "e1", "two")), false},
		{"an entry more", first, revision("", user("e1", "null", "one"), user("e2", "e1", "two"), user("e3", "e2", "three")), false},
		{"an entry more that is no message", first, revision("", user("e1", "null", "one"), user("e2", "e1", "two"), `{"type":"label","id":"e3","parentId":"e2"}`), false},
		{"another leaf", first, revision("e1", user("e1", "null", "one"), user("e2", "e1", "two")), false},
		{"nothing", first, revision(""), false},
		{"numbers of one value", revision("", call("[100,0.5]")), revision("", call("[1e2,5e-1]")), true},
		{"numbers beyond 2^53", revision("", call("9007199254740993")), revision("", call("9007199254740992")), false},
	} {
		if got := c.a == c.b; got != c.same {
			t.Errorf("%s: same %t, want %t", c.name, got, c.same)
		}
	}
	// The form is part of the contract: SHA-256 over canonical JSON.
	want := history.RevisionOf([]byte(`{"entries":[{"id":"e1","message":{"content":"one","role":"user"},"parentId":null,"timestamp":"2027-01-15T08:00:01.500Z","type":"message"}],"leafId":"e1"}`))
	if got := revision("", user("e1", "null", "one")); got != want {
		t.Errorf("revision %s, want %s", got, want)
	}
	if got, want := revision(""), history.RevisionOf([]byte(`{"entries":[],"leafId":null}`)); got != want {
		t.Errorf("revision of nothing %s, want %s", got, want)
	}
}
