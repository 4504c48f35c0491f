package state_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
)

const whole = `{"id":"native-a-1","name":"A","primaryProvider":"groq","primaryModel":"m","envVar":"GROQ_API_KEY","participantKind":"agent",
"systemPrompt":"","fallbacks":[{"provider":"openai","model":"gpt-4o"}],"tools":{"memory":true,"tools":false,"tasks":true,"teamchat":false,"custom":["x"]},
"maxTurns":3,"budgetUsd":0.5,"createdAt":1,"updatedAt":2,"tenantId":null,"unknown":{"a":1}}`

func TestParse(t *testing.T) {
	c, err := state.Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	usd := 0.5
	want := state.AgentConfig{
		ID: "native-a-1", Name: "A", PrimaryProvider: "groq", PrimaryModel: "m", EnvVar: "GROQ_API_KEY", ParticipantKind: "agent",
		Fallbacks: []state.Fallback{{Provider: "openai", Model: "gpt-4o"}},
		Tools:     state.Tools{Memory: true, Tasks: state.TasksFull, Custom: []string{"x"}},
		MaxTurns:  3, BudgetUSD: &usd, CreatedAt: 1, UpdatedAt: 2,
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := state.Parse(text)
	if diff := cmp.Diff(c, again); err != nil || diff != "" {
		t.Errorf("written and read: %v (-want +got):\n%s", err, diff)
	}
}

func TestBrokenConfigurations(t *testing.T) {
	for _, c := range []struct{ name, from, to, member string }{
		{"no JSON", whole, "{", "object"},
		{"null", whole, "null", "object"},
		{"a list", whole, "[]", "object"},
		{"empty id", `"id":"native-a-1"`, `"id":""`, "id"},
		{"no name", `"name":"A",`, ``, "name"},
		{"name of another type", `"name":"A"`, `"name":7`, "name"},
		{"no tools", `"tools":{"memory":true,"tools":false,"tasks":true,"teamchat":false,"custom":["x"]},`, ``, "tools"},
		{"tasks of another word", `"tasks":true`, `"tasks":"write"`, "tasks"},
		{"no turns", `"maxTurns":3`, `"maxTurns":0`, "maxTurns"},
		{"half a turn", `"maxTurns":3`, `"maxTurns":1.5`, "maxTurns"},
		{"no budget", `"budgetUsd":0.5`, `"budgetUsd":0`, "budgetUsd"},
		{"half a fallback", `"model":"gpt-4o"`, `"model":""`, "fallbacks"},
		{"no tenant", `,"tenantId":null`, ``, "tenantId"},
	} {
		t.Run(c.name, func(t *testing.T) {
			blob := strings.Replace(whole, c.from, c.to, 1)
			if blob == whole {
				t.Fatal("nothing was replaced")
			}
			_, err := state.Parse([]byte(blob))
			if err == nil || !strings.Contains(err.Error(), c.member) {
				t.Errorf("error %v, want one that names %s", err, c.member)
			}
			if diff := cmp.Diff(state.Default("me"), state.Decode([]byte(blob), "me")); diff != "" {
				t.Errorf("the default (-want +got):\n%s", diff)
			}
		})
	}
	if id := state.Decode(nil, "").ID; id != "native-default" {
		t.Errorf("the default of nobody is %q", id)
	}
	if err := state.Default("me").Validate(); err != nil {
		t.Error(err)
	}
}

func TestSanitizeAgent(t *testing.T) {
	for in, want := range map[string]string{"": "_default", "native-a_1": "native-a_1", "../x": "___x", "ü/a b": "__a_b", `a\b`: "a_b"} {
		if got := state.SanitizeAgent(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestTranscript(t *testing.T) {
	h := state.Home{Dir: t.TempDir(), Agent: "a/b"}
	talk := []message.Message{message.FromUser("hi"), {Role: message.Assistant, Content: []message.Part{message.Text("ho")}}}
	if err := h.Save("native-1", talk); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.Dir, "runtimes", "clawboo-native", "a_b", "sessions", "native-1.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "{\n  \"version\": 1,\n  \"sessionId\": \"native-1\",\n  \"messages\": [\n") {
		t.Errorf("the file is\n%s", text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	got, err := h.Load("native-1")
	if diff := cmp.Diff(talk, got); err != nil || diff != "" {
		t.Errorf("loaded: %v (-want +got):\n%s", err, diff)
	}
	if _, err := h.Load("native-2"); !errors.Is(err, state.ErrNoTranscript) {
		t.Errorf("one that is not there: %v", err)
	}
	for _, id := range []string{"", "../native-1", "a/b", "native-1.json"} {
		if err := h.Save(id, talk); err != nil {
			t.Errorf("save %q: %v", id, err)
		}
		if _, err := h.Load(id); !errors.Is(err, state.ErrNoTranscript) {
			t.Errorf("load %q: %v", id, err)
		}
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Errorf("there are %v, %v", all, err)
	}
	for _, broken := range []string{"", "{", `{"version":2,"sessionId":"native-1","messages":[]}`, `{"version":1,"sessionId":"native-9","messages":[]}`,
		`{"version":1,"sessionId":"native-1","messages":[{"role":"system","content":[]}]}`, `{"version":1,"sessionId":"native-1","messages":[{"role":"user","content":[{"type":"secret-word"}]}]}`} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := h.Load("native-1"); err == nil || errors.Is(err, state.ErrNoTranscript) || strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%s: %v, %v", broken, got, err)
		}
	}
}

func TestNoHome(t *testing.T) {
	t.Chdir(t.TempDir())
	h := state.Home{Agent: "a"}
	if err := errors.Join(h.Save("native-1", nil), h.Note(t.Context(), state.Row{SessionID: "native-1"})); err != nil {
		t.Error(err)
	}
	if h.Soul() != "" {
		t.Error("there is a soul")
	}
	if all, err := os.ReadDir("."); err != nil || len(all) != 0 {
		t.Errorf("there are %v, %v", all, err)
	}
}

func TestSoul(t *testing.T) {
	h := state.Home{Dir: t.TempDir(), Agent: "a"}
	if h.Soul() != "" {
		t.Error("there is a soul")
	}
	if err := os.MkdirAll(h.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.Path(), "SOUL.md"), []byte("I am.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := h.Soul(); got != "I am." {
		t.Errorf("soul %q", got)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(h.Path(), "SOUL.md")), os.Symlink(outside, filepath.Join(h.Path(), "SOUL.md"))); err != nil {
		t.Skip(err)
	}
	if got := h.Soul(); got != "" {
		t.Errorf("a link leads out: %q", got)
	}
}

func TestRows(t *testing.T) {
	h := state.Home{Dir: t.TempDir(), Agent: "a"}
	began := time.UnixMilli(1000)
	usd := 0.25
	var writers sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs { // as several processes do, each over a handle of its own
		writers.Go(func() {
			errs[i] = h.Note(t.Context(), state.Row{SessionID: "native-" + string(rune('a'+i)), AgentID: "a", SessionKey: "s", RunID: "r", Reason: "success", StartedAt: began, EndedAt: began})
		})
	}
	writers.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if err := h.Note(t.Context(), state.Row{SessionID: "native-a", AgentID: "a", SessionKey: "s", RunID: "r2", Reason: "aborted", Model: "m", Turns: 2, InputTokens: 3, OutputTokens: 4, CostUSD: &usd, StartedAt: began, EndedAt: began.Add(time.Second)}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.Path(), "sessions.db")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows, closed int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*), sum(status = 'closed') FROM sessions").Scan(&rows, &closed); err != nil || rows != 8 || closed != 7 {
		t.Errorf("%d rows, %d closed, %v", rows, closed, err)
	}
	var run, reason string
	var ended int64
	if err := db.QueryRowContext(t.Context(), "SELECT run_id, reason, ended_at FROM sessions WHERE id = 'native-a'").Scan(&run, &reason, &ended); err != nil || run != "r2" || reason != "aborted" || ended != 2000 {
		t.Errorf("row %s %s %d, %v", run, reason, ended, err)
	}
}
