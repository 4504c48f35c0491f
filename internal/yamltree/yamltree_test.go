package yamltree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text string) *Node {
	t.Helper()
	n, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestParse(t *testing.T) {
	at := func(line, col int) Position { return Position{Line: line, Col: col} }
	got := parse(t, "a: [1, \"x\"]\nb:\n  c: true\n  d: |\n    long\n  e: null\n")
	want := &Node{
		Kind: Map, At: at(1, 1), Keys: []Label{{"a", at(1, 1)}, {"b", at(2, 1)}},
		Items: []*Node{
			{Kind: List, At: at(1, 4), Items: []*Node{
				{Kind: Number, At: at(1, 5), Text: "1"}, {Kind: Text, At: at(1, 8), Text: "x"},
			}},
			{
				Kind: Map, At: at(3, 3), Keys: []Label{{"c", at(3, 3)}, {"d", at(4, 3)}, {"e", at(6, 3)}},
				Items: []*Node{
					{Kind: Bool, At: at(3, 6), Text: "true"}, {Kind: Text, At: at(4, 6), Text: "long\n"}, {Kind: Null, At: at(6, 6)},
				},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := parse(t, "# nothing\n"); n != nil {
		t.Errorf("a file of comments is %+v", n)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"anchor":           {"a: &x 1\n", "1:4: anchors and aliases"},
		"tag":              {"a: !!str 1\n", "1:4: tags"},
		"number as key":    {"1: a\n", "1:1: key 1: want text, quote it"},
		"two documents":    {"a: 1\n---\nb: 1\n", "3:1: second document"},
		"not UTF-8":        {"a: 1\nb: \xff\n", "2:4: not UTF-8"},
		"infinite":         {"a: .inf\n", "1:4: "},
		"nested for ever":  {strings.Repeat("[", 400) + strings.Repeat("]", 400), "nested deeper than 200"},
		"not YAML":         {"a: [\n", "1:4: "},
		"indented by tabs": {"a:\n\tb: 1\n", "2:1: "},
	} {
		if _, err := Parse([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
	}
}

// What is not as it should be is told with its place, and what was expected.
func TestReading(t *testing.T) {
	n := parse(t, "text: hello\nempty: ''\nnumber: 7\nflag: true\nlist: [a, 7]\n")
	call := func(key string, f func(*Node) error) error { return f(n.Get(key)) }
	text := func(n *Node) error { _, err := n.String("it"); return err }
	list := func(n *Node) error { _, err := n.Strings("it"); return err }
	flag := func(n *Node) error { _, err := n.Flag("it"); return err }
	word := func(n *Node) error { _, err := n.Word("it", "helo", "bye"); return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{call("text", text), ""},
		{call("empty", text), "2:8: it: the text is empty"},
		{call("number", text), "3:9: it: found a number 7, want text, quote it"},
		{call("list", text), "5:7: it: found a list, want text"},
		{call("list", list), "5:11: it: found a number 7, want text, quote it"},
		{call("text", list), "1:7: it: found text, want a list of texts"},
		{call("flag", flag), ""},
		{call("text", flag), "1:7: it: found text, want true or false"},
		{call("text", word), `1:7: it: unknown word "hello", did you mean "helo"?`},
		{n.Fields("it", "text", "empty", "number", "flag", "list"), ""},
		{n.Fields("it", "text", "empty", "numbers", "flag", "list"), `3:1: it: unknown key "number", did you mean "numbers"?`},
		{n.Get("text").Fields("it", "a", "b"), "1:7: it: found text, want a map with a, b"},
		{Schema(n, "s-v1"), `1:1: missing schema, want a line "schema: s-v1"`},
	} {
		got := ""
		if tt.err != nil {
			got = tt.err.Error()
		}
		if got != tt.want {
			t.Errorf("error %q, want %q", got, tt.want)
		}
	}
	if n.Get("missing") != nil || n.Get("text").Get("x") != nil {
		t.Error("a key that is not there has a value")
	}
}
