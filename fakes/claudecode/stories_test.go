package claudecode_test

import (
	"fmt"
	"strings"
)

// Pieces of the scripts below.
const (
	head  = "  - init\n"
	bill  = "  - usage: {in: 100, out: 12, cacheRead: 30, cacheWrite: 20}\n"
	ok    = "  - end: ok\n"
	hello = head + "  - final: \"Hello from the fake provider.\"\n" + bill + ok
)

// spent is a usage frame with another number of output tokens.
func spent(out string) string { return strings.Replace(bill, "out: 12", "out: "+out, 1) }

// deltas is a text in the pieces in which the provider sent it.
func deltas(pieces ...string) string {
	s := ""
	for _, p := range pieces {
		s += "  - delta: \"" + p + "\"\n"
	}
	return s
}

// pieces is the input of a call in pieces, then the whole call.
func pieces(idx, id, command, description string, frags ...string) string {
	s := ""
	for i, f := range frags {
		more := ""
		if i == 0 {
			more = ", id: " + id + ", name: Bash"
		}
		s += "  - callpart: {idx: " + idx + more + ", frag: '" + f + "'}\n"
	}
	return s + bash(id, command, description)
}

func bash(id, command, description string) string {
	return "  - call: {id: " + id + ", name: Bash, input: {command: \"" + command + "\", description: " + description + "}}\n"
}

func result(id, out string) string { return "  - result: {id: " + id + ", out: \"" + out + "\"}\n" }

const write = `  - call: {id: t1, name: Write, input: {file_path: "<CWD>/new.txt", content: "hello\n"}}
`

// permission is the story of a call that needs permission; what the CLI answers in the
// tool's stead is not in it.
const permission = head + write + `  - usage: {in: 100, out: 30, cacheRead: 30, cacheWrite: 20}
  - ask: {id: <UUID_4>, tool: Write}
  - final: "Wrote it."
  - usage: {in: 100, out: 9, cacheRead: 30, cacheWrite: 20}
  - end: ok
`

// wrote is what the tool says of a file, and the end.
func wrote(kind, out, before string) string {
	return `  - result: {id: t1, out: "` + out + `", details: {type: ` + kind + `, filePath: "<CWD>/new.txt", content: "hello\n", structuredPatch: [], originalFile: ` + before + `, userModified: false}}
  - final: "Wrote it."
` + spent("9") + ok
}

var created = wrote("create", "File created successfully at: <CWD>/new.txt (file state is current in your context — no need to Read it back)", "null")

var updated = wrote("update", "The file <CWD>/new.txt has been updated successfully. (file state is current in your context — no need to Read it back)", `"hello\n"`)

const sleeps = head + `  - call: {id: t1, name: Bash, input: {command: "perl -e 'sleep 30'; echo done", description: Sleep}}
  - usage: {in: 100, out: 30, cacheRead: 30, cacheWrite: 20}
  - silent
`

const (
	four  = "  - delta: \"tick 0 \"\n  - delta: \"tick 1 \"\n  - delta: \"tick 2 \"\n  - delta: \"tick 3 \"\n"
	seven = four + "  - delta: \"tick 4 \"\n  - delta: \"tick 5 \"\n  - delta: \"tick 6 \"\n"
	// ticks wait to be stopped; what the model would have said has a price.
	ticks = head + four + "  - silent\n" + bill
)

func failure(code, text string) string {
	return "  - error: {code: \"" + code + "\", fatal: true, msg: \"" + text + "\"}\n"
}

func retries(code string) string {
	return strings.Repeat("  - error: {code: \""+code+"\", msg: again}\n", 2)
}

const noOutput = `  - turn: {state: running, text: "[Your previous response had no visible output. Please continue and produce a user-visible response.]"}
`

// many is a text in n pieces with a number each.
func many(format string, n int) string {
	s := ""
	for i := range n {
		s += deltas(fmt.Sprintf(format, i))
	}
	return s
}

