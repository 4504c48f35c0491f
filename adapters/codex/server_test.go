package codex

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

const (
	hello0  = `{"id":0,"result":{"userAgent":"x"}}` + "\n"
	thread1 = `{"id":1,"result":{"thread":{"id":"` + threadA + `"},"model":"gpt-5.5"}}` + "\n"
	turn2   = `{"id":2,"result":{"turn":{"id":"T1","status":"inProgress"}}}` + "\n"
	shaken  = hello0 + thread1 + turn2
	inTurn  = `"threadId":"` + threadA + `","turnId":"T1"`
	started = `{"method":"turn/started","params":{"threadId":"` + threadA + `","turn":{"id":"T1","status":"inProgress"}}}` + "\n"
	idle    = `{"method":"thread/status/changed","params":{"threadId":"` + threadA + `","status":{"type":"idle"}}}` + "\n"
	active  = `{"method":"thread/status/changed","params":{"threadId":"` + threadA + `","status":{"type":"active","activeFlags":[]}}}` + "\n"
)

func notify(method, params string) string {
	return `{"method":"` + method + `","params":{` + inTurn + `,` + params + `},"emittedAtMs":1}` + "\n"
}

func itemOf(stage, fields string) string { return notify("item/"+stage, `"item":{`+fields+`}`) }

func openMessage(id string) string {
	return itemOf("started", `"type":"agentMessage","id":"`+id+`","text":""`)
}

func wholeOf(id, text string) string {
	return itemOf("completed", fmt.Sprintf(`"type":"agentMessage","id":"%s","text":%q`, id, text))
}

func delta(id, text string) string {
	return notify("item/agentMessage/delta", fmt.Sprintf(`"itemId":"%s","delta":%q`, id, text))
}

func ended(fields string) string {
	return `{"method":"turn/completed","params":{"threadId":"` + threadA + `","turn":{"id":"T1",` + fields + `}}}` + "\n"
}

func trouble(message string, retry bool) string {
	return notify("error", fmt.Sprintf(`"error":{"message":%q,"codexErrorInfo":"other","additionalDetails":null},"willRetry":%v`, message, retry))
}

func counted(in, cached, out int) string {
	return notify("thread/tokenUsage/updated", fmt.Sprintf(`"tokenUsage":{"total":{"inputTokens":%d,"cachedInputTokens":%d,"outputTokens":%d},"last":{"inputTokens":1}}`, in, cached, out))
}

// serve gives a whole stdout to the wire and ends it.
func (d *desk) serve(stdout string, e oneshot.Ending) []string {
	return showAll(append(d.hear(stdout), d.Finish(e)...))
}

func (d *desk) hear(stdout string) []executor.Event {
	var out []executor.Event
	for i, line := range strings.Split(strings.TrimSuffix(stdout, "\n"), "\n") {
		out = append(out, d.Line(int64(i+1), []byte(line))...)
	}
	return out
}

func plainDesk() *desk { return newDesk(Options{Mode: ModeAppServer}, errand{prompt: "go"}, state{}) }

