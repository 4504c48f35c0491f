package hermes

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// schema is that of Hermes' own version 30, as far as runs write it.
const schema = `
	CREATE TABLE sessions (
		id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
		input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0,
		cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0,
		estimated_cost_usd REAL, actual_cost_usd REAL, cost_status TEXT);
	CREATE TABLE messages (
		id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
		tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL DEFAULT 0,
		finish_reason TEXT, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);`

// earlySchema has the columns of the first versions that had books.
const earlySchema = `
	CREATE TABLE sessions (id TEXT PRIMARY KEY, model TEXT, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0);
	CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT);`

// keeper writes books as Hermes does, with a log beside them while it has them open.
type keeper struct {
	testing.TB
	path string
	db   *sql.DB
}

func newKeeper(t testing.TB, dir, schema string) *keeper {
	t.Helper()
	k := &keeper{TB: t, path: filepath.Join(dir, "state.db")}
	k.open()
	t.Cleanup(k.close)
	k.write(schema)
	return k
}

func (k *keeper) open() {
	k.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(k.path)+"?_pragma=journal_mode(wal)")
	if err != nil {
		k.Fatal(err)
	}
	k.db = db
}

func (k *keeper) close() {
	if err := k.db.Close(); err != nil {
		k.Error(err)
	}
}

func (k *keeper) write(query string, args ...any) {
	k.Helper()
	if _, err := k.db.Exec(query, args...); err != nil {
		k.Fatal(err)
	}
}

// session writes a session that has counted what is given.
func (k *keeper) session(id, parent string, input, written, cached, output int64, usd float64, status string) {
	k.Helper()
	k.write(`INSERT INTO sessions (id, source, model, parent_session_id, started_at, input_tokens, cache_write_tokens, cache_read_tokens, output_tokens, estimated_cost_usd, cost_status)
		VALUES (?1, 'cli', 'm-1', nullif(?2, ''), 0, ?3, ?4, ?5, ?6, ?7, ?8)
		ON CONFLICT (id) DO UPDATE SET input_tokens = ?3, cache_write_tokens = ?4, cache_read_tokens = ?5, output_tokens = ?6, estimated_cost_usd = ?7, cost_status = ?8`,
		id, parent, input, written, cached, output, usd, status)
}

// compress ends a session that goes on in another.
func (k *keeper) compress(id string) {
	k.Helper()
	k.write("UPDATE sessions SET ended_at = 0, end_reason = 'compression' WHERE id = ?", id)
}

func (k *keeper) user(session, content string) {
	k.Helper()
	k.write("INSERT INTO messages (session_id, role, content) VALUES (?, 'user', ?)", session, content)
}

func (k *keeper) assistant(session, content, calls, finish string) {
	k.Helper()
	k.write("INSERT INTO messages (session_id, role, content, tool_calls, finish_reason) VALUES (?, 'assistant', ?, nullif(?, ''), ?)", session, content, calls, finish)
}

func (k *keeper) tool(session, call, name, content string) {
	k.Helper()
	k.write("INSERT INTO messages (session_id, role, content, tool_call_id, tool_name) VALUES (?, 'tool', ?, nullif(?, ''), ?)", session, content, call, name)
}

func (k *keeper) books() books { return books{path: k.path} }

func (k *keeper) page(session string, before entry) page {
	k.Helper()
	p, err := k.books().page(session, before)
	if err != nil {
		k.Fatal(err)
	}
	return p
}

func (k *keeper) entry(session string) entry {
	k.Helper()
	e, err := k.books().entry(session)
	if err != nil {
		k.Fatal(err)
	}
	return e
}

const listing = `[{"id":"c1","type":"function","function":{"name":"terminal","arguments":"{\"command\": \"ls\"}"}}]`

func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

var compareAll = cmp.AllowUnexported(entry{}, totals{}, page{}, message{})

func TestAPageIsWhatIsNew(t *testing.T) {
	dir := t.TempDir()
	k := newKeeper(t, dir, schema)
	k.session("s1", "", 10, 2, 5, 7, 0.25, priceEstimated)
	k.user("s1", "first")
	k.assistant("s1", "old", "", "stop")
	k.session("s2", "", 1000, 0, 0, 1000, 9, priceEstimated) // another session of the home
	before := k.entry("s1")
	want := entry{known: true, lineage: []string{"s1"}, last: 2, spent: totals{input: 12, cached: 5, output: 7, estimated: 0.25, status: priceEstimated, model: "m-1"}}
	if d := cmp.Diff(want, before, compareAll); d != "" {
		t.Errorf("before (-want +got):\n%s", d)
	}
	k.session("s1", "", 20, 4, 10, 14, 0.5, priceEstimated)
	k.user("s1", "second")
	k.user("s2", "elsewhere")
	k.assistant("s1", "", listing, "tool_calls")
	k.tool("s1", "c1", "terminal", "a\nb")
	k.assistant("s1", "new", "", "stop")
	got := k.page("s1", before)
	wantMessages := []message{
		{role: "user", content: "second"},
		{role: "assistant", calls: listing, finish: "tool_calls"},
		{role: "tool", content: "a\nb", callID: "c1", tool: "terminal"},
		{role: "assistant", content: "new", finish: "stop"},
	}
	if d := cmp.Diff(wantMessages, got.messages, compareAll); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	if got.finish() != "stop" {
		t.Errorf("finish %q", got.finish())
	}
	spent := got.spent.since(before.spent)
	if d := cmp.Diff(totals{input: 12, cached: 5, output: 7, estimated: 0.25, status: priceEstimated, model: "m-1"}, spent, compareAll); d != "" {
		t.Errorf("spent (-want +got):\n%s", d)
	}
}

