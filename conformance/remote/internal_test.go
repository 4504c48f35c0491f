package remote

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

func TestReadMessage(t *testing.T) {
	for line, want := range map[string]Breach{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:        "",
		` {"id":1,"x":[1,{"a":1,"a":2}]} `:            "",
		`{"jsonrpc":"2.0","id":1,"id":2,"result":{}}`: AnswerMalformed,
		`{"jsonrpc":"2.0","id":1,"result":{}} {}`:     LineGarbage,
		`{"jsonrpc":"2.0","id":1,"result":}`:          LineGarbage,
		`{"jsonrpc":`:                                 LineGarbage,
		`log: started`:                                LineGarbage,
		`[1]`:                                         LineNotObject,
		`null`:                                        LineNotObject,
		`"{}"`:                                        LineNotObject,
	} {
		if _, got := readMessage([]byte(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestRequestID(t *testing.T) {
	for line, want := range map[string]int64{
		`{"jsonrpc":"2.0","id":7,"method":"a","params":{}}`: 7,
		`{"jsonrpc":"2.0","id":7,"result":{}}`:              0,
		`{"jsonrpc":"2.0","id":7,"error":{}}`:               0,
		`{"jsonrpc":"2.0","method":"a"}`:                    0,
		`{`:                                                 0,
	} {
		if got, ok := requestID([]byte(line)); got != want || ok != (want > 0) {
			t.Errorf("%s: %d, %t", line, got, ok)
		}
	}
}

// hostile panics at every look.
type hostile struct{}

func (hostile) MarshalJSON() ([]byte, error) { panic("looked at") }
func (hostile) String() string               { panic("looked at") }
func (hostile) Error() string                { panic("looked at") }

type ownText struct{ text string }

func (o ownText) MarshalJSON() ([]byte, error) { return []byte(`"` + o.text + `"`), nil }

// Every Go value crosses the wire as something, and what holds a text still does.
func TestToWire(t *testing.T) {
	loop := map[string]any{"text": "x"}
	loop["self"] = loop
	ring := []any{"x", nil}
	ring[1] = ring
	shared := map[string]any{"a": 1}
	var deep any = "x"
	for range 20_000 {
		deep = []any{deep}
	}
	text := "x"
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"plain", map[string]any{"a": []any{1.5, true, nil, "<&>"}, "b": 7}, `{"a":[1.5,true,null,"<&>"],"b":7}`},
		{"panics", map[string]any{"m": hostile{}}, `{"m":{"$adaptercheck":"throws"}}`},
		{"cycle of objects", loop, `{"self":{"$adaptercheck":"cycle"},"text":"x"}`},
		{"cycle of lists", ring, `["x",{"$adaptercheck":"cycle"}]`},
		{"shared is no cycle", []any{shared, shared}, `[{"a":1},{"a":1}]`},
		{"bytes", []byte("x"), `{"$adaptercheck":"buffer","value":"eA=="}`},
		{"time", time.UnixMilli(12), `{"$adaptercheck":"date","value":12}`},
		{"typed map", map[string]string{"text": "x"}, `{"$adaptercheck":"map","value":[["text","x"]]}`},
		{"map with other keys", map[any]any{"x": 1}, `{"$adaptercheck":"map","value":[["x",1]]}`},
		{"typed list", []string{"x"}, `["x"]`},
		{"struct", struct{ Text string }{"x"}, `{"Text":"x"}`},
		{"hidden field", struct{ text string }{"x"}, `{"text":"x"}`},
		{"pointer", &text, `"x"`},
		{"encodes itself", ownText{"x"}, `"x"`},
		{"function", func() string { return "x" }, `{"$adaptercheck":"function"}`},
		{"channel", make(chan string), `{"$adaptercheck":"symbol"}`},
		{"not a number", []any{math.NaN(), math.Inf(1), math.Inf(-1)}, `[{"$adaptercheck":"nan"},{"$adaptercheck":"infinity"},{"$adaptercheck":"-infinity"}]`},
		{"bad text", "a\xffb", "\"a\ufffdb\""},
		{"nil pointer", (*int)(nil), `null`},
	} {
		if d := cmp.Diff(test.want, string(toWire(test.value))); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
	}
	got := toWire(deep)
	if !got.IsValid() || len(got) > 1000 || !holdsToken(got) {
		t.Errorf("deep: %s", got)
	}
	for range maxLevels {
		list, ok := listOf(got)
		if !ok || len(list) != 1 {
			t.Fatalf("deep: %s", got)
		}
		got = list[0]
	}
	if string(got) != `{"$adaptercheck":"deep","value":"x"}` {
		t.Errorf("deep: %s", got)
	}
}

// A Go subject makes tokens real.
func TestRealize(t *testing.T) {
	made := func(text string) any {
		v, err := realize(fromWire(jsontext.Value(text)))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return v
	}
	if got := made(`{"a":[1,"x",null]}`); !reflect.DeepEqual(got, map[string]any{"a": []any{1.0, "x", nil}}) {
		t.Errorf("plain: %v", got)
	}
	if got := made(`[{"$adaptercheck":"buffer","value":"eA=="}]`); !reflect.DeepEqual(got, []any{[]byte("x")}) {
		t.Errorf("buffer: %v", got)
	}
	if got := made(`{"$adaptercheck":"map","value":[["x",1]]}`); !reflect.DeepEqual(got, map[any]any{"x": 1.0}) {
		t.Errorf("map: %v", got)
	}
	loop := made(`{"$adaptercheck":"cycle"}`).(map[string]any)
	if reflect.ValueOf(loop["self"]).Pointer() != reflect.ValueOf(loop).Pointer() {
		t.Error("the cycle is none")
	}
	for _, name := range []string{"throws", "function", "symbol", "promise", "date", "set", "nan", "infinity", "-infinity", "deep"} {
		v := made(`{"$adaptercheck":"` + name + `"}`)
		if _, plain := v.(map[string]any); plain {
			t.Errorf("%s stays a token", name)
		}
	}
	if _, err := realize(map[string]any{"a": map[string]any{tokenKey: "undefined"}}); err == nil {
		t.Error("a value that Go does not have was made")
	}
}

// Every frame crosses the wire in the plainest form of the language.
func TestWriteFrame(t *testing.T) {
	text, at, n, cost := "Hel", 3, int64(7), 0.5
	for _, test := range []struct {
		frame fakes.Frame
		want  string
	}{
		{fakes.Init{}, `{"init":{}}`},
		{fakes.Init{Run: "R", Session: "S"}, `{"init":{"run":"R","session":"S"}}`},
		{fakes.Delta{Text: "Hel"}, `{"delta":"Hel"}`},
		{fakes.Delta{Text: "Hel", At: &at}, `{"delta":{"at":3,"text":"Hel"}}`},
		{fakes.Think{Text: "hm"}, `{"think":"hm"}`},
		{fakes.Snapshot{Text: "Hel"}, `{"snapshot":"Hel"}`},
		{fakes.Final{Text: &text}, `{"final":"Hel"}`},
		{fakes.Final{}, `{"final":null}`},
		{fakes.ToolCall{ID: "t", Name: "read", Input: `{"p":[1]}`}, `{"call":{"id":"t","input":{"p":[1]},"name":"read"}}`},
		{fakes.ToolCall{ID: "t", Name: "read", Input: `{"p":`}, `{"call":{"id":"t","json":"{\"p\":","name":"read"}}`},
		{fakes.CallPart{Index: 1, Fragment: "{"}, `{"callpart":{"frag":"{","idx":1}}`},
		{fakes.Result{ID: "t", Out: "A", Error: true}, `{"result":{"err":true,"id":"t","out":"A"}}`},
		{fakes.Usage{Kind: fakes.UsageTurn, In: &n, CostUSD: &cost}, `{"usage":{"cost":0.5,"in":7,"kind":"turn"}}`},
		{fakes.End{Reason: fakes.EndOK}, `{"end":"ok"}`},
		{fakes.End{Reason: fakes.EndOK, Text: "sum"}, `{"end":{"reason":"ok","text":"sum"}}`},
		{fakes.Failure{Message: "no"}, `{"error":"no"}`},
		{fakes.Turn{State: "idle"}, `{"turn":"idle"}`},
		{fakes.Ask{ID: "q"}, `{"ask":{"id":"q"}}`},
		{fakes.Native{Type: "x", Fields: `{"a":1}`}, `{"frame":{"fields":{"a":1},"type":"x"}}`},
		{fakes.Raw{Line: "no"}, `{"raw":"no"}`},
		{fakes.Stderr{Text: "no"}, `{"stderr":"no"}`},
		{fakes.Exit{}, `{"exit":0}`},
		{fakes.Cut{}, `{"cut":{}}`},
		{fakes.Silent{}, `{"silent":{}}`},
		{fakes.Child{}, `{"child":{}}`},
		{fakes.Ignore{Signal: "INT"}, `{"ignore":"INT"}`},
	} {
		got, err := writeFrame(test.frame)
		if err != nil {
			t.Errorf("%#v: %v", test.frame, err)
			continue
		}
		if d := cmp.Diff(test.want, string(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.frame.Word(), d)
		}
		back, err := script.DecodeFrames([]byte("[" + string(got) + "]"))
		if bad, ok := test.frame.(fakes.ToolCall); ok && bad.Input == `{"p":` {
			continue // the language refuses it
		}
		if d := cmp.Diff([]fakes.Frame{test.frame}, back); err != nil || d != "" {
			t.Errorf("%s comes back otherwise: %v\n%s", test.frame.Word(), err, d)
		}
	}
}

func TestMethodOf(t *testing.T) {
	for _, test := range []struct {
		method, params string
		want           fakes.Method
	}{
		{"chat.send", `{"message":"m","model":"x"}`, fakes.MethodInput},
		{"spawn", `{"args":["exec","m"]}`, fakes.MethodInput},
		{"chat.abort", `{}`, fakes.MethodCancel},
		{"sessions.abort", `{}`, fakes.MethodCancel},
		{"kill", `{"signal":"SIGTERM"}`, fakes.MethodCancel},
		{"turn/interrupt", `{}`, fakes.MethodCancel},
		{"sessions.patch", `{"key":"s","model":"x"}`, fakes.MethodSetModel},
		{"sessions.patch", `{"key":"s"}`, fakes.MethodInput},
		{"setModel", `["x"]`, fakes.MethodSetModel},
		{"set-model", `{"model":"x"}`, fakes.MethodSetModel},
		{"agents.files.set", `{}`, fakes.MethodContext},
		{"write-context", `{}`, fakes.MethodContext},
		{"exec.approval.resolve", `{}`, fakes.MethodAnswer},
		{"answer", `{}`, fakes.MethodAnswer},
		{"", `null`, fakes.MethodInput},
	} {
		c := recorded{Method: test.method, Params: jsontext.Value(test.params)}
		if got := c.methodOf(); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.method, test.params, got, test.want)
		}
	}
}

