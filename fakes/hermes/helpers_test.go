//go:build unix

package hermes_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
)

func TestMain(m *testing.M) { os.Exit(fakes.Main(m, hermes.Player())) }

var (
	quiet  = []string{"chat", "-q", "go", "-Q", "--yolo", "--accept-hooks"}
	stream = []string{"chat", "-q", "go", "--format", "stream-json"}
	ok     = fakes.End{Reason: fakes.EndOK}
)

func say(text string) fakes.Final { return fakes.Final{Text: &text} }

func newRuntime(t testing.TB, o hermes.Options) *hermes.Runtime {
	t.Helper()
	rt, err := hermes.New(t.Context(), o)
	return childtest.Closing(t, rt, err)
}

// start starts the program with the home of the fake, and variables.
func start(t testing.TB, rt *hermes.Runtime, args []string, env ...string) *childtest.Host {
	t.Helper()
	return childtest.StartWith(t, rt, func(h *childtest.Host) {
		h.Env = append(append(h.Env, "HERMES_HOME="+rt.Endpoint().Dir), env...)
	}, args...)
}

// finish reads stdout to its end and reaps the process.
func finish(t testing.TB, h *childtest.Host) (out, errs string, code int) {
	t.Helper()
	out = h.Rest(t)
	code = h.Reap()
	return out, h.Errs.String(), code
}

// ask reads rows of a state.db as text, columns apart by a bar.
func ask(t testing.TB, home, query string, args ...any) []string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(home, "state.db")+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

const messagesOf = `SELECT concat_ws('|', role, content, reasoning, tool_calls, tool_call_id, tool_name, finish_reason) FROM messages WHERE session_id = ? ORDER BY id`