// A writer that has the books open does not keep them from being read, and a reader
// leaves nothing beside books that nobody has open.
func TestReadingLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	k := newKeeper(t, dir, schema)
	k.session("s1", "", 1, 0, 0, 1, 0, "")
	open := files(t, dir)
	if !k.entry("s1").known {
		t.Error("books that are open were not read")
	}
	if d := cmp.Diff(open, files(t, dir)); d != "" {
		t.Errorf("files (-before +after):\n%s", d)
	}
	k.close()
	before, err := os.Stat(k.path)
	if err != nil {
		t.Fatal(err)
	}
	if !k.entry("s1").known {
		t.Error("books that are closed were not read")
	}
	if d := cmp.Diff([]string{"state.db"}, files(t, dir)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	after, err := os.Stat(k.path)
	if err != nil || after.ModTime() != before.ModTime() || after.Size() != before.Size() {
		t.Errorf("the books were written: %v, %v", after, err)
	}
	k.open()
}

// A writer that is killed leaves its log, where the last it wrote stands.
func TestBooksOfAKilledWriter(t *testing.T) {
	k := newKeeper(t, t.TempDir(), schema)
	k.session("s1", "", 1, 0, 0, 1, 0, "")
	left := books{path: filepath.Join(t.TempDir(), "state.db")}
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(k.path + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left.path+end, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if e, err := left.entry("s1"); err != nil || !e.known {
		t.Errorf("%+v, %v", e, err)
	}
}

// Books that nobody has open are read as if they did not change. Where they do, what was
// read does not count.
func TestBooksThatChangeAreReadAgain(t *testing.T) {
	k := newKeeper(t, t.TempDir(), schema)
	k.close()
	change := func(id string) {
		k.open()
		k.session(id, "", 1, 0, 0, 1, 0, "")
		k.close()
	}
	tries := 0
	err := k.books().read(func(context.Context, *sql.Tx) error {
		if tries++; tries == 1 {
			change("s1")
		}
		return nil
	})
	if err != nil || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
	tries = 0
	err = k.books().read(func(context.Context, *sql.Tx) error {
		tries++
		change(fmt.Sprintf("t%d", tries))
		return nil
	})
	if !errors.Is(err, errUnsettled) || tries != booksTries {
		t.Errorf("%d tries, %v", tries, err)
	}
	k.open()
}

// Of books that could not be read before a run nobody can tell what is new in them.
func TestBooksThatAreLockedBillNothing(t *testing.T) {
	k := newKeeper(t, t.TempDir(), schema)
	k.session("s1", "", 100, 0, 0, 100, 1, priceEstimated)
	k.write("PRAGMA journal_mode = delete")
	conn, err := k.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lock := func(query string) {
		if _, err := conn.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	lock("BEGIN EXCLUSIVE")
	lock("UPDATE sessions SET input_tokens = 200") // there is a journal now
	l := newLedger(k.books(), "s1")
	lock("COMMIT")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if l.usable {
		t.Error("the books were read")
	}
	if c := l.spent(l.settle(true)); c != nil || l.lost {
		t.Errorf("cost %+v, lost %v", c, l.lost)
	}
}

func TestBooksThatSayNothing(t *testing.T) {
	missing := books{path: filepath.Join(t.TempDir(), "state.db")}
	if e, err := missing.entry("s1"); err != nil || e.known {
		t.Errorf("missing: %+v, %v", e, err)
	}
	if p, err := missing.page("s1", entry{}); err == nil {
		t.Errorf("a page of missing books: %+v", p)
	}
	empty := newKeeper(t, t.TempDir(), "PRAGMA user_version = 1")
	if e := empty.entry("s1"); e.known || e.last != 0 {
		t.Errorf("empty: %+v", e)
	}
	if p := empty.page("s1", entry{}); p.known || len(p.messages) != 0 {
		t.Errorf("empty: %+v", p)
	}
	broken := books{path: filepath.Join(t.TempDir(), "state.db")}
	if err := os.WriteFile(broken.path, []byte("this is no database, though it is long enough to look at"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err := broken.entry("s1"); err == nil {
		t.Errorf("broken: %+v", e)
	}
}

func TestBooksOfEarlyVersions(t *testing.T) {
	k := newKeeper(t, t.TempDir(), earlySchema)
	k.write("INSERT INTO sessions VALUES ('s1', 'm-1', 10, 20)")
	k.write("INSERT INTO messages (session_id, role, tool_calls) VALUES ('s1', 'assistant', ?)", listing)
	p := k.page("s1", entry{})
	want := page{
		entry:    entry{known: true, lineage: []string{"s1"}, last: 1, spent: totals{input: 10, output: 20, model: "m-1"}},
		messages: []message{{role: "assistant", calls: listing}},
	}
	if d := cmp.Diff(want, p, compareAll); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Compression goes on in another session, with copies of what it keeps.
func TestASplitSession(t *testing.T) {
	k := newKeeper(t, t.TempDir(), schema)
	k.session("s1", "", 100, 0, 0, 10, 1, priceEstimated)
	k.user("s1", "first")
	k.assistant("s1", "", listing, "tool_calls")
	k.tool("s1", "c1", "terminal", "old")
	before := k.entry("s1")

	second := `[{"id":"c2","type":"function","function":{"name":"terminal","arguments":"{}"}}]`
	k.user("s1", "second")
	k.assistant("s1", "", second, "tool_calls")
	k.tool("s1", "c2", "terminal", "new")
	k.session("s1", "", 150, 0, 0, 15, 2, priceEstimated)
	k.compress("s1")
	k.session("s2", "s1", 7, 0, 0, 3, 0.5, priceEstimated)
	k.user("s2", "a summary of the above")
	k.assistant("s2", "", listing, "tool_calls")
	k.tool("s2", "c1", "terminal", "old")
	k.assistant("s2", "", second, "tool_calls")
	k.tool("s2", "c2", "terminal", "new")
	k.assistant("s2", "answer", "", "stop")

	p := k.page("s2", before)
	if d := cmp.Diff([]string{"s2", "s1"}, p.lineage); d != "" {
		t.Errorf("lineage (-want +got):\n%s", d)
	}
	if spent := p.spent.since(before.spent); spent.input != 57 || spent.output != 8 || spent.estimated != 1.5 {
		t.Errorf("spent %+v", spent)
	}
	var calls []string
	for _, m := range p.messages {
		if m.calls != "" || m.role == "tool" {
			calls = append(calls, m.role+" "+m.callID+m.calls)
		}
	}
	if d := cmp.Diff([]string{"assistant " + second, "tool c2"}, calls); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	// Hermes goes on with the newest, whichever it is asked for.
	if e := k.entry("s1"); e.spent.input != 157 {
		t.Errorf("%+v", e)
	}
}

// A branch and its parent have counts of their own.
func TestABranch(t *testing.T) {
	k := newKeeper(t, t.TempDir(), schema)
	k.session("s1", "", 100, 0, 0, 10, 1, priceEstimated)
	k.session("s2", "s1", 7, 0, 0, 3, 0.5, priceEstimated)
	for id, want := range map[string]int64{"s1": 100, "s2": 7} {
		if e := k.entry(id); e.spent.input != want || len(e.lineage) != 1 {
			t.Errorf("%s: %+v", id, e)
		}
	}
}

// Compression in place archives what it replaces, and writes what it keeps again.
func TestASessionCompactedInPlace(t *testing.T) {
	k := newKeeper(t, t.TempDir(), schema)
	k.session("s1", "", 1, 0, 0, 1, 0, "")
	k.assistant("s1", "", listing, "tool_calls")
	k.tool("s1", "c1", "terminal", "old")
	before := k.entry("s1")
	k.write("UPDATE messages SET active = 0, compacted = 1")
	k.assistant("s1", "", listing, "tool_calls")
	k.tool("s1", "c1", "terminal", "old")
	if p := k.page("s1", before); len(p.messages) != 0 {
		t.Errorf("copies are new: %+v", p.messages)
	}
	k.assistant("s1", "", listing, "tool_calls") // the model does the same again
	k.write("UPDATE messages SET compacted = 0")
	if p := k.page("s1", k.entry("")); len(p.messages) != 0 {
		t.Errorf("nothing is new: %+v", p.messages)
	}
	if p := k.page("s1", before); len(p.messages) != 3 {
		t.Errorf("%d messages are new, want 3", len(p.messages))
	}
}

func TestALineageThatIsACircle(t *testing.T) {
	k := newKeeper(t, t.TempDir(), schema)
	k.session("s1", "s2", 1, 0, 0, 0, 0, "")
	k.session("s2", "s1", 2, 0, 0, 0, 0, "")
	k.compress("s1")
	k.compress("s2")
	if e := k.entry("s1"); e.spent.input != 3 || len(e.lineage) != 2 {
		t.Errorf("%+v", e)
	}
}