// A call belongs to the run whose id it names, else to the latest of its session,
// else to the one that the suite acted on last, else to the latest.
func TestOwner(t *testing.T) {
	r := &harness{claimed: map[int]bool{}}
	run := func(session, id string, start int) *harnessRun {
		h := &harnessRun{r: r, session: session, start: start, h: &handle{run: executor.NewRun("a", session)}}
		if id != "" {
			h.h.run.Bind(id)
		}
		r.runs = append(r.runs, h)
		return h
	}
	first := run("s", "r1", 0)
	other := run("other", "r2", 2)
	second := run("s", "r3", 4)
	for _, test := range []struct {
		name, params string
		at           int
		want         *harnessRun
	}{
		{"names a run", `{"session":"s","run":"r1"}`, 5, first},
		{"names a run deep down", `{"a":[{"b":"r2"}]}`, 5, other},
		{"names a session", `{"session":"s"}`, 5, second},
		{"names a session before its second run", `{"session":"s"}`, 3, first},
		{"names another session", `{"key":"other"}`, 5, other},
		{"names nothing", `{"signal":"TERM"}`, 5, second},
		{"names nothing, early", `{}`, 1, first},
		{"names a part of an id", `{"x":"r1-more"}`, 5, second},
	} {
		got := r.owner(test.at, recorded{texts: textsIn(nil, jsontext.Value(test.params))})
		if got != test.want {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
	r.acted = []act{{at: 6, run: other}}
	if got := r.owner(5, recorded{}); got != second {
		t.Error("what came before the act is its work")
	}
	if got := r.owner(6, recorded{}); got != other {
		t.Error("what came with the act is not its work")
	}
}

// How a start shows in a fake that writes it down in any words, or not at all.
func TestArrive(t *testing.T) {
	calls := func(params ...string) []recorded {
		var all []recorded
		for _, p := range params {
			all = append(all, recorded{Method: "send", Params: jsontext.Value(p), texts: textsIn(nil, jsontext.Value(p))})
		}
		return all
	}
	for _, test := range []struct {
		name    string
		all     []recorded
		after   time.Duration
		there   bool
		message string // as it is told
		offers  bool   // start options
		shown   bool   // what the start was given is told
	}{
		{"in full", calls(`{"old":"x"}`, `{"m":"ctx\n\nsay it-canary-1","model":"o3"}`), 0, true, "ctx\n\nsay it-canary-1", false, true},
		{"in an argument list", calls(`{}`, `{"args":["exec","say it-canary-1"]}`), 0, true, "say it-canary-1", false, true},
		{"altered", calls(`{}`, `{"m":"said: it-canary-1"}`), 0, true, "said: it-canary-1", false, true},
		{"in other words, at first", calls(`{}`, `{"m":"said otherwise"}`), 0, false, "", false, false},
		{"in other words, after a while", calls(`{}`, `{"m":"said otherwise"}`), unlikeAfter, true, "", false, false},
		{"in other words, of a fake that shows starts", calls(`{}`, `{"m":"said otherwise"}`), unlikeAfter, true, "said otherwise", true, true},
		{"before it was made", calls(`{"m":"say it-canary-1"}`), 0, false, "", false, false},
		{"nothing, at first", calls(`{}`), unlikeAfter, false, "", false, false},
		{"nothing, after a while", calls(`{}`), silentAfter, true, "", false, false},
		{"nothing, of a fake that shows starts", calls(`{}`), silentAfter, false, "", true, false},
	} {
		p := &Process{}
		if test.offers {
			p.hello.Features = fakes.Features{fakes.StartOptions}
		}
		r := &harness{a: &adapter{p: p}, claimed: map[int]bool{}}
		run := &harnessRun{r: r, session: "s", message: "say it-canary-1", seen: 1, start: -1}
		if got := r.arrive(run, test.all, test.after); got != test.there {
			t.Errorf("%s: arrived %t", test.name, got)
		}
		if run.begun.Message != test.message || (run.begun.Method == fakes.MethodStart) != test.shown {
			t.Errorf("%s: %+v", test.name, run.begun)
		}
	}
	// A fake that writes starts down is waited for: the run may be queued.
	r := &harness{a: &adapter{p: &Process{}}, claimed: map[int]bool{}, recorded: true}
	if r.arrive(&harnessRun{r: r, message: "m", start: -1}, nil, time.Hour) {
		t.Error("a run that is not there has arrived")
	}
}

// An older answer does not undo a newer one.
func TestShowKeepsTheOrder(t *testing.T) {
	h := &handle{run: executor.NewRun("a", "s")}
	show := func(at uint64, raw string) { h.show(reply{at: at, Handle: jsontext.Value(raw)}) }
	show(2, `{"runId":"r"}`)
	show(1, `{"runId":null}`)
	if id, bound := h.run.ID(); id != "r" || !bound {
		t.Errorf("%q, %t", id, bound)
	}
	show(3, `{"runId":null}`) // a wrong adapter takes it back
	if _, bound := h.run.ID(); bound {
		t.Error("still bound")
	}
}
