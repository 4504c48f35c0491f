package history_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// Parts of a message in its written form.
const (
	provenanceText = `"provenance":{"source":"runtime-session","sessionId":"s","entryId":"1","runtimeId":"rt"}`
	headText       = `"id":"s:1","sourceEntryId":"1","role":"user"`
)

// withBlocks is a whole message with the given blocks.
func withBlocks(blocks ...string) string {
	return `{` + headText + `,"blocks":[` + strings.Join(blocks, ",") + `],` + provenanceText + `,"flags":{}}`
}

func TestMessagesSurviveARoundTrip(t *testing.T) {
	tests := map[string]string{
		"smallest": withBlocks(),
		"every block": withBlocks(
			`{"type":"text","text":""}`,
			`{"type":"thinking","thinking":"hm"}`,
			`{"type":"toolCall","id":"a","name":"read","arguments":{"b":1,"a":[1.50,-0,1e2,1E+400]}}`,
			`{"type":"toolCall","id":"b","name":""}`,
			`{"type":"toolCall","id":"c","name":"","arguments":null}`,
			`{"type":"toolResult","toolCallId":"a","toolName":"read","content":"A","isError":false}`,
			`{"type":"image"}`,
			`{"type":"image","mimeType":"image/png","data":""}`,
			`{"type":"fileReference","path":"p"}`,
			`{"type":"artifactReference","artifactId":"x"}`,
			`{"type":"summaryReference","summaryId":"y"}`,
			`{"type":"opaqueProvider","value":null}`,
			`{"type":"opaqueProvider","originalType":null,"value":[{"type":"odd"}]}`,
			`{"type":"opaqueProvider","originalType":"x","value":"v"}`,
		),
		"unknown fields everywhere": `{` + headText + `,"blocks":[{"type":"text","text":"t","cache_control":{"z":1,"a":"\u0041\/"}},{"type":"image","":[]}],` +
			`"provenance":{"source":"pi-session","sessionId":"s","entryId":"1","originalRole":"toolResult","branch":null},` +
			`"flags":{"pinned":true,"starred":false},"later":12345678901234567890,"😀":"\ud83d\ude00"}`,
		"optional fields null":           `{` + headText + `,"blocks":[],"createdAt":null,"provider":null,"model":null,` + provenanceText + `,"tokenEstimate":null,"flags":{"pinned":null,"atomic":false,"localOnly":true}}`,
		"optional fields of other types": `{` + headText + `,"blocks":[],"createdAt":"2026-01-01","provider":7,"model":["m"],` + provenanceText + `,"tokenEstimate":"8","flags":{"synthetic":"yes"}}`,
		"optional fields set":            `{` + headText + `,"blocks":[],"createdAt":1.7e12,"provider":"p","model":"m",` + provenanceText + `,"tokenEstimate":8.0,"flags":{"pinned":true,"atomic":true,"localOnly":true,"synthetic":true}}`,
		"text of every kind":             withBlocks(`{"type":"text","text":"<&>\u0000\u001f\"\\` + "\u2028\u2029\u007f😀\ufeff" + `"}`),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			m, err := history.ParseMessage([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := history.MarshalMessage(m)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			again, err := history.ParseMessage(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m, again); diff != "" {
				t.Errorf("second reading (-want +got)\n%s", diff)
			}
			if !history.SameMessage(m, again) || !history.SameMessage(m, m.Clone()) {
				t.Error("not the same message")
			}
		})
	}
}

