package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

func yes(context.Context, Request) (bool, error) { return true, nil }
func no(context.Context, Request) (bool, error)  { return false, nil }

// audited is a call and the row that it must leave.
func audited(t *testing.T, s *store.Store, want store.Call) {
	t.Helper()
	calls, err := s.Calls(t.Context(), 10)
	if diff := cmp.Diff([]store.Call{want}, calls, cmpopts.IgnoreFields(store.Call{}, "N", "CreatedAt", "EndedAt")); err != nil || diff != "" {
		t.Errorf("audit: error %v, (-want +got):\n%s", err, diff)
	}
}

func TestBroker(t *testing.T) {
	for _, c := range []struct {
		name        string
		approve     Approve
		noDir       bool
		tool, input string
		want        answerOf
		row         store.Call
		gone        bool // the file
	}{
		{"safe", nil, false, "echo", `{"message":"hi"}`, answerOf{Text: "hi"},
			store.Call{Decision: "allow", Outcome: "ok"}, false},
		{"note", nil, false, "note", `{"note":"n"}`, answerOf{Text: "noted: n"},
			store.Call{Decision: "allow", Outcome: "ok"}, false},
		{"bad arguments", nil, false, "echo", `{}`, answerOf{Text: "invalid args: ", IsError: true},
			store.Call{Decision: "deny", Reason: "invalid args"}, false},
		{"approved", yes, false, "delete_path", `{"path":"file"}`, answerOf{Text: "deleted file"},
			store.Call{Decision: "allow", Reason: "approved", Outcome: "ok"}, true},
		{"approved and failed", yes, false, "delete_path", `{"path":"none"}`, answerOf{Text: "none: no such file or directory", IsError: true},
			store.Call{Decision: "allow", Reason: "approved", Outcome: "error"}, false},
		{"approved and outside", yes, false, "delete_path", `{"path":"../x"}`, answerOf{Text: "path must be a relative path inside the workspace", IsError: true},
			store.Call{Decision: "allow", Reason: "approved", Outcome: "error"}, false},
		{"refused", no, false, "delete_path", `{"path":"file"}`, answerOf{"denied: approval:denied", true, "approval:denied"},
			store.Call{Decision: "deny", Reason: "approval:denied"}, false},
		{"nobody to ask", nil, false, "delete_path", `{"path":"file"}`, answerOf{"denied: approval:nobody to ask", true, "approval:nobody to ask"},
			store.Call{Decision: "deny", Reason: "approval:nobody to ask"}, false},
		{"an error and yes", func(context.Context, Request) (bool, error) { return true, errors.New("x") }, false, "delete_path", `{"path":"file"}`,
			answerOf{"denied: approval:denied", true, "approval:denied"}, store.Call{Decision: "deny", Reason: "approval:denied"}, false},
		{"no directory", yes, true, "delete_path", `{"path":"file"}`, answerOf{"denied: unavailable:no working directory", true, "unavailable:no working directory"},
			store.Call{Decision: "deny", Reason: "unavailable:no working directory"}, false},
		{"unanswered", func(ctx context.Context, _ Request) (bool, error) { <-ctx.Done(); return true, nil }, false, "delete_path", `{"path":"file"}`,
			answerOf{"denied: approval:timeout", true, "approval:timeout"}, store.Call{Decision: "deny", Reason: "approval:timeout"}, false},
		{"deaf to its time", func(context.Context, Request) (bool, error) { select {} }, false, "delete_path", `{"path":"file"}`,
			answerOf{"denied: approval:timeout", true, "approval:timeout"}, store.Call{Decision: "deny", Reason: "approval:timeout"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := openStore(t), t.TempDir()
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			o := ToolsOptions{Store: s, Run: Run{"a", "t1"}, Dir: dir, Approve: c.approve, ApprovalTime: time.Minute}
			if strings.Contains(c.row.Reason, "timeout") {
				o.ApprovalTime = time.Millisecond
			}
			if c.noDir {
				o.Dir = ""
			}
			got := connect(t, NewTools(o)).call(c.tool, c.input)
			if strings.HasPrefix(got.Text, "invalid args: ") {
				got.Text = "invalid args: " // what follows is the schema library's
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := os.Stat(path); os.IsNotExist(err) != c.gone {
				t.Errorf("the file: %v", err)
			}
			c.row.Tool, c.row.AgentID, c.row.TeamID, c.row.Input = c.tool, "a", "t1", c.input
			audited(t, s, c.row)
		})
	}
}

// What is asked says what is to be done, and in whose name.
func TestRequest(t *testing.T) {
	var asked Request
	s := openStore(t)
	peer := connect(t, NewTools(ToolsOptions{Store: s, Run: Run{"a", "t1"}, Dir: t.TempDir(), Approve: func(_ context.Context, r Request) (bool, error) {
		asked = r
		return false, nil
	}}))
	peer.call("delete_path", `{"path":"x"}`)
	want := Request{Tool: "delete_path", Input: []byte(`{"path":"x"}`), Why: "it deletes files", AgentID: "a", TeamID: "t1"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A run that ends while its call waits for an answer: the call is not made, and its
// row says why.
func TestAbortWhileAsked(t *testing.T) {
	s := openStore(t)
	asked := make(chan struct{})
	by := broker{s, Run{"a", "t1"}, func(ctx context.Context, _ Request) (bool, error) {
		close(asked)
		<-ctx.Done()
		return true, nil
	}, time.Minute}
	b := newBox("x")
	made := false
	brokered(b, by, "danger", "", policy{why: "it is dangerous"}, nil, func(context.Context, echoArgs) (string, error) {
		made = true
		return "", nil
	})
	peer := connect(t, b.Server)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	_, err := peer.session.CallTool(ctx, &mcp.CallToolParams{Name: "danger", Arguments: json.RawMessage(`{"message":"x"}`)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	// The client has let go; that the server has answered shows when it is closed.
	peer.session.Close()
	for ss := range b.Server.Sessions() {
		_ = ss.Wait()
	}
	if made {
		t.Error("the call was made")
	}
	audited(t, s, store.Call{Tool: "danger", AgentID: "a", TeamID: "t1", Input: `{"message":"x"}`, Decision: "deny", Reason: "approval:aborted"})
}

// A call that cannot be written down is not made.
func TestNoAuditNoCall(t *testing.T) {
	s, dir := openStore(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	peer := connect(t, NewTools(ToolsOptions{Store: s, Run: Run{"a", "t1"}, Dir: dir, Approve: yes}))
	s.Close()
	if got := peer.call("delete_path", `{"path":"file"}`); got.Text != "not called: the audit could not be written" || !got.IsError {
		t.Errorf("%+v", got)
	}
	if got := peer.call("echo", `{}`); !strings.HasSuffix(got.Text, "(nor could the audit be written)") || !got.IsError {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "file")); err != nil {
		t.Error(err)
	}
}

const searchCanary = "tvly-Zm9vYmFyYmF6cXV4Zm9vYmFy"

func TestWebSearch(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	for _, c := range []struct {
		name, input string
		serve       http.HandlerFunc
		want        answerOf
	}{
		{"results", `{"query":"go","limit":2}`, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Method != "POST" || r.URL.Path != "/search" || r.Header.Get("Authorization") != "Bearer "+searchCanary || string(body) != `{"max_results":2,"query":"go"}` && string(body) != `{"query":"go","max_results":2}` {
				t.Errorf("%s %s %v %s", r.Method, r.URL, r.Header, body)
			}
			io.WriteString(w, `{"query":"go","results":[{"title":"Go","url":"https://go.dev","content":"A\nlanguage","score":0.9},{"title":"x","url":"y","content":""}]}`)
		}, answerOf{Text: "1. Go\n   https://go.dev\n   A language\n2. x\n   y\n   "}},
		{"none", `{"query":"go"}`, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"results":[]}`) }, answerOf{Text: "no results"}},
		{"refused key", `{"query":"go"}`, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "bad key "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		}, answerOf{Text: "search failed: the provider returned 401", IsError: true}},
		{"a page", `{"query":"go"}`, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "<html>"+r.Header.Get("Authorization"))
		}, answerOf{Text: "search failed: the provider's answer is not what was expected", IsError: true}},
		{"too long", `{"query":"go"}`, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, strings.Repeat(" ", 2*maxAnswer)+`{"results":[]}`)
		}, answerOf{Text: "search failed: the provider's answer is not what was expected", IsError: true}},
		{"redirect", `{"query":"go"}`, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, answerOf{Text: "search failed: the provider returned 307", IsError: true}},
		{"hung up", `{"query":"go"}`, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			answerOf{Text: "search failed: EOF", IsError: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			provider := httptest.NewServer(c.serve)
			defer provider.Close()
			s := openStore(t)
			peer := connect(t, NewTools(ToolsOptions{Store: s, Run: Run{"a", "t1"}, Approve: yes, SearchURL: provider.URL + "/",
				Env: func(string) string { return searchCanary }}))
			got := peer.call("web_search", c.input)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			calls, err := s.Calls(t.Context(), 10)
			if err != nil || len(calls) != 1 {
				t.Fatalf("%d rows, error %v", len(calls), err)
			}
			if text, _ := json.Marshal(calls); strings.Contains(string(text)+got.Text, searchCanary) {
				t.Errorf("the key is in %s or in %q", text, got.Text)
			}
		})
	}
}

// The key may go after the tool was listed, and a search needs a yes like a deletion.
func TestWebSearchNeeds(t *testing.T) {
	s := openStore(t)
	env := map[string]string{SearchKey: searchCanary}
	peer := connect(t, NewTools(ToolsOptions{Store: s, Run: Run{"a", "t1"}, Approve: no, SearchURL: "http://127.0.0.1:1", Env: func(name string) string { return env[name] }}))
	if got := peer.call("web_search", `{"query":"x"}`); got.Denied != "approval:denied" {
		t.Errorf("%+v", got)
	}
	delete(env, SearchKey)
	if got := peer.call("web_search", `{"query":"x"}`); got.Denied != "unavailable:"+SearchKey+" is not set" {
		t.Errorf("%+v", got)
	}
}
