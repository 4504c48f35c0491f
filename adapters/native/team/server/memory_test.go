package server

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
	"github.com/adaptercheck/adaptercheck/reference/embedding"
)

// What an agent saves, its teammates find, and nobody else does; an agent without a
// team saves for itself.
func TestMemoryIsTheTeams(t *testing.T) {
	s := openStore(t)
	peers := map[string]client{}
	for name, run := range map[string]Run{"a": {"a", "t1"}, "b": {"b", "t1"}, "c": {"c", "t2"}, "alone": {"alone", ""}, "d": {"d", ""}} {
		peers[name] = connect(t, NewMemory(s.Memory(embedding.Port{}), run))
	}
	for _, by := range []string{"a", "c", "alone"} {
		var saved struct {
			Saved string
			Fact  store.Fact
		}
		// That the call names another owner changes nothing.
		peers[by].get(&saved, "memory_save", `{"title":"by `+by+`","content":"the release goes out on Thursday","tags":["ops"],"scopeTeamId":"t9","scopeAgentId":"z"}`)
		if saved.Saved != "fact" || saved.Fact.Title != "by "+by || saved.Fact.AgentID != "" && by != "alone" || saved.Fact.TeamID == "t9" {
			t.Errorf("%s saved %+v", by, saved)
		}
		var procedure struct {
			Saved     string
			Procedure store.Procedure
		}
		peers[by].get(&procedure, "memory_save", `{"procedureName":"release by `+by+`","content":"tag and push"}`)
		if procedure.Saved != "procedure" || procedure.Procedure.Version != 1 {
			t.Errorf("%s saved %+v", by, procedure)
		}
	}
	for by, want := range map[string][]string{"a": {"by a"}, "b": {"by a"}, "c": {"by c"}, "alone": {"by alone"}, "d": {}} {
		for _, mode := range []string{"", `,"mode":"fts"`, `,"mode":"vector"`, `,"mode":"hybrid"`} {
			var found []store.Hit
			peers[by].get(&found, "memory_search", `{"query":"release on Thursday","scopeTeamId":"t2"`+mode+`}`)
			titles := []string{}
			for _, h := range found {
				titles = append(titles, h.Title)
			}
			if diff := cmp.Diff(want, titles); diff != "" {
				t.Errorf("%s searches%s: (-want +got):\n%s", by, mode, diff)
			}
		}
		var known struct {
			Facts      []store.Fact
			Procedures []store.Procedure
		}
		peers[by].get(&known, "memory_browse", `{"limit":5}`)
		if len(known.Facts) != len(want) || len(known.Procedures) != len(want) {
			t.Errorf("%s browses %+v", by, known)
		}
	}
}

func TestMemoryRefuses(t *testing.T) {
	peer := connect(t, NewMemory(openStore(t).Memory(nil), Run{"a", "t1"}))
	secret := "sk-ant-api03-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6"
	for _, c := range []struct{ tool, input, want string }{
		{"memory_save", `{"content":"x"}`, "a fact requires a title (or set procedureName for a procedure)"},
		{"memory_save", `{"content":"x","title":" "}`, "a fact requires a title (or set procedureName for a procedure)"},
		{"memory_save", `{"content":"","title":"x"}`, "invalid: a fact needs a title and content"},
		{"memory_save", `{"content":"` + secret + `","title":"x"}`, "nothing to save: the content was nothing but secrets, which are not kept"},
		{"memory_save", `{"content":"` + secret + `","procedureName":"x"}`, "nothing to save: the content was nothing but secrets, which are not kept"},
	} {
		if diff := cmp.Diff(answerOf{Text: c.want, IsError: true}, peer.call(c.tool, c.input)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", c.input, diff)
		}
	}
	if got := peer.call("memory_search", `{"query":"x","mode":"fuzzy"}`); !strings.HasPrefix(got.Text, "invalid args: ") {
		t.Errorf("an unknown mode: %+v", got)
	}
	if got := peer.call("memory_search", `{"query":"x"}`); got.Text != "[]" {
		t.Errorf("something was saved: %s", got.Text)
	}
}