func TestParseMessageFillsTheFields(t *testing.T) {
	text := ` {"flags":{"atomic":true,"x":1},"tokenEstimate":12,"blocks":[ {"name":"read","extra":"e", "arguments":{"p" : "a b"},"id":"a","type":"toolCall"} ],
		"role":"assistant","provenance":{"entryId":"1","sessionId":"s","source":"runtime-session","runtimeId":"rt"},"model":"m","sourceEntryId":"1","i\u0064":"s:\u0031"}
	`
	data := []byte(text)
	got, err := history.ParseMessage(data)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != text {
		t.Error("reading changed the input")
	}
	clear(data) // what was read must not depend on it
	want := message("1", history.ToolCall{ID: "a", Name: "read", Arguments: `{"p":"a b"}`, Extra: history.Members{{Name: "extra", Value: `"e"`}}})
	want.Role = history.Assistant
	want.TokenEstimate = history.Some(12.0)
	want.Model = history.Some("m")
	want.Flags = history.Flags{Atomic: history.Some(true), Extra: history.Members{{Name: "x", Value: "1"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if v, ok := got.Flags.Extra.Get("x"); v != "1" || !ok {
		t.Errorf("extra flag x is %q, %v", v, ok)
	}
	if v, ok := got.Flags.Extra.Get("y"); v != "" || ok {
		t.Errorf("extra flag y is %q, %v", v, ok)
	}
}

func TestParseMessageRefuses(t *testing.T) {
	without := func(field string) string {
		var all map[string]any
		if err := json.Unmarshal([]byte(withBlocks()), &all); err != nil {
			t.Fatal(err)
		}
		delete(all, field)
		b, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	with := func(old, text string) string {
		if !strings.Contains(withBlocks(), old) {
			t.Fatalf("%s is not there", old)
		}
		return strings.Replace(withBlocks(), old, text, 1)
	}
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	tests := []struct {
		name, text string
		field      string
		problem    history.Problem
	}{
		{"nothing", "", "", history.ProblemSyntax},
		{"null", "null", "", history.ProblemType},
		{"list", "[]", "", history.ProblemType},
		{"cut", withBlocks()[:20], "", history.ProblemSyntax},
		{"two values", withBlocks() + withBlocks(), "", history.ProblemSyntax},
		{"garbage after", withBlocks() + "x", "", history.ProblemSyntax},
		{"byte order mark", "\ufeff" + withBlocks(), "", history.ProblemSyntax},
		{"duplicate name", with(`"flags":{}`, `"flags":{},"flags":{}`), "", history.ProblemDuplicate},
		{"duplicate name, escaped", with(`"flags":{}`, `"flags":{},"fl\u0061gs":{}`), "", history.ProblemDuplicate},
		{"duplicate name inside", with(`"flags":{}`, `"flags":{},"x":{"a":1,"a":1}`), "(unknown)", history.ProblemDuplicate},
		{"invalid UTF-8", withBlocks("{\"type\":\"text\",\"text\":\"\xff\"}"), "blocks[0].text", history.ProblemSyntax},
		{"half a surrogate pair", withBlocks(`{"type":"text","text":"\ud83d"}`), "blocks[0].text", history.ProblemSyntax},
		{"too deep", with(`"flags":{}`, `"flags":{},"x":`+deep), "(unknown)", history.ProblemSyntax},
		{"no id", without("id"), "id", history.ProblemMissing},
		{"no sourceEntryId", without("sourceEntryId"), "sourceEntryId", history.ProblemMissing},
		{"no role", without("role"), "role", history.ProblemMissing},
		{"no blocks", without("blocks"), "blocks", history.ProblemMissing},
		{"no provenance", without("provenance"), "provenance", history.ProblemMissing},
		{"no flags", without("flags"), "flags", history.ProblemMissing},
		{"id is a number", with(`"s:1"`, `1`), "id", history.ProblemType},
		{"id is null", with(`"s:1"`, `null`), "id", history.ProblemType},
		{"unknown role", with(`"user"`, `"developer"`), "role", history.ProblemValue},
		{"role is null", with(`"user"`, `null`), "role", history.ProblemType},
		{"blocks is an object", with(`[]`, `{}`), "blocks", history.ProblemType},
		{"flags is a list", with(`"flags":{}`, `"flags":[]`), "flags", history.ProblemType},
		{"flags is null", with(`"flags":{}`, `"flags":null`), "flags", history.ProblemType},
		{"provenance is null", with(provenanceText, `"provenance":null`), "provenance", history.ProblemType},
		{"unknown source", with(`"runtime-session"`, `"codex-session"`), "provenance.source", history.ProblemValue},
		{"no source", with(`"source":"runtime-session",`, ``), "provenance.source", history.ProblemMissing},
		{"sessionId is a number", with(`"sessionId":"s"`, `"sessionId":1`), "provenance.sessionId", history.ProblemType},
		{"no entryId", with(`"entryId":"1",`, ``), "provenance.entryId", history.ProblemMissing},
		{"runtimeId is null", with(`"rt"`, `null`), "provenance.runtimeId", history.ProblemType},
		{"block is null", withBlocks(`null`), "blocks[0]", history.ProblemType},
		{"block without type", withBlocks(`{"text":"t"}`), "blocks[0].type", history.ProblemMissing},
		{"block type is a number", withBlocks(`{"type":1}`), "blocks[0].type", history.ProblemType},
		{"unknown block type", withBlocks(`{"type":"text","text":""}`, `{"type":"audio"}`), "blocks[1].type", history.ProblemValue},
		{"block type in another case", withBlocks(`{"type":"Text","text":""}`), "blocks[0].type", history.ProblemValue},
		{"text missing", withBlocks(`{"type":"text"}`), "blocks[0].text", history.ProblemMissing},
		{"text is null", withBlocks(`{"type":"text","text":null}`), "blocks[0].text", history.ProblemType},
		{"thinking is a list", withBlocks(`{"type":"thinking","thinking":[]}`), "blocks[0].thinking", history.ProblemType},
		{"call without id", withBlocks(`{"type":"toolCall","name":"n"}`), "blocks[0].id", history.ProblemMissing},
		{"call without name", withBlocks(`{"type":"toolCall","id":"a"}`), "blocks[0].name", history.ProblemMissing},
		{"result without content", withBlocks(`{"type":"toolResult","toolCallId":"a","toolName":"n","isError":false}`), "blocks[0].content", history.ProblemMissing},
		{"result content is a list", withBlocks(`{"type":"toolResult","toolCallId":"a","toolName":"n","content":[],"isError":false}`), "blocks[0].content", history.ProblemType},
		{"result without isError", withBlocks(`{"type":"toolResult","toolCallId":"a","toolName":"n","content":""}`), "blocks[0].isError", history.ProblemMissing},
		{"isError is a number", withBlocks(`{"type":"toolResult","toolCallId":"a","toolName":"n","content":"","isError":0}`), "blocks[0].isError", history.ProblemType},
		{"image data is null", withBlocks(`{"type":"image","data":null}`), "blocks[0].data", history.ProblemType},
		{"image type is a number", withBlocks(`{"type":"image","mimeType":1}`), "blocks[0].mimeType", history.ProblemType},
		{"path missing", withBlocks(`{"type":"fileReference"}`), "blocks[0].path", history.ProblemMissing},
		{"artifactId missing", withBlocks(`{"type":"artifactReference"}`), "blocks[0].artifactId", history.ProblemMissing},
		{"summaryId missing", withBlocks(`{"type":"summaryReference"}`), "blocks[0].summaryId", history.ProblemMissing},
		{"opaque value missing", withBlocks(`{"type":"opaqueProvider","originalType":"x"}`), "blocks[0].value", history.ProblemMissing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := history.ParseMessage([]byte(tt.text))
			shape, ok := errors.AsType[*history.ShapeError](err)
			if !ok {
				t.Fatalf("got %v, want a ShapeError", err)
			}
			if shape.Field != tt.field || shape.Problem != tt.problem || shape.What != "message" {
				t.Errorf("got %q %q in %q, want %q %q: %v", shape.Field, shape.Problem, shape.What, tt.field, tt.problem, err)
			}
		})
	}
}

func TestErrorsHoldNoContent(t *testing.T) {
	const secret = "sk-canary-12345678"
	for _, text := range []string{
		withBlocks(`{"type":"` + secret + `"}`),
		withBlocks(`{"type":"text","` + secret + `":` + secret + `}`),
		`{"` + secret + `":{"a":1,"a":"` + secret + `"}}`,
		strings.Replace(withBlocks(), `"user"`, `"`+secret+`"`, 1),
	} {
		if _, err := history.ParseMessage([]byte(text)); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("got %v", err)
		}
	}
	m := message("1", history.Text{Extra: history.Members{{Name: secret, Value: secret}}})
	if _, err := history.MarshalMessage(m); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("got %v", err)
	}
}

func TestErrorReadsWell(t *testing.T) {
	_, err := history.ParseMessage([]byte(withBlocks(`{"type":"text","text":5}`)))
	want := "message, field blocks[0].text, near byte 80: wrong-type: want a string"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestMarshalMessageRefuses(t *testing.T) {
	change := func(f func(*history.Message)) history.Message {
		m := message("1")
		f(&m)
		return m
	}
	deep := history.JSON(strings.Repeat("[", 9_995) + strings.Repeat("]", 9_995))
	tests := []struct {
		name  string
		m     history.Message
		field string
	}{
		{"invalid UTF-8", change(func(m *history.Message) { m.ID = "\xff" }), "id"},
		{"no role", change(func(m *history.Message) { m.Role = "" }), "role"},
		{"unknown source", change(func(m *history.Message) { m.Provenance.Source = "x" }), "provenance.source"},
		{"runtime id is null", change(func(m *history.Message) { m.Provenance.RuntimeID = history.Null[string]() }), "provenance.runtimeId"},
		{"nil block", message("1", history.Text{}, nil), "blocks[1]"},
		{"arguments are not JSON", message("1", history.ToolCall{Arguments: "{"}), "blocks[0].arguments"},
		{"arguments are two values", message("1", history.ToolCall{Arguments: "1 2"}), "blocks[0].arguments"},
		{"arguments have a name twice", message("1", history.ToolCall{Arguments: `{"a":1,"a":2}`}), "blocks[0].arguments"},
		{"arguments are too deep", message("1", history.ToolCall{Arguments: deep}), "blocks[0].arguments"},
		{"opaque value is blank", message("1", history.OpaqueProvider{Value: " "}), "blocks[0].value"},
		{"image data is null", message("1", history.Image{Data: history.Null[string]()}), "blocks[0].data"},
		{"extra has no value", change(func(m *history.Message) { m.Extra = history.Members{{Name: "x"}} }), "(unknown)"},
		{"extra twice", change(func(m *history.Message) { m.Extra = history.Members{{"x", "1"}, {"x", "1"}} }), "(unknown)"},
		{"extra has a name of the contract", change(func(m *history.Message) { m.Extra = history.Members{{"role", "1"}} }), "role"},
		{"extra has the name of an absent field", change(func(m *history.Message) { m.Extra = history.Members{{"createdAt", "1"}} }), "createdAt"},
		{"extra of a block is called type", message("1", history.Image{Extra: history.Members{{"type", "1"}}}), "blocks[0].type"},
		{"extra of flags", change(func(m *history.Message) { m.Flags.Extra = history.Members{{"pinned", "true"}} }), "flags.pinned"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dst := []byte("before")
			got, err := history.AppendMessage(dst, tt.m)
			shape, ok := errors.AsType[*history.ShapeError](err)
			if !ok {
				t.Fatalf("got %s and %v, want a ShapeError", got, err)
			}
			if shape.Field != tt.field || shape.What != "message" {
				t.Errorf("got field %q, want %q: %v", shape.Field, tt.field, err)
			}
			if string(got) != "before" {
				t.Errorf("dst is now %q", got)
			}
			if history.SameMessage(tt.m, tt.m) {
				t.Error("a message that cannot be written is the same as itself")
			}
		})
	}
}

func TestMarshalMessageWritesOneLine(t *testing.T) {
	m := message("1", history.ToolCall{ID: "a", Arguments: " {\n \"a\" : [ 1 ,\r\n 2 ] } "}, history.OpaqueProvider{})
	m.Extra = history.Members{{"x", "\t[ ]\n"}}
	got, err := history.MarshalMessage(m)
	if err != nil {
		t.Fatal(err)
	}
	want := `{` + headText + `,"blocks":[{"type":"toolCall","id":"a","name":"","arguments":{"a":[1,2]}},{"type":"opaqueProvider","value":null}],` + provenanceText + `,"flags":{},"x":[]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSameMessage(t *testing.T) {
	base := `{` + headText + `,"blocks":[{"type":"toolCall","id":"a","name":"n","arguments":{"x":1,"y":"A"}}],` + provenanceText + `,"flags":{},"tokenEstimate":100,"u":1,"v":2}`
	tests := []struct {
		old, text string
		same      bool
	}{
		{`100`, `1e2`, true},
		{`100`, `100.0`, true},
		{`"A"`, `"\u0041"`, true},
		{`{"x":1,"y":"A"}`, `{"y":"A","x":1}`, true},
		{`"u":1,"v":2`, `"v":2,"u":1`, true},
		{`100`, `101`, false},
		{`,"tokenEstimate":100`, ``, false},
		{`100`, `null`, false},
		{`"flags":{}`, `"flags":{"pinned":false}`, false},
		{`"u":1`, `"u":null`, false},
		{`,"arguments":{"x":1,"y":"A"}`, ``, false},
		{`"name":"n"`, `"name":"m"`, false},
		{`"user"`, `"tool"`, false},
	}
	a, err := history.ParseMessage([]byte(base))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		b, err := history.ParseMessage([]byte(strings.Replace(base, tt.old, tt.text, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := history.SameMessage(a, b); got != tt.same {
			t.Errorf("%s for %s: same is %v", tt.text, tt.old, got)
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(withBlocks(`{"type":"toolCall","id":"a","name":"read","arguments":{"b":[1.50,-0]},"x":null}`)))
	f.Add([]byte(withBlocks(`{"type":"image","data":"\u0041"}`, `{"value":{},"type":"opaqueProvider"}`)))
	f.Add([]byte(`{"id":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := history.ParseMessage(data)
		if err != nil {
			if _, ok := errors.AsType[*history.ShapeError](err); !ok {
				t.Fatalf("not a ShapeError: %v", err)
			}
			return
		}
		text, err := history.MarshalMessage(m)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, err := history.ParseMessage(text)
		if err != nil {
			t.Fatalf("written but not read: %v\n%s", err, text)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		if strings.ContainsAny(string(text), "\n\r") {
			t.Fatalf("more than one line: %q", text)
		}
	})
}

func TestSnapshotRoundTrip(t *testing.T) {
	s := snapshot(fixture())
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := history.ParseSnapshot(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var within struct{ A history.Snapshot }
	if err := json.Unmarshal(fmt.Appendf(nil, `{"A":%s}`, text), &within); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, within.A); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseSnapshotRefuses(t *testing.T) {
	const whole = `{"schemaVersion":"v","runtimeId":"","sessionId":"","revision":"","projectRoot":"","messages":[],"toolAtomicGroups":[{"id":"g","messageIds":["m"],"toolCallIds":[],"complete":true,"x":1}],"x":{}}`
	if _, err := history.ParseSnapshot([]byte(whole)); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, old, text string
		field           string
		problem         history.Problem
	}{
		{"empty", whole, `{}`, "schemaVersion", history.ProblemMissing},
		{"undefined", whole, `null`, "", history.ProblemType},
		{"two", whole, whole + "1", "", history.ProblemSyntax},
		{"revision missing", `"revision":"",`, ``, "revision", history.ProblemMissing},
		{"groups missing", `"toolAtomicGroups"`, `"groups"`, "toolAtomicGroups", history.ProblemMissing},
		{"messages null", `[]`, `null`, "messages", history.ProblemType},
		{"message", `"messages":[]`, `"messages":[` + withBlocks() + `,{"id":1}]`, "messages[1].id", history.ProblemType},
		{"block", `"messages":[]`, `"messages":[` + withBlocks(`{"type":"x"}`) + `]`, "messages[0].blocks[0].type", history.ProblemValue},
		{"group id", `"g"`, `7`, "toolAtomicGroups[0].id", history.ProblemType},
		{"group message id", `"m"`, `"m",null`, "toolAtomicGroups[0].messageIds[1]", history.ProblemType},
		{"complete missing", `,"complete":true`, ``, "toolAtomicGroups[0].complete", history.ProblemMissing},
		{"complete is a string", `true`, `"true"`, "toolAtomicGroups[0].complete", history.ProblemType},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := history.ParseSnapshot([]byte(strings.Replace(whole, tt.old, tt.text, 1)))
			shape, ok := errors.AsType[*history.ShapeError](err)
			if !ok || shape.Field != tt.field || shape.Problem != tt.problem || shape.What != "snapshot" {
				t.Errorf("got %+v, want %q %q", err, tt.field, tt.problem)
			}
		})
	}
}