func TestServerLines(t *testing.T) {
	const (
		completed = `"status":"completed","error":null,"items":[]`
		cmdOpen   = `"type":"commandExecution","id":"c1","command":"ls","status":"inProgress","aggregatedOutput":null,"exitCode":null`
		cmdDone   = `"type":"commandExecution","id":"c1","command":"ls","status":"completed","aggregatedOutput":"a","exitCode":0`
		call      = `call c1 shell {"command":"ls"}`
		result    = `result c1 shell error=false "a"`
		success   = `done success "" -`
		unread5   = `error malformed-frame fatal=false "line 5 of the runtime's output could not be read and was skipped"`
		never     = `error stream-truncated fatal=true "codex ended without saying how the turn ended (exit code 0)"`
	)
	ok := idle + ended(completed)
	tests := []struct {
		name, in string
		end      oneshot.Ending
		want     []string // after the two status events
	}{
		{name: "increments", in: openMessage("m") + delta("m", "Hel") + delta("m", "lo.") + wholeOf("m", "Hello.") + ok,
			want: []string{`assistant "Hel"`, `assistant "lo."`, `done success "Hello." -`}},
		{name: "a message without increments", in: openMessage("m") + wholeOf("m", "Hello.") + ok,
			want: []string{`assistant "Hello."`, `done success "Hello." -`}},
		{name: "a message without a begin", in: wholeOf("m", "Hello.") + ok,
			want: []string{`assistant "Hello."`, `done success "Hello." -`}},
		{name: "increments that lack the end", in: delta("m", "Hel") + wholeOf("m", "Hello.") + ok,
			want: []string{`assistant "Hel"`, `assistant "lo."`, `done success "Hello." -`}},
		{name: "a message that parts from its increments", in: wholeOf("l", "First.") + delta("m", "Hel") + wholeOf("m", "Good day.") + ok,
			want: []string{`assistant "First."`, `assistant "\n\nHel"`, "status running text-restarted", `assistant "First.\n\nGood day."`, `done success "Good day." -`}},
		{name: "a message that is completed with nothing", in: delta("m", "Hello.") + wholeOf("m", "") + ok,
			want: []string{`assistant "Hello."`, `done success "Hello." -`}},
		{name: "a message that is completed twice", in: wholeOf("m", "Hello.") + wholeOf("m", "Hello.") + ok,
			want: []string{`assistant "Hello."`, `done success "Hello." -`}},
		{name: "a message that the end of the turn repeats", in: delta("m", "Hel") + ended(`"status":"completed","items":[{"type":"agentMessage","id":"l","text":"Lost."},{"type":"userMessage","id":"u"}]`),
			want: []string{`assistant "Hel"`, `assistant "\n\nLost."`, `done success "Lost." -`}},
		{name: "a message that only the end of the turn has", in: wholeOf("m", "Hi.") + ended(`"status":"completed","items":[{"type":"agentMessage","id":"m","text":"Hi."},{"type":"agentMessage","id":"l","text":"Lost."}]`),
			want: []string{`assistant "Hi."`, `assistant "\n\nLost."`, `done success "Lost." -`}},
		{name: "an increment that comes late", in: wholeOf("m", "Hello.") + delta("m", "lo.") + ok,
			want: []string{`assistant "Hello."`, `done success "Hello." -`}},
		{name: "an increment that comes twice", in: delta("m", "Hel") + delta("m", "Hel") + delta("m", "lo.") + wholeOf("m", "Hello.") + ok,
			want: []string{`assistant "Hel"`, `assistant "Hel"`, `assistant "lo."`, "status running text-restarted", `assistant "Hello."`, `done success "Hello." -`}},
		{name: "messages do not run together", in: wholeOf("m", "One.") + delta("n", "T") + delta("n", "wo.") + wholeOf("n", "Two.") + ok,
			want: []string{`assistant "One."`, `assistant "\n\nT"`, `assistant "wo."`, `done success "Two." -`}},
		{name: "an attempt that was lost, and goes on as it began", in: openMessage("m") + delta("m", "Half of ") + trouble("Reconnecting... 1/5", true) + openMessage("n") + delta("n", "Half ") + delta("n", "of an answer.") + wholeOf("n", "Half of an answer.") + ok,
			want: []string{`assistant "Half of "`, "status running retry", `assistant "an answer."`, `done success "Half of an answer." -`}},
		{name: "an attempt that was lost, and goes on otherwise", in: wholeOf("l", "First.") + openMessage("m") + delta("m", "Half of ") + trouble("Reconnecting... 1/5", true) + openMessage("n") + delta("n", "Other") + wholeOf("n", "Other.") + ok,
			want: []string{`assistant "First."`, `assistant "\n\nHalf of "`, "status running retry", "status running text-restarted", `assistant "First.\n\nOther"`, `assistant "."`, `done success "Other." -`}},
		{name: "an attempt that was lost, and a shorter one", in: delta("m", "Half of ") + trouble("Reconnecting... 1/5", true) + delta("n", "Half") + wholeOf("n", "Half") + ok,
			want: []string{`assistant "Half of "`, "status running retry", "status running text-restarted", `assistant "Half"`, `done success "Half" -`}},
		{name: "an attempt that was lost, with a message that was whole", in: wholeOf("l", "First.") + delta("m", "Sec") + trouble("Reconnecting... 1/5", true) + delta("n", "Fir") + wholeOf("n", "First.") + delta("o", "Second") + wholeOf("o", "Second.") + ok,
			want: []string{`assistant "First."`, `assistant "\n\nSec"`, "status running retry", `assistant "ond"`, `assistant "."`, `done success "Second." -`}},
		{name: "a message that is said again", in: wholeOf("l", "Yes.") + trouble("Reconnecting... 1/5", true) + openMessage("m") + delta("m", "Ye") + delta("m", "s.") + wholeOf("m", "Yes.") + wholeOf("n", "Yes.") + ok,
			want: []string{`assistant "Yes."`, "status running retry", `assistant "\n\nYes."`, `done success "Yes." -`}},
		{name: "a message that begins like the last one", in: wholeOf("l", "Yes.") + trouble("Reconnecting... 1/5", true) + delta("m", "Yes") + delta("m", ", but no.") + wholeOf("m", "Yes, but no.") + ok,
			want: []string{`assistant "Yes."`, "status running retry", `assistant "\n\nYes, but no."`, `done success "Yes, but no." -`}},
		{name: "a message that is the beginning of the last one", in: wholeOf("l", "Yes.") + trouble("Reconnecting... 1/5", true) + wholeOf("m", "Yes") + ok,
			want: []string{`assistant "Yes."`, "status running retry", `assistant "\n\nYes"`, `done success "Yes" -`}},
		{name: "an equal message after a tool is another", in: wholeOf("l", "Yes.") + itemOf("started", cmdOpen) + itemOf("completed", cmdDone) + trouble("Reconnecting... 1/5", true) + wholeOf("m", "Yes.") + ok,
			want: []string{`assistant "Yes."`, call, result, "status running retry", `assistant "\n\nYes."`, `done success "Yes." -`}},
		{name: "a message goes on after an error", in: delta("m", "Hel") + trouble("Reconnecting... 1/5", true) + delta("m", "lo.") + wholeOf("m", "Hello.") + ok,
			want: []string{`assistant "Hel"`, "status running retry", `assistant "lo."`, `done success "Hello." -`}},
		{name: "a message whose end was lost", in: delta("m", "One.") + itemOf("started", cmdOpen) + itemOf("completed", cmdDone) + openMessage("n") + wholeOf("n", "Two.") + ok,
			want: []string{`assistant "One."`, call, result, `assistant "\n\nTwo."`, `done success "Two." -`}},
		{name: "a lost attempt, and a tool instead", in: delta("m", "Half") + trouble("Reconnecting... 1/5", true) + itemOf("started", cmdOpen) + itemOf("completed", cmdDone) + wholeOf("n", "Done.") + ok,
			want: []string{`assistant "Half"`, "status running retry", call, result, "status running text-restarted", `assistant "Done."`, `done success "Done." -`}},
		{name: "a message that gives way to the user's", in: delta("m", "One t") + itemOf("started", `"type":"userMessage","id":"u"`) + itemOf("completed", `"type":"userMessage","id":"u"`) + openMessage("n") + wholeOf("n", "Two.") + ok,
			want: []string{`assistant "One t"`, "status running text-restarted", `assistant "Two."`, `done success "Two." -`}},
		{name: "a message that does not give way", in: delta("m", "One ") + itemOf("started", `"type":"userMessage","id":"u"`) + itemOf("completed", `"type":"userMessage","id":"u"`) + delta("m", "two.") + wholeOf("m", "One two.") + wholeOf("n", "Three.") + ok,
			want: []string{`assistant "One "`, `assistant "two."`, `assistant "\n\nThree."`, `done success "Three." -`}},
		{name: "a lost attempt without another", in: wholeOf("l", "First.") + delta("m", "Half") + trouble("Reconnecting... 1/5", true) + openMessage("n") + ok,
			want: []string{`assistant "First."`, `assistant "\n\nHalf"`, "status running retry", "status running text-restarted", `assistant "First."`, `done success "First." -`}},
		{name: "reasoning in parts", in: itemOf("started", `"type":"reasoning","id":"r"`) + notify("item/reasoning/summaryTextDelta", `"itemId":"r","delta":"One","summaryIndex":0`) + notify("item/reasoning/summaryTextDelta", `"itemId":"r","delta":".","summaryIndex":0`) +
			notify("item/reasoning/summaryTextDelta", `"itemId":"r","delta":"Two.","summaryIndex":1`) + itemOf("completed", `"type":"reasoning","id":"r","summary":["One.","Two."],"content":[]`) +
			itemOf("completed", `"type":"reasoning","id":"s","summary":["Three.","Four."],"content":["long"]`) + itemOf("completed", `"type":"reasoning","id":"t","summary":[],"content":["Raw."]`) + itemOf("completed", `"type":"reasoning","id":"u","summary":[],"content":[]`) + ok,
			want: []string{`reasoning "One"`, `reasoning "."`, `reasoning "\n\nTwo."`, `reasoning "\n\nThree.\n\nFour."`, `reasoning "\n\nRaw."`, success}},
		{name: "a command", in: itemOf("started", cmdOpen) + itemOf("started", cmdOpen) + notify("item/commandExecution/outputDelta", `"itemId":"c1","delta":"a"`) + itemOf("completed", cmdDone) + itemOf("completed", cmdDone) + ok,
			want: []string{call, result, success}},
		{name: "a lone completion is call and result", in: itemOf("completed", cmdDone) + ok, want: []string{call, result, success}},
		{name: "a command that failed", in: itemOf("completed", `"type":"commandExecution","id":"c1","command":"ls","status":"failed","aggregatedOutput":"no","exitCode":2`) + ok,
			want: []string{call, `result c1 shell error=true "no"`, success}},
		{name: "a command that was declined", in: itemOf("started", cmdOpen) + itemOf("completed", `"type":"commandExecution","id":"c1","command":"ls","status":"declined","aggregatedOutput":null,"exitCode":null`) + ok,
			want: []string{call, `result c1 shell error=true ""`, success}},
		{name: "a call that stays open", in: itemOf("started", cmdOpen) + ok, want: []string{call, `result c1 shell error=true "the run ended before the tool did"`, success}},
		{name: "a patch, a search and a server's tool", in: itemOf("completed", `"type":"fileChange","id":"f","changes":[{"path":"/w/n","kind":{"type":"add"},"diff":"x"}],"status":"completed"`) +
			itemOf("started", `"type":"webSearch","id":"w","query":""`) + itemOf("completed", `"type":"webSearch","id":"w","query":"go","action":null`) +
			itemOf("completed", `"type":"mcpToolCall","id":"p","server":"s","tool":"add","status":"completed","arguments":{"a": 1},"result":{"content":[{"type":"text","text":"5"}],"structuredContent":null},"error":null`) +
			itemOf("completed", `"type":"mcpToolCall","id":"q","server":"s","tool":"add","status":"failed","arguments":{},"result":null,"error":{"message":"no server"}`) + ok,
			want: []string{`call f apply_patch {"changes":[{"path":"/w/n","kind":{"type":"add"},"diff":"x"}]}`, `result f apply_patch error=false ""`, `call w web_search {"query":"go"}`, `result w web_search error=false ""`,
				`call p add {"a":1}`, `result p add error=false "5"`, `call q add {}`, `result q add error=true "no server"`, success}},
		{name: "costs are what is new in the total", in: counted(100, 30, 20) + counted(100, 30, 20) + counted(250, 40, 25) + ok,
			want: []string{"cost null in=70 cached=30 out=20", "cost null in=140 cached=10 out=5", `done success "" in=210 cached=40 out=25`}},
		{name: "an error that is the failure", in: trouble("boom", false) + ended(`"status":"failed","error":{"message":"boom","codexErrorInfo":"other"}`),
			want: []string{`error runtime-error fatal=true "boom"`, `done error "" -`}},
		{name: "an error that is not the failure", in: trouble("odd", false) + ended(`"status":"failed","error":{"message":"boom","additionalDetails":"a lot"}`),
			want: []string{`error runtime-error fatal=false "odd"`, `error runtime-error fatal=true "boom: a lot"`, `done error "" -`}},
		{name: "an error, and a failure without one", in: trouble("boom", false) + ended(`"status":"failed","error":null`),
			want: []string{`error runtime-error fatal=true "boom"`, `done error "" -`}},
		{name: "an error and a success", in: trouble("odd", false) + delta("m", "Still.") + ok,
			want: []string{`assistant "Still."`, `error runtime-error fatal=false "odd"`, `done success "Still." -`}},
		{name: "an error and the end", in: trouble("odd", false), end: oneshot.Ending{How: "exit code 0"}, want: []string{`error runtime-error fatal=false "odd"`, never, `done error "" -`}},
		{name: "an error beats the label", in: ended(`"status":"completed","error":{"message":"boom"}`), want: []string{`error runtime-error fatal=true "boom"`, `done error "" -`}},
		{name: "a failure without a reason", in: ended(`"status":"failed"`), want: []string{`error runtime-error fatal=true "the turn failed, no reason given"`, `done error "" -`}},
		{name: "an end of an unknown kind", in: ended(`"status":"paused"`), want: []string{`error runtime-error fatal=true "the turn failed, no reason given"`, `done error "" -`}},
		{name: "no room in the context", in: ended(`"status":"failed","error":{"message":"too long","codexErrorInfo":"contextWindowExceeded"}`), want: []string{`error token-limit fatal=true "too long"`, `done error "" -`}},
		{name: "a kind of error with fields", in: ended(`"status":"failed","error":{"message":"no","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":401}}}`), want: []string{`error runtime-error fatal=true "no"`, `done error "" -`}},
		{name: "somebody else's interrupt", in: delta("m", "Half") + itemOf("started", cmdOpen) + ended(`"status":"interrupted","error":null`),
			want: []string{`assistant "Half"`, call, `result c1 shell error=true "the run ended before the tool did"`, `done aborted "Half" -`}},
		{name: "an abort is one whatever the runtime says", in: wholeOf("m", "One.") + delta("n", "Two") + ok, end: oneshot.Ending{Aborted: true},
			want: []string{`assistant "One."`, `assistant "\n\nTwo"`, `done aborted "One.\n\nTwo" -`}},
		{name: "the end of the process without that of the turn", in: delta("m", "Half"), end: oneshot.Ending{How: "exit code 0"}, want: []string{`assistant "Half"`, never, `done error "Half" -`}},
		{name: "another turn of the same thread", in: wholeOf("m", "One.") + ended(completed) + strings.ReplaceAll(started+wholeOf("n", "Two.")+ended(completed), "T1", "T2"),
			want: []string{`assistant "One."`, "status running", `assistant "\n\nTwo."`, `done success "Two." -`}},
		{name: "what is another thread's", in: strings.ReplaceAll(wholeOf("m", "Not mine.")+itemOf("started", cmdOpen)+counted(1, 0, 1)+trouble("odd", false)+ended(completed), threadA, threadB) + ok, want: []string{success}},
		{name: "plans", in: notify("turn/plan/updated", `"plan":[]`) + ok, want: []string{"status running", success}},
		{name: "what is not known gives nothing", in: notify("turn/diff/updated", `"diff":{}`) + `{"method":"configWarning","params":{"summary":"s"}}` + "\n" + `{"method":"remoteControl/status/changed","params":7}` + "\n" + `{"method":"future","params":null}` + "\n" +
			itemOf("started", `"type":"contextCompaction","id":"x"`) + itemOf("completed", `"type":"future"`) + `{"id":77,"result":{}}` + "\n" + `{"id":"a","error":{}}` + "\n" + `{}` + "\n" + `{"id":null}` + "\n" + ok, want: []string{success}},
		{name: "a version, and any order of keys", in: `{"params":{"turn":{"items":[],"status":"completed","id":"T1"},"threadId":"` + threadA + `"},"jsonrpc":"2.0","method":"turn/completed"}` + "\n", want: []string{success}},
		{name: "not JSON", in: "thread 'main' panicked SECRET\n" + delta("m", "Yes.") + ok, want: []string{unread5, `assistant "Yes."`, `done success "Yes." -`}},
		{name: "null", in: "null\n" + ok, want: []string{unread5, success}},
		{name: "an increment of another shape", in: notify("item/agentMessage/delta", `"itemId":"m","delta":7`) + ok, want: []string{unread5, success}},
		{name: "an item of another shape", in: notify("item/started", `"item":"m"`) + ok, want: []string{unread5, success}},
		{name: "a tool without an id", in: itemOf("started", `"type":"commandExecution","command":"ls"`) + ok, want: []string{unread5, success}},
		{name: "negative counts", in: counted(-1, 0, 2) + ok, want: []string{unread5, success}},
		{name: "counts of another shape", in: notify("thread/tokenUsage/updated", `"tokenUsage":{"total":"much"}`) + ok, want: []string{unread5, success}},
		{name: "line separators are text", in: delta("m", "a\u2028b") + ok, want: []string{fmt.Sprintf("assistant %q", "a\u2028b"), fmt.Sprintf("done success %q -", "a\u2028b")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := plainDesk()
			want := append([]string{"status init", "status running"}, test.want...)
			got := d.serve(shaken+started+test.in, test.end)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(strings.Join(got, "\n"), "SECRET") {
				t.Error("the content of an unreadable line came out")
			}
			d.written(t)
		})
	}
}

