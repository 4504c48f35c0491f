package history_test

import (
	"slices"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/google/go-cmp/cmp"
)

func TestValidate(t *testing.T) {
	type S = history.Snapshot
	first := func(s *S) *history.Message { return &s.Messages[0] }
	group := func(s *S) *history.AtomicGroup { return &s.ToolAtomicGroups[0] }
	tests := []struct {
		name   string
		change func(*S)
		want   []string
	}{
		{"valid", func(*S) {}, nil},
		{"schema", func(s *S) { s.SchemaVersion = "runtime-history-v2" }, []string{"history-schema-incompatible"}},
		{"blank runtime id", func(s *S) { s.RuntimeID = " " },
			[]string{"history-identity-invalid", `history-provenance-invalid m="s:1"`, `history-provenance-invalid m="s:2"`}},
		{"blank session and revision", func(s *S) { s.SessionID, s.Revision = "\ufeff", "" },
			[]string{"history-identity-invalid", `history-provenance-invalid m="s:1"`, `history-provenance-invalid m="s:2"`}},
		{"U+0085 is not blank", func(s *S) { s.Revision = "\u0085" }, nil},
		{"blank root", func(s *S) { s.ProjectRoot = "\n" }, []string{"trusted-project-root-missing"}},
		{"empty id twice", func(s *S) {
			s.Messages = conversation(in(), in())
			s.Messages[0].ID = ""
			s.Messages[1].ID = ""
			s.ToolAtomicGroups = nil
		},
			[]string{"history-message-id-missing", "history-message-id-duplicate"}},
		{"space id twice", func(s *S) {
			s.Messages = conversation(in(), in())
			s.Messages[0].ID = " "
			s.Messages[1].ID = " "
			s.ToolAtomicGroups = nil
		},
			[]string{`history-message-id-missing m=" "`, `history-message-id-duplicate m=" "`}},
		{"duplicate id", func(s *S) {
			s.Messages = conversation(in(), in())
			s.Messages[1].ID = "s:1"
			s.ToolAtomicGroups = nil
		},
			[]string{`history-message-id-duplicate m="s:1"`}},
		{"pi session of another runtime", func(s *S) {
			first(s).Provenance.Source, first(s).Provenance.RuntimeID = history.PiSession, history.Some("other")
		}, nil},
		{"runtime session without runtime id", func(s *S) { first(s).Provenance.RuntimeID = history.Optional[string]{} },
			[]string{`history-provenance-invalid m="s:1"`}},
		{"runtime session with null runtime id", func(s *S) { first(s).Provenance.RuntimeID = history.Null[string]() },
			[]string{`history-provenance-invalid m="s:1"`}},
		{"another runtime id", func(s *S) { first(s).Provenance.RuntimeID = history.Some("rt ") },
			[]string{`history-provenance-invalid m="s:1"`}},
		{"another session id", func(s *S) { first(s).Provenance.SessionID = "S" },
			[]string{`history-provenance-invalid m="s:1"`}},
		{"unknown source", func(s *S) { first(s).Provenance.Source = "codex-session" },
			[]string{`history-provenance-invalid m="s:1"`}},
		{"blank entry id", func(s *S) { first(s).Provenance.EntryID, first(s).SourceEntryID = " ", " " },
			[]string{`history-provenance-invalid m="s:1"`}},
		{"source entry id differs", func(s *S) { first(s).SourceEntryID = "x" },
			[]string{`history-provenance-invalid m="s:1"`}},
		{"group id is another", func(s *S) { group(s).ID = "g" }, nil},
		{"group id is blank", func(s *S) { group(s).ID = " " }, []string{"tool-atomic-group-invalid"}},
		{"two groups with one id", func(s *S) {
			s.Messages = conversation(in(call("a"), result("a")), in(call("b"), result("b")))
			s.ToolAtomicGroups = history.AtomicGroups(s.Messages)
			s.ToolAtomicGroups[0].ID, s.ToolAtomicGroups[1].ID = "g", "g"
		}, nil},
		{"message ids reversed", func(s *S) { slices.Reverse(group(s).MessageIDs) }, nil},
		{"group lists an unknown message", func(s *S) { group(s).MessageIDs = append(group(s).MessageIDs, "nope") },
			[]string{`tool-atomic-message-missing m="nope"`, `tool-atomic-group-mismatch t="a"`}},
		{"group lists an unknown message twice", func(s *S) { group(s).MessageIDs = append(group(s).MessageIDs, "nope", "nope") },
			[]string{`tool-atomic-message-missing m="nope"`, `tool-atomic-message-missing m="nope"`, `tool-atomic-group-mismatch t="a"`}},
		{"group lists a message twice", func(s *S) { group(s).MessageIDs = append(group(s).MessageIDs, "s:1") },
			[]string{`tool-atomic-message-overlap m="s:1"`, `tool-atomic-group-mismatch t="a"`}},
		{"group lists a call twice", func(s *S) { group(s).ToolCallIDs = append(group(s).ToolCallIDs, "a") },
			[]string{`tool-atomic-call-overlap t="a"`}},
		{"group with an unknown call only", func(s *S) {
			s.ToolAtomicGroups = append(s.ToolAtomicGroups, history.AtomicGroup{ID: "g", ToolCallIDs: []string{"q"}})
		}, []string{"tool-atomic-group-invalid", `tool-atomic-call-unknown t="q"`}},
		{"group with an unknown call twice", func(s *S) { group(s).ToolCallIDs = append(group(s).ToolCallIDs, "q", "p", "q") },
			[]string{`tool-atomic-call-overlap t="q"`, `tool-atomic-call-unknown t="q"`, `tool-atomic-call-unknown t="p"`}},
		{"group without calls", func(s *S) { group(s).ToolCallIDs = nil },
			[]string{"tool-atomic-group-invalid", `tool-atomic-group-missing t="a"`}},
		{"group missing", func(s *S) { s.ToolAtomicGroups = nil }, []string{`tool-atomic-group-missing t="a"`}},
		{"complete flipped", func(s *S) { group(s).Complete = false }, []string{`tool-atomic-group-mismatch t="a"`}},
		{"split in two groups", func(s *S) {
			s.ToolAtomicGroups = []history.AtomicGroup{
				{ID: "g", MessageIDs: []string{"s:1"}, ToolCallIDs: []string{"a"}, Complete: true},
				{ID: "h", MessageIDs: []string{"s:2"}, ToolCallIDs: []string{"a"}, Complete: true},
			}
		}, []string{`tool-atomic-call-overlap t="a"`, `tool-atomic-group-mismatch t="a"`}},
		{"a later group owns an overlapping call", func(s *S) {
			right := *group(s)
			s.ToolAtomicGroups = []history.AtomicGroup{{ID: "g", MessageIDs: []string{"s:2"}, ToolCallIDs: []string{"a"}}, right}
		}, []string{`tool-atomic-message-overlap m="s:2"`, `tool-atomic-call-overlap t="a"`}},
		{"group swallows a plain message", func(s *S) {
			s.Messages = append(s.Messages, message("3", history.Text{Text: "x"}))
			group(s).MessageIDs = append(group(s).MessageIDs, "s:3")
		}, []string{`tool-atomic-group-mismatch t="a"`}},
		{"a mismatch is told once per call", func(s *S) {
			s.Messages = conversation(in(call("b"), call("a")), in(result("a")), in(result("b")))
			s.ToolAtomicGroups = history.AtomicGroups(s.Messages)
			group(s).MessageIDs = group(s).MessageIDs[:2]
		}, []string{`tool-atomic-group-mismatch t="a"`, `tool-atomic-group-mismatch t="b"`}},
		{"calls of one group in different given ones", func(s *S) {
			s.Messages = conversation(in(call("b"), call("a")), in(result("a")), in(result("b")))
			right := history.AtomicGroups(s.Messages)[0]
			s.ToolAtomicGroups = []history.AtomicGroup{
				{ID: "g", MessageIDs: []string{"s:1", "s:2"}, ToolCallIDs: []string{"a"}, Complete: true},
				{ID: "h", MessageIDs: []string{"s:3", "s:2", "s:1"}, ToolCallIDs: []string{"b"}, Complete: right.Complete},
			}
		}, []string{`tool-atomic-message-overlap m="s:2"`, `tool-atomic-message-overlap m="s:1"`, `tool-atomic-group-mismatch t="a"`}},
		{"ids with separators do not run together", func(s *S) {
			s.Messages = conversation(in(call("a")), in(result("a")))
			s.Messages[0].ID, s.Messages[1].ID = "x\x00y", "z"
			s.ToolAtomicGroups = history.AtomicGroups(s.Messages)
			group(s).MessageIDs = []string{"x", "y\x00z"}
		}, []string{`tool-atomic-message-missing m="x"`, `tool-atomic-message-missing m="y\x00z"`, `tool-atomic-group-mismatch t="a"`}},
		{"roles and flags do not matter", func(s *S) {
			first(s).Role = "narrator"
			first(s).Flags.Pinned = history.Null[bool]()
			first(s).Blocks = append(first(s).Blocks, nil)
		}, nil},
		{"everything at once, in order", func(s *S) {
			*s = S{Messages: conversation(in(call("a"), call("a")), in(result("b")))}
			s.Messages[1].ID = "s:1"
			s.ToolAtomicGroups = []history.AtomicGroup{{MessageIDs: []string{"s:1", "s:1", "q"}, ToolCallIDs: []string{"a", "a", "z"}}}
		}, []string{
			"history-schema-incompatible", "history-identity-invalid", "trusted-project-root-missing",
			`history-provenance-invalid m="s:1"`, `history-message-id-duplicate m="s:1"`, `history-provenance-invalid m="s:1"`,
			`tool-call-identity-invalid t="a"`, `tool-result-orphaned t="b"`,
			"tool-atomic-group-invalid", `tool-atomic-message-overlap m="s:1"`, `tool-atomic-message-missing m="q"`, `tool-atomic-call-overlap t="a"`,
			`tool-atomic-group-mismatch t="a"`, `tool-atomic-group-missing t="b"`, `tool-atomic-call-unknown t="z"`,
		}},
	}
	covered := map[history.IssueCode]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := snapshot(conversation(in(call("a")), in(result("a"))))
			tt.change(&s)
			issues := history.Validate(s)
			for _, i := range issues {
				covered[i.Code] = true
			}
			if diff := cmp.Diff(append([]string{}, tt.want...), issueLines(issues)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	for _, code := range history.IssueCodes() {
		if !covered[code] {
			t.Errorf("no case for %s", code)
		}
		delete(covered, code)
	}
	for code := range covered {
		t.Errorf("%s is not in IssueCodes", code)
	}
}

func TestValidateDoesNotChangeItsInput(t *testing.T) {
	s := snapshot(conversation(in(call("b"), call("a")), in(result("a"))))
	slices.Reverse(s.ToolAtomicGroups[0].MessageIDs)
	before := s.Clone()
	history.Validate(s)
	if diff := cmp.Diff(before, s); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}

func TestAdvise(t *testing.T) {
	write := func(id string) history.Block { return history.ToolResult{ToolCallID: id, ToolName: "write"} }
	tests := []struct {
		name     string
		messages []history.Message
		want     []string
	}{
		{"nothing", conversation(in(call("a")), in(result("a"))), nil},
		{"live call", conversation(in(call("a"))), nil},
		{"result before call", conversation(in(result("a")), in(call("a"))), []string{`tool-result-before-call m="s:1" t="a"`}},
		{"result before call in one message", conversation(in(result("a"), call("a"))), []string{`tool-result-before-call m="s:1" t="a"`}},
		{"call before result in one message", conversation(in(call("a"), result("a"))), nil},
		{"three results", conversation(in(call("a")), in(result("a")), in(result("a")), in(result("a"))), []string{`tool-result-repeated m="s:3" t="a"`}},
		{"two results in one message", conversation(in(call("a")), in(result("a"), result("a"))), []string{`tool-result-repeated m="s:2" t="a"`}},
		{"result before and after", conversation(in(result("a")), in(call("a")), in(result("a"))),
			[]string{`tool-result-before-call m="s:1" t="a"`, `tool-result-repeated m="s:3" t="a"`}},
		{"names differ", conversation(in(call("a")), in(write("a"))), []string{`tool-result-name-mismatch m="s:2" t="a"`}},
		{"names differ before the call", conversation(in(write("a")), in(call("a"))),
			[]string{`tool-result-before-call m="s:1" t="a"`, `tool-result-name-mismatch m="s:1" t="a"`}},
		{"order is that of the results", conversation(in(call("b"), call("a")), in(write("a")), in(write("b"))),
			[]string{`tool-result-name-mismatch m="s:2" t="a"`, `tool-result-name-mismatch m="s:3" t="b"`}},
		{"orphans are for Validate", conversation(in(result("a")), in(result("a"))), nil},
		{"repeated calls are for Validate", conversation(in(call("a")), in(result("a")), in(call("a")), in(write("a"))), nil},
	}
	covered := map[history.IssueCode]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			issues := history.Advise(tt.messages)
			for _, i := range issues {
				covered[i.Code] = true
			}
			if diff := cmp.Diff(append([]string{}, tt.want...), issueLines(issues)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	for _, code := range history.AdviceCodes() {
		if !covered[code] || slices.Contains(history.IssueCodes(), code) {
			t.Errorf("%s is not covered, or is a code of Validate", code)
		}
	}
}
