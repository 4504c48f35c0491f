package codex_test

import "strings"

// Pieces of the scripts below.
const (
	head  = "  - init\n"
	bill  = "  - usage: {in: 100, cacheRead: 30, out: 20, reasoning: 5}\n"
	done  = "  - end: ok\n"
	hello = head + "  - final: \"Hello from the fake provider.\"\n" + bill + done
	quiet = head + "  - silent\n"
)

// failed is an error of a code, with what the provider said, that ends the turn.
func failed(code, said string) string {
	return "  - error: {code: \"" + code + "\", fatal: true, msg: '" + said + "'}\n"
}

// retried is an error that was tried again, and came again.
func retried(code, said string) string {
	return "  - error: {code: \"" + code + "\", msg: '" + said + "'}\n" + failed(code, said)
}

func final(text string) string { return "  - final: \"" + text + "\"\n" }

// shell is a command that was run, with its output.
func shell(id, command, out string) string {
	return "  - call: {id: " + id + ", name: shell, input: {command: \"" + command + "\"}}\n  - result: {id: " + id + ", out: \"" + out + "\"}\n"
}

func warned(text string) string { return "  - error: {code: warning, msg: '" + text + "'}\n" }

const (
	// broken is how a connection that was cut reads.
	broken = "Transport error: network error: error decoding response body"
	// noMetadata comes before the turn where the model is not known.
	noMetadata = "Model metadata for `gpt-5.2` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."
	unknownKey = `  - error: {code: warning, msg: "Codex is ignoring 1 unrecognized configuration setting. Check for typos or deprecated settings.\n  user (<HOME>/.codex/config.toml): ` + "`no_such_key`" + ` is ignored."}
`
	sleeps = head + `  - call: {id: t1, name: shell, input: {command: "/bin/bash -lc 'sleep 30; echo done'"}}
  - silent
`
	noHost = "stream disconnected before completion: failed to lookup address information: Name does not resolve"
)

func noNetwork(times int) string {
	return strings.Repeat("  - error: {code: connection_failed, msg: \"\"}\n", times)
}

var listed = head + final("I will list the directory.") + bill + shell("t1", "/bin/bash -lc 'ls -1'", `a.txt\nb.txt\nnew.txt\n`) +
	final("The directory has two files.") + bill + done

func mcp(tool, input, result string) string {
	return warned(noMetadata) + head + "  - call: {id: t1, name: mcp__fakemcp__" + tool + ", input: " + input + "}\n  - result: {id: t1, " + result + "}\n" +
		bill + final("Sum is 5.") + bill + done
}

func parallel(first, second string) string {
	return head + final("Two at once.") + bill + shell("t1", "/bin/bash -lc 'echo "+first+"'", first+`\n`) +
		shell("t2", "/bin/bash -lc 'echo "+second+"'", second+`\n`) + final("Both done.") + bill + done
}

const steps = `  - call: {id: t1, name: update_plan, input: {plan: [{step: one, status: pending}, {step: two, status: pending}]}}
  - result: {id: t1, out: "Plan updated"}
  - usage: {in: 100, cacheRead: 30, out: 20, reasoning: 5}
  - call: {id: t2, name: update_plan, input: {plan: [{step: one, status: completed}, {step: two, status: in_progress}]}}
  - result: {id: t2, out: "Plan updated"}
  - usage: {in: 100, cacheRead: 30, out: 20, reasoning: 5}
`

func minimal(text string) string { return head + final(text) + bill + done }

