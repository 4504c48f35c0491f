package history_test

import (
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// toolCases are histories, their groups, and what Validate says about the
// snapshot with these groups.
var toolCases = []struct {
	name     string
	messages []history.Message
	groups   []string
	issues   []string
}{
	{"no messages", nil, []string{}, []string{}},
	{"no tools", conversation(in(history.Text{Text: "a"}), in()), []string{}, []string{}},
	{"result before call", conversation(in(result("a")), in(call("a"))),
		[]string{"C [s:1,s:2] {a}"}, []string{}},
	{"two results for one call", conversation(in(call("a")), in(result("a")), in(result("a"))),
		[]string{"C [s:1,s:2,s:3] {a}"}, []string{}},
	{"call and result in one message", conversation(in(call("a"), result("a"))),
		[]string{"C [s:1] {a}"}, []string{}},
	{"same call id twice in one message", conversation(in(call("a"), call("a")), in(result("a"))),
		[]string{"I [s:1,s:2] {a}"}, []string{`tool-call-identity-invalid t="a"`}},
	{"reused id in two turns", conversation(in(call("a")), in(result("a")), in(call("a")), in(result("a"))),
		[]string{"I [s:1,s:2,s:3,s:4] {a}"}, []string{`tool-call-identity-invalid t="a"`}},
	{"orphan results with one id in two messages", conversation(in(result("zz")), in(result("zz"))),
		[]string{"I [s:1] {zz}", "I [s:2] {zz}"},
		[]string{`tool-result-orphaned t="zz"`, `tool-atomic-call-overlap t="zz"`, `tool-atomic-group-mismatch t="zz"`}},
	{"live call", conversation(in(call("a"))),
		[]string{"I [s:1] {a}"}, []string{}},
	{"parallel, one missing", conversation(in(call("a"), call("b")), in(result("a"))),
		[]string{"I [s:1,s:2] {a,b}"}, []string{}},
	{"one result message bridges two calls", conversation(in(call("b")), in(call("a")), in(result("a"), result("b"))),
		[]string{"C [s:1,s:2,s:3] {a,b}"}, []string{}},
	{"an orphan beside a call belongs to its group", conversation(in(call("a"), result("zz")), in(result("a")), in(result("zz"))),
		[]string{"I [s:1,s:2] {a,zz}", "I [s:3] {zz}"},
		[]string{`tool-result-orphaned t="zz"`, `tool-atomic-call-overlap t="zz"`, `tool-atomic-group-mismatch t="zz"`}},
	{"tool names differ", conversation(in(call("a")), in(history.ToolResult{ToolCallID: "a", ToolName: "write"})),
		[]string{"C [s:1,s:2] {a}"}, []string{}},
	{"blank call id", conversation(in(call(" ")), in(result(" "))),
		[]string{"C [s:1,s:2] { }"}, []string{`tool-call-identity-invalid t=" "`, `tool-result-orphaned t=" "`}},
	{"empty call id", conversation(in(call("")), in(result(""))),
		[]string{"C [s:1,s:2] {}"}, []string{"tool-call-identity-invalid", "tool-result-orphaned"}},
	{"a message without tools lies between", conversation(in(call("a")), in(history.Text{}), in(result("a"))),
		[]string{"C [s:1,s:3] {a}"}, []string{}},
	{"groups interleave", conversation(in(call("z")), in(call("a")), in(result("z")), in(result("a"))),
		[]string{"C [s:1,s:3] {z}", "C [s:2,s:4] {a}"}, []string{}},
	{"a missing block is passed over", conversation(in(nil, call("a")), in(result("a"))),
		[]string{"C [s:1,s:2] {a}"}, []string{}},
}

func TestAtomicGroups(t *testing.T) {
	for _, tt := range toolCases {
		t.Run(tt.name, func(t *testing.T) {
			groups := history.AtomicGroups(tt.messages)
			if diff := cmp.Diff(tt.groups, groupLines(groups)); diff != "" {
				t.Errorf("groups (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.issues, issueLines(history.Validate(snapshot(tt.messages)))); diff != "" {
				t.Errorf("issues (-want +got)\n%s", diff)
			}
			if groups == nil {
				t.Error("groups are nil")
			}
		})
	}
}

// fixture is the history that the suite of seven cases is run on.
func fixture() []history.Message {
	const session = "runtime-adapter-conformance-session"
	m := func(entry string, role history.Role, b history.Block) history.Message {
		return history.Message{
			ID: session + ":" + entry, SourceEntryID: entry, Role: role, Blocks: in(b),
			Provenance: history.Provenance{
				Source: history.RuntimeSession, SessionID: session, EntryID: entry, RuntimeID: history.Some("conformance-runtime"),
			},
		}
	}
	return []history.Message{
		m("entry-user", history.User, history.Text{Text: "q"}),
		m("entry-call", history.Assistant, history.ToolCall{ID: "tool-call-1", Name: "read", Arguments: `{"path":"src/index.ts"}`}),
		m("entry-result", history.Tool, history.ToolResult{ToolCallID: "tool-call-1", ToolName: "read", Content: "c"}),
		m("entry-assistant", history.Assistant, history.Text{Text: "a"}),
	}
}

func TestGroupOfTheFixture(t *testing.T) {
	got, err := json.Marshal(history.AtomicGroups(fixture()))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"id":"runtime-tool-group:f666e07b163001be","messageIds":["runtime-adapter-conformance-session:entry-call","runtime-adapter-conformance-session:entry-result"],"toolCallIds":["tool-call-1"],"complete":true}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestGroupsAreInOrderOfTheHistory(t *testing.T) {
	// The original sorts these by locale, which no other runtime can repeat.
	ids := strings.Fields("B a _x 10 9 é z Z -y A")
	var messages []history.Message
	for _, id := range ids {
		m := message(id, call(id))
		m.ID = id
		messages = append(messages, m)
	}
	var got []string
	for _, g := range history.AtomicGroups(messages) {
		got = append(got, g.MessageIDs...)
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestToolCallIDsAreInOrderOfUTF16(t *testing.T) {
	ids := strings.Fields("\uffff b é a9 𐀀 B a10 \ue000 😀 b")
	var blocks []history.Block
	for _, id := range ids {
		blocks = append(blocks, call(id))
	}
	got := history.AtomicGroups(conversation(blocks))[0].ToolCallIDs
	if diff := cmp.Diff(strings.Fields("B a10 a9 b é 𐀀 😀 \ue000 \uffff"), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestGroupsDoNotShareMemory(t *testing.T) {
	messages := conversation(in(call("a")), in(call("b")), in(call("c")))
	groups := history.AtomicGroups(messages)
	_ = append(groups[0].MessageIDs, "x")
	_ = append(groups[0].ToolCallIDs, "x")
	if diff := cmp.Diff(history.AtomicGroups(messages), groups); diff != "" {
		t.Errorf("appending to one group changed another (-want +got)\n%s", diff)
	}
}

func TestRevisionOf(t *testing.T) {
	if got := history.RevisionOf(nil); got != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("revision of nothing is %s", got)
	}
	if history.RevisionOf([]byte("\xff\n")) == history.RevisionOf([]byte("\xfe\n")) {
		t.Error("two sources that differ in a broken byte have one revision")
	}
}
