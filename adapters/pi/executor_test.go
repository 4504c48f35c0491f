package pi

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

func TestExecutorOptionsAreChecked(t *testing.T) {
	for _, env := range []string{"", "=x", "secret-value"} {
		_, err := NewExecutor(ExecutorOptions{Env: []string{"A=b", env}}).Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s"})
		if err == nil || !strings.Contains(err.Error(), "entry 2") || env != "" && strings.Contains(err.Error(), env) {
			t.Errorf("%q: %v", env, err)
		}
	}
}

func TestExecutorArguments(t *testing.T) {
	request := oneshot.Request[kept]{Model: "p/m", Blocklist: []string{"bash", "write"}}
	for name, c := range map[string]struct {
		o    ExecutorOptions
		from kept
		want []string
	}{
		"new":      {want: []string{"--mode", "rpc", "--model", "p/m"}},
		"goes on":  {from: kept{File: "/s.jsonl"}, want: []string{"--mode", "rpc", "--model", "p/m", "--session", "/s.jsonl"}},
		"excludes": {o: ExecutorOptions{ExcludeTools: true}, want: []string{"--mode", "rpc", "--model", "p/m", "--exclude-tools", "bash,write"}},
		"own":      {o: ExecutorOptions{Args: []string{"--provider", "x"}}, want: []string{"--mode", "rpc", "--model", "p/m", "--provider", "x"}},
	} {
		if got := c.o.arguments(request, c.from); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	const id = "01a2310b-406e-72e1-a17c-34508e8766ab"
	x := NewExecutor(ExecutorOptions{})
	for name, blob := range map[string]string{
		"no id":         `{"v":1,"sessionKey":"s","native":"me","file":"/s.jsonl","saved":true}`,
		"relative file": `{"v":1,"sessionKey":"s","native":"` + id + `","file":"s.jsonl","saved":true}`,
		"no file":       `{"v":1,"sessionKey":"s","native":"` + id + `","file":"","saved":true}`,
		"more":          `{"v":1,"sessionKey":"s","native":"` + id + `","file":"/s.jsonl","saved":true,"x":1}`,
	} {
		if _, err := x.Restore(t.Context(), blob); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := x.Restore(t.Context(), `{"v":1,"sessionKey":"s","native":"","file":"","saved":false}`); err != nil {
		t.Error(err)
	}
}

func TestAllowing(t *testing.T) {
	for _, c := range []struct {
		options []string
		yes     string
		one     bool
	}{
		{[]string{"Yes", "No"}, "Yes", true},
		{[]string{"Block", " allow "}, " allow ", true},
		{[]string{"Allow once", "Always allow", "Deny"}, "Allow once", true},
		{[]string{"Yes", "OK"}, "", false},
		{[]string{"red", "blue"}, "", false},
		{nil, "", false},
	} {
		if yes, one := allowing(c.options); yes != c.yes || one != c.one {
			t.Errorf("%q: %q %t", c.options, yes, one)
		}
	}
}

// An answer in pieces is told once, whatever comes of it.
func TestSpeech(t *testing.T) {
	type step func(*speech) []executor.Event
	delta := func(i int, s string) step { return func(x *speech) []executor.Event { return x.delta(i, s) } }
	whole := func(i int, s string) step { return func(x *speech) []executor.Event { return x.whole(i, s) } }
	settle := func(x *speech) []executor.Event { x.settle(); return nil }
	again := func(x *speech) []executor.Event { x.again(); return nil }
	conclude := func(x *speech) []executor.Event { return x.conclude() }
	for name, c := range map[string]struct {
		steps []step
		want  string // texts joined, a restart as |
		last  string
	}{
		"pieces":            {[]step{delta(0, "a"), delta(0, "b"), whole(0, "ab"), settle}, "ab", "ab"},
		"the rest":          {[]step{delta(0, "a"), whole(0, "abc"), settle}, "abc", "abc"},
		"two answers":       {[]step{delta(0, "a"), settle, delta(0, "b"), settle}, "a\n\nb", "b"},
		"two parts":         {[]step{delta(0, "a "), delta(2, "b"), settle}, "a b", "a b"},
		"another text":      {[]step{delta(0, "ab"), whole(0, "xy"), settle}, "ab|xy", "xy"},
		"again, the same":   {[]step{delta(0, "ab"), again, delta(0, "a"), delta(0, "bc"), settle}, "abc", "abc"},
		"again, another":    {[]step{delta(0, "ab"), again, delta(0, "a"), delta(0, "x"), settle}, "ab|ax", "ax"},
		"again, and less":   {[]step{delta(0, "x"), settle, delta(0, "abc"), again, delta(0, "a"), conclude}, "x\n\nabc|x\n\na", "a"},
		"again and again":   {[]step{delta(0, "ab"), again, delta(0, "a"), again, delta(0, "abc"), settle}, "abc", "abc"},
		"after two answers": {[]step{delta(0, "x"), settle, delta(0, "ab"), again, delta(0, "abc"), settle}, "x\n\nabc", "abc"},
	} {
		s := speech{channel: executor.Assistant}
		got := ""
		for _, do := range c.steps {
			for _, e := range do(&s) {
				switch e := e.(type) {
				case executor.TextDelta:
					got += e.Text
				case executor.Status:
					got += "|"
				}
			}
		}
		if got != c.want || s.latest() != c.last {
			t.Errorf("%s: %q, last %q", name, got, s.latest())
		}
	}
}

// What cannot be read costs the line, and has the process asked how it stands.
func TestUnreadableLines(t *testing.T) {
	for _, line := range []string{`{"type":"half`, "panic", "[1,2]", "null", `{"type":7}`, `{"type":"message_end","message":1}`, `{"type":"response"}`} {
		m := newMapper(func(s string) string { return s }, kept{})
		if out := m.line(1, []byte(line)); len(out) != 1 || !m.heard.check {
			t.Errorf("%s: %v, check %t", line, out, m.heard.check)
		}
	}
	m := newMapper(func(s string) string { return s }, kept{})
	for _, line := range []string{`{"type":"news"}`, `{"type":"message_update","assistantMessageEvent":{"type":"news","delta":7}}`, `{"type":"extension_ui_request","id":"1","method":"notify"}`} {
		if out := m.line(1, []byte(line)); len(out) != 0 {
			t.Errorf("%s: %v", line, out)
		}
	}
}

// A question that wants more than yes or no is dismissed.
func TestDialogs(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"extension_ui_request","id":"1","method":"confirm"}`:                          "ask ",
		`{"type":"extension_ui_request","id":"1","method":"select","options":["Yes","No"]}`:    "ask Yes",
		`{"type":"extension_ui_request","id":"1","method":"select","options":["red","green"]}`: "dismiss",
		`{"type":"extension_ui_request","id":"1","method":"input"}`:                            "dismiss",
		`{"type":"extension_ui_request","id":"1","method":"setStatus"}`:                        "",
	} {
		m := newMapper(func(s string) string { return s }, kept{})
		m.line(1, []byte(line))
		got := ""
		switch {
		case m.heard.question != nil:
			got = "ask " + m.heard.question.yes
		case m.heard.dismissed != "":
			got = "dismiss"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// A question is answered once: by the host, or by nobody in time.
func TestQuestions(t *testing.T) {
	var q questions
	denied := make(chan string, 1)
	if !q.ask(question{id: "a"}, time.Nanosecond, func() { denied <- "a" }) || q.ask(question{id: "a"}, time.Hour, nil) {
		t.Error("a is asked once")
	}
	if <-denied != "a" || q.take("a") == nil || q.take("a") != nil {
		t.Error("a is denied, and taken once")
	}
	q.ask(question{id: "b"}, time.Hour, func() {})
	if open := q.settle(); len(open) != 1 || open[0].id != "b" || q.ask(question{id: "c"}, time.Hour, nil) {
		t.Error("b is open, and nothing is after it")
	}
}

// Money is known where Pi has a price.
func TestSpend(t *testing.T) {
	for usage, want := range map[string]string{
		`{"input":3,"output":2,"cacheRead":4,"cacheWrite":5,"cost":{"total":0.5}}`: "cost 8+4 in, 2 out, 0.500000",
		`{"input":3,"output":2,"cost":{"total":0}}`:                                "cost 3+0 in, 2 out, unknown",
		`{"input":3,"output":2,"cost":{"total":0,"totalFromProvider":true}}`:       "cost 3+0 in, 2 out, 0.000000",
		`{"input":0,"output":0,"cost":{"total":0}}`:                                "",
		`{"input":-3,"output":"x","cost":7}`:                                       "",
	} {
		m := newMapper(func(s string) string { return s }, kept{})
		got := ""
		for _, e := range m.spend(&messageData{Usage: []byte(usage)}) {
			got += show(e)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", usage, got, want)
		}
	}
}