// stories has, for each recording, the script that tells the same.
var stories = map[string]string{
	"text": hello, "text-experimental-json": hello, "text-lastmsg": hello, "badmcp": hello, "ephemeral": hello, "nogit-skip": hello,
	"output-schema": hello, "prompt-dash": hello, "prompt-stdin": hello, "resume-1-first": hello, "resume-4-notuuid": hello, "resume-8-ephemeral": hello,

	"badcd": "", "badflag": "", "badsandbox": "", "badschema": "", "noprompt": "", "resume-3-unknown": "", "stdin-open": "",

	"empty":             head + bill + done,
	"bigtext":           head + final("x") + bill + done,
	"multi":             head + final("First message.") + final("Second message.") + bill + done,
	"unicode":           head + final(`héllo 世界 🙂\u2028sep\u2029 tab\t \"q\" end\nnew`) + bill + done,
	"thinking":          head + "  - think: \"**Thinking** about this.\"\n" + final("Thought about it.") + bill + done,
	"thinking-detailed": head + "  - think: \"**Thinking** about this.\"\n" + final("Thought about it.") + bill + done,

	"tool1": listed, "tool1-readonly": listed, "tool1-ws": listed,
	"toolbad": head + bill + final("No such tool.") + bill + done, // it is not on stdout
	"toolfail": head + `  - call: {id: t1, name: shell, input: {command: "/bin/bash -lc 'ls /no/such/dir; exit 3'"}}
  - result: {id: t1, out: "ls: cannot access '/no/such/dir': No such file or directory\n", details: {exit_code: 3}}
` + bill + final("It failed.") + bill + done,
	"orphantool": head + `  - call: {id: t1, name: shell, input: {command: "/bin/bash -lc 'sleep 20; echo done'"}}
` + bill + final("Did not wait.") + bill + done,
	"parallel": parallel("one", "two"),
	"patch": head + `  - call: {id: t1, name: apply_patch, input: {changes: [{path: <CWD>/new.txt, kind: add}]}}
  - result: {id: t1, out: "Success. Updated the following files:\nA new.txt\n"}
` + bill + final("Patched.") + bill + done,
	"plan":    head + steps + final("Planned.") + bill + done, // the model has no such tool any more
	"mcp":     mcp("add", "{a: 2, b: 3}", `out: "5", details: {sum: 5}`),
	"mcpboom": mcp("boom", "{}", `out: "boom failed", err: true`),

	"unknown-config": unknownKey + unknownKey + hello,

	"cut":          head + retried("disconnected", broken),
	"cut-retries0": head + failed("disconnected", broken),
	"cut-retries3": head + strings.Repeat("  - error: {code: disconnected, msg: '"+broken+"'}\n", 2) + retried("disconnected", broken),
	"cutafteritem": head + final("A whole item, then cut.") + "  - error: {code: disconnected, msg: '" + broken + "'}\n" +
		final("A whole item, then cut.") + failed("disconnected", broken),
	"cutthen":     head + "  - error: {code: disconnected, msg: '" + broken + "'}\n" + final("Whole after retry.") + bill + done,
	"sseerr":      head + retried("disconnected", "stream closed before response.completed"),
	"failed":      head + final("Some") + "  - error: {code: disconnected, msg: fake failure}\n" + final("Some") + failed("disconnected", "fake failure"),
	"failedctx":   head + failed("prompt_too_long", ""),
	"errlong":     head + failed("prompt_too_long", ""),
	"failedquota": head + failed("quota", ""),
	"quota":       head + failed("quota", ""),
	"failedrl":    head + retried("rate_limit", "Rate limit reached. Please try again in 1s."),
	"incomplete":  head + final("This is cut by max tok") + "  - end: length\n",
	"missingkey":  head + "  - error: {fatal: true, msg: 'Missing environment variable: `FAKE_API_KEY`.'}\n",
	"err400":      head + failed("400", `{"error":{"message":"Bad request from fake","type":"invalid_request_error","param":null,"code":null}}`),
	"err401":      head + retried("401", "Incorrect API key provided: dummy."),
	"err404":      head + failed("404", "The model ''no-such-model'' does not exist or you do not have access to it."),
	"err429":      head + retried("429", "slow down"),
	"err500":      head + retried("500", "oops"),
	"err503":      head + failed("503", "overloaded"),
	"err529":      head + retried("529", "Overloaded"),
	"html502":     head + retried("502", "<html><body>502 Bad Gateway</body></html>"),

	"prov-min-badargs":       head + bill + final("After bad args.") + bill + done,
	"prov-min-badjson":       minimal("Minimal."),
	"prov-min-deltasonly":    head + bill + done,
	"prov-min-doneevent":     minimal("Minimal."),
	"prov-min-itemonly":      minimal("Minimal."),
	"prov-min-nocreated":     head + final("Minimal.") + done,
	"prov-min-noevent":       minimal("Minimal."),
	"prov-min-onlycompleted": head + done,
	"prov-min-outputonly":    head + bill + done,
	"prov-min-unknown":       minimal("Minimal."),

	"hang": quiet, "sighup-stream": quiet, "sigint-stream": quiet, "sigint-twice": quiet, "sigkill-stream": quiet, "sigterm-stream": quiet,
	"sigint-tool": sleeps, "sigterm-tool": sleeps,
	"connrefused": head + noNetwork(4) + "  - silent\n",
	"openai-nokey": head + "  - turn: {state: retry, text: 'Reconnecting... 2/5 (" + noHost + ")'}\n  - turn: {state: retry, text: 'Reconnecting... 3/5 (" + noHost + ")'}\n" +
		"  - turn: {state: retry, text: 'Reconnecting... 4/5 (" + noHost + ")'}\n  - turn: {state: retry, text: 'Reconnecting... 5/5 (" + noHost + ")'}\n" +
		warned("Falling back from WebSockets to HTTPS transport. "+noHost) + noNetwork(4) + "  - silent\n",
}

// olderStories are told otherwise of the versions before.
var olderStories = map[string]string{
	"parallel": parallel("two", "one"),
	"cutthen":  head + final("Whole after retry.") + bill + done,
	"err429":   head + failed("429", "slow down"),
	"incomplete": head + final("This is cut by max tok") + "  - error: {code: max_output_tokens, msg: \"\"}\n" + final("This is cut by max tok") +
		"  - end: length\n",
	"connrefused": head + retried("connection_failed", ""),
}

const ownConfig = "the fake reads no config.toml"

// untold are the recordings that no script tells.
var untold = map[string]string{
	"badconfig":             ownConfig,
	"badmodelprovider":      ownConfig + ", so any provider may be there",
	"chatwire":              ownConfig,
	"unknown-config-strict": ownConfig,
	"nogit":                 "the fake does not ask for a git repository",
}
