package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/reference/embedding"
)

func save(t testing.TB, m *Memory, f Fact) Fact {
	t.Helper()
	saved, err := m.SaveFact(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

// hits are the titles found, and by what.
func hits(t *testing.T, m *Memory, query string, mode Mode, by Scope) []string {
	t.Helper()
	found, err := m.Search(t.Context(), query, mode, by, 10)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for i, h := range found {
		if h.Score <= 0 || h.Score > 1 || i > 0 && h.Score > found[i-1].Score {
			t.Errorf("%q has the score %v", h.Title, h.Score)
		}
		all = append(all, h.Title+" "+string(h.MatchedVia))
	}
	return all
}

func TestSearch(t *testing.T) {
	s := open(t)
	m := s.Memory(embedding.Port{})
	for _, f := range []Fact{
		{Title: "deploy", Content: "Deployments go out on Thursday from the release branch.", Tags: []string{"release", "ops"}},
		{Title: "database", Content: "The database is PostgreSQL 17; the schema lives in db/schema.sql."},
		{Title: "lint", Content: "Run the linter before every commit: make lint."},
		{Title: "café", Content: "Das Café öffnet um acht."},
	} {
		save(t, m, f)
	}
	me := Scope{TeamID: "t1", AgentID: "a"}
	for _, c := range []struct {
		query string
		mode  Mode
		want  []string
	}{
		{"linter", ByText, []string{"lint fts"}},
		{"LINTER?!", ByText, []string{"lint fts"}},
		{"ops", ByText, []string{"deploy fts"}},
		{"cafe", ByText, []string{"café fts"}},
		{"linters", ByText, []string{}},
		{"linters before a commit", ByVector, []string{"lint vector"}},
		{"linters before commits", Hybrid, []string{"lint hybrid"}},
		{"the linter before commit", "", []string{"lint hybrid"}},
		{`" OR title : NOT (* ^`, ByText, []string{}},
		{`linter" NEAR/2 "x`, ByText, []string{"lint fts"}},
		{"", ByText, []string{}},
		{"?!", "", []string{}},
		{"\x00", ByText, []string{}},
		{strings.Repeat("word ", 5000) + "linter", ByText, []string{}},
	} {
		got := hits(t, m, c.query, c.mode, me)
		if c.mode == "" && len(got) > 1 {
			got = got[:1] // what follows the best is no part of this
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%.40q %s: (-want +got):\n%s", c.query, c.mode, diff)
		}
	}
	if _, err := m.Search(t.Context(), "x", "fuzzy", me, 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("unknown mode: %v", err)
	}
	if got := hits(t, s.Memory(nil), "linters before commit", ByVector, me); len(got) != 1 || got[0] != "lint fts" {
		t.Errorf("without an embedder: %v", got)
	}
}

// A fact that matches by words and by likeness is above one that matches by one only.
func TestSearchBlends(t *testing.T) {
	m := open(t).Memory(embedding.Port{})
	save(t, m, Fact{Title: "words", Content: "release " + strings.Repeat("unrelated filler about gardening and weather ", 20)})
	save(t, m, Fact{Title: "both", Content: "the release process"})
	save(t, m, Fact{Title: "likeness", Content: "releases processed"})
	got := hits(t, m, "release process", "", Scope{})
	if diff := cmp.Diff([]string{"both hybrid", "words fts", "likeness vector"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestScope(t *testing.T) {
	m := open(t).Memory(embedding.Port{})
	for _, f := range []Fact{
		{Title: "everybody"}, {Title: "team one", TeamID: "t1"}, {Title: "team two", TeamID: "t2"},
		{Title: "a alone", AgentID: "a"}, {Title: "a in team one", TeamID: "t1", AgentID: "a"}, {Title: "b in team one", TeamID: "t1", AgentID: "b"},
	} {
		f.Content = "the shared word"
		save(t, m, f)
		if _, err := m.SaveProcedure(t.Context(), f.Title, "steps", Scope{f.TeamID, f.AgentID}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		by   Scope
		want []string
	}{
		{Scope{"t1", "a"}, []string{"a in team one", "a alone", "team one", "everybody"}},
		{Scope{"t1", "b"}, []string{"b in team one", "team one", "everybody"}},
		{Scope{"t2", "a"}, []string{"a alone", "team two", "everybody"}},
		{Scope{"", "a"}, []string{"a alone", "everybody"}},
		{Scope{"t3", "c"}, []string{"everybody"}},
		{Scope{}, []string{"everybody"}},
	} {
		facts, err := m.Browse(t.Context(), c.by, 10)
		var browsed []string
		for _, f := range facts {
			browsed = append(browsed, f.Title)
		}
		if diff := cmp.Diff(c.want, browsed); err != nil || diff != "" {
			t.Errorf("%+v browses: error %v, (-want +got):\n%s", c.by, err, diff)
		}
		procedures, err := m.Procedures(t.Context(), c.by, 10)
		var known []string
		for _, p := range procedures {
			known = append(known, p.Name)
		}
		if diff := cmp.Diff(c.want, known); err != nil || diff != "" {
			t.Errorf("%+v knows: error %v, (-want +got):\n%s", c.by, err, diff)
		}
		for _, mode := range []Mode{ByText, ByVector, Hybrid} {
			if got := hits(t, m, "the shared word", mode, c.by); len(got) != len(c.want) {
				t.Errorf("%+v finds by %s: %v", c.by, mode, got)
			}
		}
	}
}

// However many facts others have, one's own are found.
func TestSearchAmongOthers(t *testing.T) {
	m := open(t).Memory(nil)
	for i := range 210 {
		save(t, m, Fact{Title: fmt.Sprint(i), Content: "deploy deploy", TeamID: "t2"})
	}
	save(t, m, Fact{Title: "ours", Content: "how to deploy, among many other words about other things", TeamID: "t1"})
	if diff := cmp.Diff([]string{"ours fts"}, hits(t, m, "deploy", "", Scope{TeamID: "t1"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProcedureVersions(t *testing.T) {
	m, ctx := open(t).Memory(nil), t.Context()
	mine, theirs := Scope{TeamID: "t1"}, Scope{TeamID: "t2"}
	for i, c := range []struct {
		name  string
		owner Scope
		want  int
	}{{"deploy", mine, 1}, {"deploy", mine, 2}, {"deploy", theirs, 1}, {"test", mine, 1}, {"deploy", mine, 3}} {
		p, err := m.SaveProcedure(ctx, c.name, fmt.Sprintf("step %d", i), c.owner)
		if err != nil || p.Version != c.want {
			t.Errorf("%d: version %d, error %v; want %d", i, p.Version, err, c.want)
		}
	}
	got, err := m.Procedures(ctx, Scope{TeamID: "t1", AgentID: "a"}, 10)
	if err != nil || len(got) != 2 || got[0].Name != "deploy" || got[0].Version != 3 || got[0].Content != "step 4" || got[1].Name != "test" {
		t.Errorf("%+v, error %v", got, err)
	}
}

const canary = "sk-ant-api03-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6"

// No secret gets into the file, whatever it is saved as.
func TestSecretsAreNotKept(t *testing.T) {
	s, ctx := open(t), t.Context()
	m := s.Memory(embedding.Port{})
	if _, err := m.SaveFact(ctx, Fact{Title: "key", Content: canary}); !errors.Is(err, ErrSecret) {
		t.Errorf("a fact that is a secret: %v", err)
	}
	if _, err := m.SaveProcedure(ctx, "key", canary, Scope{}); !errors.Is(err, ErrSecret) {
		t.Errorf("a procedure that is a secret: %v", err)
	}
	f := save(t, m, Fact{Title: "the key " + canary, Content: "use " + canary + " for the staging server", Tags: []string{canary}})
	if !strings.Contains(f.Content, "for the staging server") {
		t.Errorf("nothing is left of %q", f.Content)
	}
	task := create(t, s, NewTask{Title: "x", DelegatedBy: "lead"})
	for _, err := range []error{
		second(m.SaveProcedure(ctx, "deploy", "export KEY="+canary+" and deploy", Scope{})),
		second(s.AddComment(ctx, task.ID, "I used "+canary, ByAgent, "a")),
		second(s.Report(ctx, task.ID, Report{Outcome: Failed, Summary: "rejected " + canary})),
		second(s.Say(ctx, "t1", "a", "take "+canary)),
		second(s.Record(ctx, Call{Tool: "echo", Input: `{"message":"` + canary + `"}`, Decision: Allowed})),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, table := range []string{"facts", "facts_text_content", "procedures", "task_comments", "inbox", "chat", "audit"} {
		if n := holding(t, s, table, canary); n != 0 {
			t.Errorf("%s holds the secret in %d rows", table, n)
		}
		if n := holding(t, s, table, ""); n == 0 {
			t.Errorf("%s holds nothing at all", table)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// holding counts the rows of a table with a text in any column.
func holding(t *testing.T, s *Store, table, text string) (n int) {
	t.Helper()
	rows, err := s.db.QueryContext(t.Context(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(fmt.Sprint(values...), text) {
			n++
		}
	}
	return n
}

func TestSaveRefuses(t *testing.T) {
	m, ctx := open(t).Memory(embedding.Port{}), t.Context()
	for _, f := range []Fact{{Content: "x"}, {Title: "x"}, {Title: " ", Content: "x"}} {
		if _, err := m.SaveFact(ctx, f); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if _, err := m.SaveProcedure(ctx, "", "x", Scope{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a procedure without a name: %v", err)
	}
}

// An embedder that fails, or answers with less than it was asked for, is an error and
// no fact without a vector, which nobody would find again.
type broken struct{ embedding.Port }

func (broken) Embed(context.Context, []string) ([][]float64, error) {
	return nil, errors.New("out of order")
}

type silent struct{ embedding.Port }

func (silent) Embed(context.Context, []string) ([][]float64, error) { return nil, nil }

func TestEmbedderFails(t *testing.T) {
	s := open(t)
	for _, e := range []history.EmbeddingPort{broken{}, silent{}} {
		m := s.Memory(e)
		if _, err := m.SaveFact(t.Context(), Fact{Title: "x", Content: "y"}); err == nil {
			t.Errorf("%T: saved", e)
		}
		if _, err := m.Search(t.Context(), "x", "", Scope{}, 1); err == nil {
			t.Errorf("%T: searched", e)
		}
	}
	if got, err := s.Memory(nil).Browse(t.Context(), Scope{}, 10); err != nil || len(got) != 0 {
		t.Errorf("%d facts, error %v", len(got), err)
	}
}

// Vectors of another model are not compared.
type other struct{ embedding.Port }

func (other) Identity() history.EmbeddingIdentity {
	return history.EmbeddingIdentity{Provider: "elsewhere", Model: "m", Dimensions: embedding.Dimensions}
}

func TestOtherModel(t *testing.T) {
	s := open(t)
	save(t, s.Memory(other{}), Fact{Title: "x", Content: "release process"})
	if got := hits(t, s.Memory(embedding.Port{}), "release process", ByVector, Scope{}); len(got) != 0 {
		t.Errorf("found %v", got)
	}
}