const limitHit = `  - turn: {state: running, text: "Output token limit hit. Resume directly — no apology, no recap of what you were doing. Pick up mid-thought if that is where the cut happened. Break remaining work into smaller pieces."}
`

const loop = "  - final: \"This is cut by max tok\"\n  - usage: {in: 100, out: 20, cacheRead: 30, cacheWrite: 20}\n"

// olderStories are those that version 2.1.197 tells otherwise.
var olderStories = map[string]string{
	"perm-allow": head + write + spent("30") + "  - ask: {id: <UUID_4>, tool: Write}\n" + created,
	"budget":     head + bash("t1", "echo loop 691", "Loop") + spent("20") + "  - end: budget\n",
	"refusal":    head + "  - final: \"I cannot\"\n" + spent("2") + "  - end: refusal\n",
	"tool1":      strings.Replace(stories["tool1"], "b.txt", "b.txt\\nnew.txt", 1),
	"maxturns1":  strings.ReplaceAll(stories["maxturns1"], "loop 40", "loop 684"),
	"maxtok":     head + loop + loop + loop + loop + "  - end: length\n",
}

// stories has, for each recording, the script that tells the same story.
var stories = map[string]string{
	"text": hello, "prompt-stdin": hello, "stdin-open": hello, "maxturns0": hello, "maxturnsneg": hello, "badmcp": hello, "badcwd": hello,
	"authtoken": hello, "prov-cumusage": strings.Replace(hello, "Hello from the fake provider.", "Hi.", 1),
	"in-one": hello, "in-blank": hello, "in-blocks": hello, "in-noeol": hello, "in-nocontent": hello, "in-unknown-type": hello, "in-replay": hello,
	"in-malformed-later": hello, "ctl-unknown": hello, "ctl-nosubtype": hello, "ctl-interrupt-idle": hello,
	"in-two-once": hello + hello, "ctl-setmode": hello + hello, "ctl-setmodel": hello + hello,
	"resume-1-first": hello, "resume-8-continue-empty": hello, "resume-9-nopersist": hello,
	"text-json": hello, "text-jsonverbose": hello, "text-plain": hello,
	"in-eof": hello, "in-malformed": hello, "in-norole": hello, "in-plain": hello, "in-assistantrole": hello,
	"noprompt": hello, "badflag": hello, "badformat": hello, "baduuid": hello, "badmcpjson": hello, "maxturnsnan": hello,
	"partial-textout": hello, "inputstream-textout": hello, "stream-noverbose": hello,
	"unicode": head + `  - final: "héllo 世界 🙂\u2028 tab\t \"q\" \\ end\nnew"
` + spent("9") + ok,
	"text-partial": head + deltas("Hello f", "rom the", " fake p", "rovider", ".") + bill + ok,
	"in-two-seq":   strings.Repeat(head+deltas("Hello f", "rom the", " fake p", "rovider", ".")+bill+ok, 2),
	"thinking": head + `  - think: "Let me th"
  - think: "ink about"
  - think: " this."
  - final: "Thought about it."
` + spent("20") + ok,
	"thinking-partial": head + `  - think: "Let me th"
  - think: "ink about"
  - think: " this."
` + deltas("Thought", " about ", "it.") + spent("20") + ok,
	"tool1": head + `  - final: "I will list the directory."
` + bash("t1", "ls -1", "List files") + spent("30") + result("t1", "a.txt\\nb.txt") + `  - final: "The directory has two files."
` + spent("9") + ok,
	"tool1-partial": head + deltas("I will ", "list th", "e direc", "tory.") +
		pieces("1", "t1", "ls -1", "List files", `{"command":`, `"ls -1","de`, `scription":`, `"List files`, `"}`) + spent("30") +
		result("t1", "a.txt\\nb.txt") + deltas("The dir", "ectory ", "has two", " files.") + spent("9") + ok,
	"parallel": head + `  - final: "Two at once."
` + bash("t1", "echo one", "One") + bash("t2", "echo two", "Two") + spent("40") + result("t1", "one") + result("t2", "two") + `  - final: "Both done."
` + spent("9") + ok,
	"parallel-partial": head + deltas("Two at ", "once.") +
		pieces("1", "t1", "echo one", "One", `{"command":`, `"echo one",`, `"descriptio`, `n":"One"}`) +
		pieces("2", "t2", "echo two", "Two", `{"command":`, `"echo two",`, `"descriptio`, `n":"Two"}`) + spent("40") +
		result("t1", "one") + result("t2", "two") + deltas("Both do", "ne.") + spent("9") + ok,
	"toolbad": head + `  - call: {id: t1, name: NoSuchTool, input: {x: 1}}
` + spent("30") + `  - result: {id: t1, err: true, out: "<tool_use_error>Error: No such tool available: NoSuchTool</tool_use_error>"}
  - final: "No such tool."
` + spent("9") + ok,
	"toolfail": head + bash("t1", "ls /no/such/dir; exit 3", "Fail") + spent("30") +
		`  - result: {id: t1, err: true, out: "Exit code 3\nls: cannot access '/no/such/dir': No such file or directory"}
  - final: "It failed."
` + spent("9") + ok,
	"maxturns1": head + bash("t1", "echo loop 40", "Loop") + spent("20") + result("t1", "loop 40") + "  - end: max_turns\n",
	"maxturns2": head + bash("t1", "echo loop 41", "Loop") + spent("20") + result("t1", "loop 41") +
		bash("t2", "echo loop 42", "Loop") + spent("20") + result("t2", "loop 42") + "  - end: max_turns\n",
	"json-schema": head + `  - call: {id: t1, name: StructuredOutput, input: {name: x}}
` + spent("20") + result("t1", "Structured output provided successfully") + ok,
	"errlong": head + failure("prompt_too_long", "Prompt is too long · the request is ~250000 tokens (limit 200000) but this conversation is only ~2641 tokens — "+
		"the rest is system prompt, tool definitions, and attachment content. A single-exchange conversation cannot be compacted; "+
		"reduce attached files/tools or start with less context."),
	"tool-accept":       head + write + spent("30") + created,
	"root-skip-sandbox": head + write + spent("30") + updated,
	"perm-allow":        head + write + spent("30") + "  - ask: {id: <UUID_4>, tool: Write}\n" + updated,
	"toolread": head + `  - call: {id: t1, name: Read, input: {file_path: "<CWD>/a.txt"}}
` + spent("30") + `  - result: {id: t1, out: "1\talpha\n2\t", details: {type: "text", file: {filePath: "<CWD>/a.txt", content: "alpha\n", numLines: 2, startLine: 1, totalLines: 2}}}
  - final: "Read it."
` + spent("9") + ok,
	"budget": head + bash("t1", "echo loop 1579", "Loop") + spent("20") + "  - end: budget\n",
	"refusal": head + "  - final: \"I cannot\"\n" + spent("2") + "  - error: {code: refusal, msg: \"stopped\"}\n" +
		"  - final: \"I cannot\"\n" + spent("2") + "  - end: refusal\n",
	"maxtok":             head + loop + limitHit + loop + limitHit + loop + limitHit + loop + "  - end: length\n",
	"err400":             head + failure("400", "API Error: 400 messages: bad request from fake"),
	"err401":             head + retries("401") + failure("401", "Invalid API key · Fix external API key"),
	"err403":             head + failure("403", "Failed to authenticate. API Error: 403 forbidden from fake"),
	"err404":             head + failure("404", "There's an issue with the selected model (claude-opus-5-5). It may not exist or you may not have access to it. Run --model to pick a different model."),
	"badmodel":           head + failure("404", "There's an issue with the selected model (no-such-model). It may not exist or you may not have access to it. Run --model to pick a different model."),
	"err429":             head + retries("429") + failure("429", "API Error: Request rejected (429) · This request would exceed your rate limit"),
	"err429nr":           head + failure("429", "API Error: Request rejected (429) · This request would exceed your rate limit"),
	"err500":             head + retries("500") + failure("500", "API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:<PORT>)."),
	"err529":             head + retries("529") + failure("529", "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:<PORT>)."),
	"connrefused":        head + strings.Repeat("  - turn: retry\n", 2) + failure("connection_failed", "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)"),
	"credit":             head + failure("billing_error", "Credit balance is too low"),
	"missingkey":         head + failure("authentication_failed", "Not logged in · Please run /login"),
	"emptykey":           head + failure("authentication_failed", "Not logged in · Please run /login"),
	"missingkey-plain":   head + failure("authentication_failed", "Not logged in · Please run /login"),
	"err401-plain":       head + failure("401", "Invalid API key · Fix external API key"),
	"err401-json":        head + failure("401", "Invalid API key · Fix external API key"),
	"tool-denied":        strings.Replace(permission, "<UUID_4>", "q1", 1),
	"perm-deny":          permission,
	"perm-eof":           permission,
	"perm-error":         permission,
	"perm-denyint":       permission,
	"perm-interrupt":     permission,
	"ctl-interrupt":      ticks,
	"ctl-interrupt-then": ticks + head + seven + "  - silent\n" + bill,
	"ctl-interrupt-tool": sleeps,
	"sigint-stream":      ticks,
	"sigint-twice":       ticks,
	"sigint-tool":        sleeps,
	"sigint-nopartial": head + seven + deltas("tick 7 ", "tick 8 ", "tick 9 ") + `  - silent
` + bill,
	"resume-5-unknown": hello, "resume-6-notuuid": hello,
	"bigtext":          head + "  - final: \"long\"\n" + spent("9000") + ok,
	"prov-min-unknown": head + "  - final: \"Minimal.\"\n" + spent("3") + ok,
	"empty":            head + spent("1") + noOutput + spent("1") + ok,
	"err529then":       head + retries("529") + "  - final: \"Hello from the fake provider.\"\n" + bill + ok,
	"html502":          head + retries("502") + failure("502", "API Error: 502 Bad Gateway. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:<PORT>)."),
	"hang-timeout":     head + "  - turn: retry\n" + failure("server_error", "Request timed out. If the API is slow to answer, or a proxy or gateway holds responses, set API_TIMEOUT_MS above 3000."),
	"in-eof-midstream": head + many("tick %d ", 120) + spent("99") + ok,
}