// The handshake goes on step by step, and ends the talk where it is refused.
func TestHandshake(t *testing.T) {
	const (
		nothing = `done error "" -`
		never   = `error stream-truncated fatal=true "codex ended without saying how the turn ended (exit code 0)"`
		refused = `{"id":%d,"error":{"code":-32600,"message":"no"}}` + "\n"
	)
	success := ended(`"status":"completed"`)
	tests := []struct {
		name, in string
		resume   bool
		methods  []string // what was asked
		hushed   bool
		lost     bool
		want     []string
	}{
		{name: "no answer", in: "{}\n", methods: []string{"initialize"}, want: []string{never, nothing}},
		{name: "refused at once", in: fmt.Sprintf(refused, 0), methods: []string{"initialize"}, hushed: true,
			want: []string{`error runtime-error fatal=true "codex app-server refused initialize: no"`, nothing}},
		{name: "no thread", in: hello0 + fmt.Sprintf(refused, 1), methods: []string{"initialize", "initialized", "thread/start"}, hushed: true,
			want: []string{`error runtime-error fatal=true "codex app-server refused thread/start: no"`, nothing}},
		{name: "the thread is not there", in: hello0 + `{"id":1,"error":{"code":-32600,"message":"no rollout found for thread id X"}}` + "\n", resume: true, lost: true, methods: []string{"initialize", "initialized", "thread/resume"}, hushed: true,
			want: []string{`error runtime-error fatal=true "codex app-server refused thread/resume: no rollout found for thread id X"`, nothing}},
		{name: "the thread cannot be gone on with now", in: hello0 + `{"id":1,"error":{"code":-32001,"message":"Server overloaded; retry later."}}` + "\n", resume: true, methods: []string{"initialize", "initialized", "thread/resume"}, hushed: true,
			want: []string{`error runtime-error fatal=true "codex app-server refused thread/resume: Server overloaded; retry later."`, nothing}},
		{name: "no turn", in: hello0 + thread1 + fmt.Sprintf(refused, 2), methods: []string{"initialize", "initialized", "thread/start", "turn/start"}, hushed: true,
			want: []string{"status init", `error runtime-error fatal=true "codex app-server refused turn/start: no"`, nothing}},
		{name: "all is well", in: shaken + started + success, methods: []string{"initialize", "initialized", "thread/start", "turn/start"}, hushed: true,
			want: []string{"status init", "status running", `done success "" -`}},
		{name: "answers twice", in: hello0 + shaken + thread1 + turn2 + started + success, methods: []string{"initialize", "initialized", "thread/start", "turn/start"}, hushed: true,
			want: []string{"status init", "status running", `done success "" -`}},
		{name: "the answer with the thread is lost", in: hello0 + `{"method":"thread/started","params":{"thread":{"id":"` + threadA + `"}}}` + "\n" + thread1 + turn2 + started + success, methods: []string{"initialize", "initialized", "thread/start", "turn/start"}, hushed: true,
			want: []string{"status init", "status running", `done success "" -`}},
		{name: "the answer with the turn is lost", in: hello0 + thread1 + started + success, methods: []string{"initialize", "initialized", "thread/start", "turn/start"}, hushed: true,
			want: []string{"status init", "status running", `done success "" -`}},
		{name: "the begin of the turn is lost", in: hello0 + thread1 + turn2 + delta("m", "Hi.") + success, methods: []string{"initialize", "initialized", "thread/start", "turn/start"}, hushed: true,
			want: []string{"status init", `assistant "Hi."`, `done success "Hi." -`}},
		{name: "a thread without a name", in: hello0 + `{"id":1,"result":{"thread":{}}}` + "\n", methods: []string{"initialize", "initialized", "thread/start"},
			want: []string{never, nothing}},
		{name: "requests of its own with the ids of this host's", in: hello0 + `{"id":1,"method":"item/tool/call","params":{}}` + "\n" + thread1 + `{"id":2,"method":"item/tool/call","params":{}}` + "\n" + turn2 + started + success,
			methods: []string{"initialize", "initialized", "thread/start", "error 1", "turn/start", "error 2"}, hushed: true,
			want: []string{"status init", "status running", `done success "" -`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, e := state{}, errand{prompt: "go", model: "gpt-5", thread: threadParams{Dir: "/w", Sandbox: SandboxReadOnly, Approval: ApprovalOnRequest}}
			if test.resume {
				s.Thread, e.thread.ThreadID = threadA, threadA
			}
			d := newDesk(Options{Mode: ModeAppServer}, e, s)
			got := d.serve(test.in, oneshot.Ending{How: "exit code 0"})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if d.hushed != test.hushed || d.lost != test.lost {
				t.Errorf("hushed=%v, lost=%v", d.hushed, d.lost)
			}
			kept := state{Thread: "before"}
			if d.Keep(&kept); test.lost != (kept == state{}) {
				t.Errorf("kept %+v", kept)
			}
			var methods []string
			for _, m := range d.written(t) {
				method, _ := m["method"].(string)
				if m["error"] != nil {
					method = fmt.Sprintf("error %v", m["id"])
				}
				methods = append(methods, method)
				params, _ := m["params"].(map[string]any)
				switch method {
				case methodStart, methodResume:
					want := map[string]any{"sandbox": "read-only", "approvalPolicy": "on-request"}
					if test.resume {
						want["threadId"], want["cwd"] = threadA, "/w"
					}
					if diff := cmp.Diff(want, params); diff != "" {
						t.Errorf("thread (-want +got):\n%s", diff)
					}
				case methodTurn:
					want := map[string]any{"threadId": threadA, "model": "gpt-5", "input": []any{map[string]any{"type": "text", "text": "go"}}}
					if diff := cmp.Diff(want, params); diff != "" {
						t.Errorf("turn (-want +got):\n%s", diff)
					}
				}
			}
			if diff := cmp.Diff(test.methods, methods); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// A thread is kept once Codex has it, which is when a turn has begun.
func TestServerKeepsTheThread(t *testing.T) {
	for name, test := range map[string]struct {
		before state
		in     string
		want   state
	}{
		"no turn":                 {in: shaken, want: state{}},
		"a turn":                  {in: shaken + started, want: state{Thread: threadA}},
		"a turn and its cost":     {in: shaken + started + counted(100, 30, 20), want: state{Thread: threadA, Totals: totals{100, 30, 20}}},
		"no turn of one before":   {before: state{Thread: threadA, Totals: totals{1, 0, 1}}, in: shaken, want: state{Thread: threadA, Totals: totals{1, 0, 1}}},
		"another one than before": {before: state{Thread: threadB, Totals: totals{100, 30, 20}}, in: shaken + started + counted(200, 60, 40), want: state{Thread: threadA, Totals: totals{200, 60, 40}}},
		"none that can be named":  {in: strings.ReplaceAll(shaken+started, threadA, "thread-1"), want: state{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(Options{Mode: ModeAppServer}, errand{thread: threadParams{ThreadID: test.before.Thread}}, test.before)
			d.hear(test.in)
			got := test.before
			d.Keep(&got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			d.Finish(oneshot.Ending{})
			d.written(t)
		})
	}
}

// A line that is skipped when the thread is at rest may be the end of the turn: then
// the process is not waited for.
func TestALineThatMayBeTheEnd(t *testing.T) {
	for name, test := range map[string]struct {
		in   string
		want bool
	}{
		"in the turn":              {shaken + started + "garbage\n", false},
		"at rest":                  {shaken + started + idle + "garbage\n", true},
		"at rest before the turn":  {shaken + idle + "garbage\n", false},
		"at rest, and at it again": {shaken + started + idle + active + "garbage\n", false},
	} {
		d := plainDesk()
		d.hear(test.in)
		if d.hushed != test.want || (d.Rest() > 0) != test.want {
			t.Errorf("%s: hushed=%v, rest %v", name, d.hushed, d.Rest())
		}
		d.Finish(oneshot.Ending{})
		d.written(t)
	}
	d := plainDesk()
	d.hear(shaken + started)
	d.TooLong(9, 1000)
	d.stuck()
	if d.hushed {
		t.Error("a line that is too long ended a turn that runs")
	}
	if d.Rest() > 0 {
		t.Error("a turn that runs is bounded")
	}
	d.hear(idle) // it was read before that half line, and is mapped after
	if d.hushed || d.Rest() == 0 {
		t.Error("half a line is waited for when the rest is mapped late")
	}
	d.stuck()
	if !d.hushed {
		t.Error("half a line at rest is waited for")
	}
	d.Finish(oneshot.Ending{})
	d.written(t)
}

// The handshake waits for one answer at a time, and for none once the turn will run.
func TestWhatIsNotAnswered(t *testing.T) {
	for _, test := range []struct{ thread, in, want string }{
		{"", "{}\n", "initialize"},
		{"", hello0, "thread/start"},
		{threadA, hello0, "thread/resume"},
		{"", hello0 + thread1, "turn/start"},
		{"", shaken, ""},
		{"", hello0 + thread1 + started, ""},
		{"", shaken + started + ended(`"status":"completed"`), ""},
	} {
		d := newDesk(Options{Mode: ModeAppServer}, errand{thread: threadParams{ThreadID: test.thread}}, state{Thread: test.thread})
		d.hear(test.in)
		over := d.hushed
		if got := d.talk.late(); got != test.want || d.hushed != (over || got != "") {
			t.Errorf("%q: waits for %q, want %q; stdin ended: %v", test.in, got, test.want, d.hushed)
		}
		d.Finish(oneshot.Ending{})
		d.written(t)
	}
}

// Each kind of question has answers of its own. What nobody here can answer is refused.
func TestAnswersToQuestions(t *testing.T) {
	const served = `"threadId":"T","serverName":"s","mode":"form","message":"m","requestedSchema":{},"_meta":{"codex_approval_kind":"mcp_tool_call","persist":"session"}`
	for name, test := range map[string]struct {
		method, params string
		id             string // of the question; empty for none
		yes, no        any
	}{
		"a command":         {"item/commandExecution/requestApproval", `"itemId":"c"`, "c", map[string]any{"decision": "accept"}, map[string]any{"decision": "decline"}},
		"a patch":           {"item/fileChange/requestApproval", `"itemId":"c"`, "c", map[string]any{"decision": "accept"}, map[string]any{"decision": "decline"}},
		"more permissions":  {"item/permissions/requestApproval", `"itemId":"c","permissions":{"fileSystem":{"write":["/w"]}}`, "c", map[string]any{"scope": "turn", "permissions": map[string]any{"fileSystem": map[string]any{"write": []any{"/w"}}}}, map[string]any{"permissions": map[string]any{}}},
		"a server's tool":   {"mcpServer/elicitation/request", served, "request-0", map[string]any{"action": "accept", "content": map[string]any{}}, map[string]any{"action": "decline", "content": nil}},
		"a server's wish":   {"mcpServer/elicitation/request", `"serverName":"s","mode":"url","url":"u"`, "", nil, nil},
		"an input":          {"item/tool/requestUserInput", `"itemId":"c"`, "", nil, nil},
		"nothing readable":  {"item/fileChange/requestApproval", `"itemId":"c","itemId":"d"`, "", nil, nil},
		"something unknown": {"future/request", `"itemId":7`, "", nil, nil},
	} {
		for _, allow := range []bool{true, false} {
			d := plainDesk()
			d.hear(shaken + started)
			var asked []string
			for _, e := range d.hear(`{"id":0,"method":"` + test.method + `","params":{` + test.params + `}}`) {
				if s, is := e.(executor.Status); is {
					asked = append(asked, strings.TrimPrefix(s.Detail, executor.DetailApproval+":"))
				}
			}
			if test.id != "" {
				if err := d.answer(test.id, allow); err != nil || len(asked) != 1 || asked[0] != test.id {
					t.Errorf("%s: %v, asked %q", name, err, asked)
				}
			} else if len(asked) > 0 {
				t.Errorf("%s: asked %q", name, asked)
			}
			d.Finish(oneshot.Ending{})
			lines := d.written(t)
			last := lines[len(lines)-1]
			want := map[bool]any{true: test.yes, false: test.no}[allow]
			if diff := cmp.Diff(want, last["result"]); diff != "" || last["id"] != 0.0 || (last["error"] != nil) != (test.id == "") {
				t.Errorf("%s: %v (-want +got):\n%s", name, last, diff)
			}
		}
	}
}

// What was written for a turn that is refused is kept for the next run, and so is what
// comes when the turn is over. What is too much is left to the host, and what is lost
// is told.
func TestNotesOfATurnThatNeverWas(t *testing.T) {
	d := plainDesk()
	var kept []string
	write := func(text string) bool {
		return d.talk.write(text, func() error {
			kept = append(kept, text)
			if text == "late" {
				return errors.New("no room")
			}
			return nil
		})
	}
	d.hear(hello0)
	if !write("early") || write(strings.Repeat("x", maxNotes)) {
		t.Error("the wrong notes are taken")
	}
	d.hear(thread1 + `{"id":2,"error":{"code":-32600,"message":"no"}}` + "\n")
	if !write("late") {
		t.Error("a note is not taken")
	}
	want := []string{"status init", `error runtime-error fatal=false "context that was written for the run is lost: no room"`, `error runtime-error fatal=true "codex app-server refused turn/start: no"`, `done error "" -`}
	if diff := cmp.Diff(want, showAll(d.Finish(oneshot.Ending{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"early", "late"}, kept); diff != "" || write("after the end") {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	d.written(t)
}

func BenchmarkServerLine(b *testing.B) {
	line := []byte(strings.TrimSuffix(delta("m", strings.Repeat("word ", 10)), "\n"))
	d := plainDesk()
	d.hear(shaken + started)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		d.Line(1, line)
	}
	d.talk.console.lines.Close()
}
