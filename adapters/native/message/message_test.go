package message_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
)

func call(id string) message.Part { return message.Call(id, "read", jsontext.Value(`{"p":"a"}`)) }

func TestJSON(t *testing.T) {
	talk := []message.Message{
		{Role: message.User, Content: []message.Part{message.Text("")}},
		{Role: message.Assistant, Content: []message.Part{message.Text("ü"), call("t1")}},
		{Role: message.User, Content: []message.Part{message.Result("t1", "", false)}},
	}
	text, err := json.Marshal(talk)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"role":"user","content":[{"type":"text","text":""}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"ü"},{"type":"tool-call","id":"t1","name":"read","input":{"p":"a"}}]},` +
		`{"role":"user","content":[{"type":"tool-result","id":"t1","output":"","isError":false}]}]`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	var back []message.Message
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(talk, back); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func TestRefusesParts(t *testing.T) {
	for _, text := range []string{
		`{"type":"image"}`, `{}`, `{"type":"tool-call","id":"","name":"read","input":{}}`, `{"type":"tool-call","id":"t","name":"read","input":"{}"}`,
		`{"type":"tool-call","id":"t","name":"read"}`, `{"type":"tool-result","output":"x"}`, `{"type":"text","text":1}`,
	} {
		var p message.Part
		if json.Unmarshal([]byte(text), &p) == nil {
			t.Errorf("%s was read as %+v", text, p)
		}
	}
}

func TestClosed(t *testing.T) {
	said := func(parts ...message.Part) message.Message {
		return message.Message{Role: message.Assistant, Content: parts}
	}
	user := func(parts ...message.Part) message.Message {
		return message.Message{Role: message.User, Content: parts}
	}
	late := message.Result("t1", message.Unanswered, true)
	for _, c := range []struct {
		name     string
		in, want []message.Message
	}{
		{"nothing", nil, []message.Message{}},
		{"whole", []message.Message{message.FromUser("a"), said(call("t1")), user(message.Result("t1", "x", false))},
			[]message.Message{message.FromUser("a"), said(call("t1")), user(message.Result("t1", "x", false))}},
		{"open at the end", []message.Message{message.FromUser("a"), said(call("t1"))}, []message.Message{message.FromUser("a"), said(call("t1")), user(late)}},
		{"open before the user", []message.Message{said(call("t1")), message.FromUser("b")}, []message.Message{said(call("t1")), user(late, message.Text("b"))}},
		{"open before the assistant", []message.Message{said(call("t1")), said(message.Text("b"))}, []message.Message{said(call("t1")), user(late), said(message.Text("b"))}},
		{"one of two", []message.Message{said(call("t1"), call("t2")), user(message.Result("t2", "x", false))},
			[]message.Message{said(call("t1"), call("t2")), user(late, message.Result("t2", "x", false))}},
		{"twice", []message.Message{said(call("t1")), user(message.Result("t1", "x", false), message.Result("t1", "y", false))},
			[]message.Message{said(call("t1")), user(message.Result("t1", "x", false))}},
		{"of nothing", []message.Message{user(message.Result("t9", "x", false)), message.FromUser("b")}, []message.Message{message.FromUser("b")}},
		{"behind text", []message.Message{said(call("t1")), user(message.Text("b"), message.Result("t1", "x", false))},
			[]message.Message{said(call("t1")), user(message.Result("t1", "x", false), message.Text("b"))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := message.Closed(c.in)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("closed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(got, message.Closed(got)); diff != "" {
				t.Errorf("closed again (-once +twice):\n%s", diff)
			}
		})
	}
}

func TestBound(t *testing.T) {
	// Each group is a question, a call, its result and an answer.
	group := func(size int) []message.Message {
		return []message.Message{
			message.FromUser(strings.Repeat("😀", size/2)), // two units each
			{Role: message.Assistant, Content: []message.Part{call("t1")}},
			{Role: message.User, Content: []message.Part{message.Result("t1", "x", false)}},
			{Role: message.Assistant, Content: []message.Part{message.Text("done")}},
		}
	}
	var talk []message.Message
	for range 5 {
		talk = append(talk, group(1000)...)
	}
	for _, c := range []struct{ limit, groups int }{{1 << 20, 5}, {4000, 3}, {2500, 2}, {1250, 1}, {1, 1}} {
		if got := message.Bound(talk, c.limit); len(got) != 4*c.groups {
			t.Errorf("limit %d: %d messages, want %d", c.limit, len(got), 4*c.groups)
		} else if got[0].Content[0].Kind != message.KindText {
			t.Errorf("limit %d: it begins within a group", c.limit)
		}
	}
	if got := message.Bound(talk[1:4], 1); len(got) != 3 {
		t.Errorf("a history without a beginning lost %d messages", 3-len(got))
	}
}