// Why a story is not told.
const (
	subagents = "told in part by TestFidelityOfSubagents: what it answers is cut in the recording, and what goes on in the background has no word"
	servers   = "what the CLI knows of a tool server it has from starting it, which a fake does not"
	fallback  = "the answer of a request without a stream has no word"
	provider  = "what a provider does wrong has no word"
	processes = "told by a process, see TestFidelityOfSignals"
)

// untold are the recordings that no script tells.
var untold = map[string]string{
	"subagent": subagents, "subagent-fg": subagents, "subagent-forward": subagents, "subagent-nobg": subagents,
	"mcp": servers, "mcpboom": servers,
	"cut": fallback, "cut-partial": fallback, "cutclean": fallback, "cuttool": fallback, "sseerr": fallback, "sseerr-partial": fallback,
	"prov-min-badjson": fallback, "prov-min-noevent": fallback, "prov-min-nostart": fallback,
	"cut-nofallback": provider, "cut-nofallback-partial": provider, "cutall": provider, "sseerr-nofallback-partial": provider, "nodone": provider,
	"prov-min-badtooljson": provider, "prov-min-nodelta": provider, "prov-min-nousage": provider, "prov-min-noblockstop": provider,
	"sigterm-stream": processes, "sighup-stream": processes, "sigkill-stream": processes,
	"sigterm-tool":     "the line that slips out after the signal comes or does not",
	"in-queue-midturn": "the recorder had to kill it; the merge is told by TestMessagesDuringATurn",
	"ctl-initialize":   "the answer is the vendor's text", "hook-callback": "the answer is the vendor's text",
	"root-skip": "what it says depends on who runs the test",
}
