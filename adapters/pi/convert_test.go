package pi_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// canonical is JSON to compare by.
func canonical(t *testing.T, text string) string {
	t.Helper()
	v := jsontext.Value(text)
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if err := v.Indent(); err != nil {
		t.Fatal(err)
	}
	return string(v)
}

// Each entry becomes a message, or none.
func TestConvert(t *testing.T) {
	// want is the message without what all of them have.
	message := func(role, native, rest string) string {
		return `{"id":"s1:e1","sourceEntryId":"e1","role":"` + role + `",` + rest +
			`,"provenance":{"source":"pi-session","sessionId":"s1","entryId":"e1","originalRole":"` + native + `"}}`
	}
	const entryTime = `"createdAt":1800000001500`
	call := say("c0", "null", `{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"read","arguments":{}}]}`)
	for _, c := range []struct {
		name   string
		before string // an entry above; its message is not compared
		entry  string
		want   string // empty: no message
	}{
		{
			name:  "text as a string",
			entry: say("e1", "null", `{"role":"user","content":" hello \n","timestamp":1700000000123}`),
			want:  message("user", "user", `"blocks":[{"type":"text","text":" hello \n"}],"createdAt":1700000000123,"flags":{}`),
		},
		{
			name:  "text in blocks, with an image and what is not known",
			entry: say("e1", "null", `{"role":"user","content":[{"type":"text","text":"a","textSignature":"sig"},{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"video","url":"u"},7,{"text":"no type"}]}`),
			want: message("user", "user", entryTime+`,"blocks":[{"type":"text","text":"a","textSignature":"sig"},
				{"type":"image","data":"aGk=","mimeType":"image/png"},
				{"type":"opaqueProvider","originalType":"video","value":{"type":"video","url":"u"}},
				{"type":"opaqueProvider","value":7},{"type":"opaqueProvider","value":{"text":"no type"}}],"flags":{}`),
		},
		{
			name:  "known types in another shape",
			entry: say("e1", "null", `{"role":"user","content":[{"type":"text","text":1},{"type":"image","data":null},{"type":"thinking"},{"type":"image","source":{"url":"u"}}]}`),
			want: message("user", "user", entryTime+`,"blocks":[{"type":"opaqueProvider","originalType":"text","value":{"type":"text","text":1}},
				{"type":"opaqueProvider","originalType":"image","value":{"type":"image","data":null}},
				{"type":"opaqueProvider","originalType":"thinking","value":{"type":"thinking"}},
				{"type":"image","source":{"url":"u"}}],"flags":{}`),
		},
		{
			name:  "an answer",
			entry: say("e1", "null", `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"toolCall","id":"t1","name":"read","arguments":{"n": 12345678901234567890}}],"api":"x","provider":"p","model":"m","stopReason":"toolUse","timestamp":5}`),
			want: message("assistant", "assistant", `"blocks":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"toolCall","id":"t1","name":"read","arguments":{"n":12345678901234567890}}],
				"createdAt":5,"provider":"p","model":"m","flags":{"atomic":true},"api":"x","stopReason":"toolUse"`),
		},
		{
			name:   "a result: texts joined, then images",
			before: call,
			entry:  say("e1", "c0", `{"role":"toolResult","toolCallId":"t1","toolName":"read","content":[{"type":"text","text":"a"},{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"text","text":"b"}],"isError":true,"details":{"x":1}}`),
			want: message("tool", "toolResult", entryTime+`,"blocks":[{"type":"toolResult","toolCallId":"t1","toolName":"read","content":"a\nb","isError":true},
				{"type":"image","data":"aGk=","mimeType":"image/png"}],"flags":{"atomic":true},"details":{"x":1}`),
		},
		{
			name:   "a result that says nothing, and no plain error",
			before: call,
			entry:  say("e1", "c0", `{"role":"toolResult","toolCallId":"t1","toolName":"read","content":[],"isError":"true"}`),
			want:   message("tool", "toolResult", entryTime+`,"blocks":[{"type":"toolResult","toolCallId":"t1","toolName":"read","content":"","isError":false}],"flags":{"atomic":true}`),
		},
		{
			name:  "a command of the user",
			entry: say("e1", "null", `{"role":"bashExecution","command":"ls","output":"a\nb","exitCode":0,"cancelled":false}`),
			want:  message("tool", "bashExecution", entryTime+`,"blocks":[{"type":"text","text":"ls"},{"type":"text","text":"a\nb"}],"flags":{},"exitCode":0,"cancelled":false`),
		},
		{
			name:  "a command that is kept from the model",
			entry: say("e1", "null", `{"role":"bashExecution","command":"env","output":"","excludeFromContext":true}`),
			want:  message("tool", "bashExecution", entryTime+`,"blocks":[{"type":"text","text":"env"},{"type":"text","text":""}],"flags":{"localOnly":true},"excludeFromContext":true`),
		},
		{
			name:  "a role that is not known, and fields with names of our own",
			entry: say("e1", "null", `{"role":"narrator","content":"so","id":"x","flags":1,"blocks":2,"provenance":3,"tokenEstimate":4,"createdAt":5,"sourceEntryId":6,"provider":7,"mood":"odd"}`),
			want:  message("custom", "narrator", entryTime+`,"blocks":[{"type":"text","text":"so"}],"flags":{},"mood":"odd"`),
		},
		{
			name:  "no content",
			entry: say("e1", "null", `{"role":"system"}`),
			want:  message("system", "system", entryTime+`,"blocks":[],"flags":{}`),
		},
		{
			name:  "no time",
			entry: `{"type":"message","id":"e1","parentId":null,"timestamp":"yesterday","message":{"role":"user","content":"","timestamp":"now"}}`,
			want:  message("user", "user", `"blocks":[{"type":"text","text":""}],"flags":{}`),
		},
		{
			name:  "a message of an extension",
			entry: `{"type":"custom_message","id":"e1","parentId":null,"timestamp":"2027-01-15T08:00:01.500Z","customType":"ext","content":[{"type":"text","text":"note"}],"display":false}`,
			want:  message("custom", "custom", entryTime+`,"blocks":[{"type":"text","text":"note"}],"flags":{},"customType":"ext","display":false`),
		},
		{
			name:  "a compaction",
			entry: `{"type":"compaction","id":"e1","parentId":null,"timestamp":"2027-01-15T08:00:01.500Z","summary":"so far","firstKeptEntryId":"e0","tokensBefore":9}`,
			want:  message("custom", "compactionSummary", entryTime+`,"blocks":[{"type":"text","text":"so far"}],"flags":{},"firstKeptEntryId":"e0","tokensBefore":9`),
		},
		{
			name:  "an abandoned branch",
			entry: `{"type":"branch_summary","id":"e1","parentId":null,"timestamp":"2027-01-15T08:00:01.500Z","fromId":"x","summary":"tried"}`,
			want:  message("custom", "branchSummary", entryTime+`,"blocks":[{"type":"text","text":"tried"}],"flags":{},"fromId":"x"`),
		},
		{name: "a change of model", entry: `{"type":"model_change","id":"e1","parentId":null,"provider":"p","modelId":"m"}`},
		{name: "a thinking level", entry: `{"type":"thinking_level_change","id":"e1","parentId":null,"thinkingLevel":"off"}`},
		{name: "the state of an extension", entry: `{"type":"custom","id":"e1","parentId":null,"customType":"ext","data":{}}`},
		{name: "a label", entry: `{"type":"label","id":"e1","parentId":null,"targetId":"x","label":"l"}`},
		{name: "a name", entry: `{"type":"session_info","id":"e1","parentId":null,"name":"n"}`},
		{name: "a type that is not known", entry: `{"type":"from_tomorrow","id":"e1","parentId":null,"message":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			entries := []string{c.entry}
			if c.before != "" {
				entries = []string{c.before, c.entry}
			}
			p.lay(t, entries...)
			s := snapshot(t, p.adapter(t))
			got := s.Messages[min(len(s.Messages), len(entries)-1):]
			if c.want == "" {
				if len(got) > 0 {
					t.Errorf("%d messages, want none", len(got))
				}
				return
			}
			if len(got) != 1 {
				t.Fatalf("%d messages, want one", len(got))
			}
			b, err := history.MarshalMessage(got[0])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(canonical(t, c.want), canonical(t, string(b))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whole numbers keep their digits and strings their escapes; white space between
// them goes.
func TestValuesKeepTheirText(t *testing.T) {
	p := newPlace(t)
	p.lay(t, say("e1", "null", `{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"n","arguments":{ "n": 12345678901234567890, "s": "\u0041" }}],"mood": [ 1, "\u0041" ]}`))
	m := snapshot(t, p.adapter(t)).Messages[0]
	if got, want := m.Blocks[0].(history.ToolCall).Arguments, history.JSON(`{"n":12345678901234567890,"s":"\u0041"}`); got != want {
		t.Errorf("arguments %s, want %s", got, want)
	}
	if got, want := m.Extra[0].Value, history.JSON(`[1,"\u0041"]`); got != want {
		t.Errorf("mood %s, want %s", got, want)
	}
}

// A compaction shortens what Pi sends, not the history.
func TestCompactionDropsNothing(t *testing.T) {
	p := newPlace(t)
	p.lay(t,
		user("e1", "null", "old"),
		user("e2", "e1", "kept"),
		`{"type":"compaction","id":"e3","parentId":"e2","timestamp":"2027-01-15T08:00:01.500Z","summary":"so far","firstKeptEntryId":"e2","tokensBefore":9}`,
		user("e4", "e3", "new"))
	if got := ids(snapshot(t, p.adapter(t))); got != "e1 e2 e3 e4" {
		t.Errorf("messages %s", got)
	}
}

// Calls and results of one batch are one group; a call that was aborted is open.
func TestToolPairing(t *testing.T) {
	p := newPlace(t)
	result := func(id, parent, call string) string {
		return say(id, parent, `{"role":"toolResult","toolCallId":"`+call+`","toolName":"read","content":[{"type":"text","text":"x"}],"isError":false}`)
	}
	p.lay(t,
		say("e1", "null", `{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"read","arguments":{}},{"type":"toolCall","id":"b","name":"read","arguments":{}}]}`),
		result("e2", "e1", "b"), result("e3", "e2", "a"),
		say("e4", "e3", `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{}}],"stopReason":"aborted"}`))
	var got []string
	for _, g := range snapshot(t, p.adapter(t)).ToolAtomicGroups {
		state := "open"
		if g.Complete {
			state = "complete"
		}
		got = append(got, strings.Join(g.MessageIDs, "+")+" "+state)
	}
	if diff := cmp.Diff([]string{"s1:e1+s1:e2+s1:e3 complete", "s1:e4 open"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
