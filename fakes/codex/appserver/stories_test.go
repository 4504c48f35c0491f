package appserver_test

import "strings"

// spent is what each call of the recorded model spent.
const spent = "  - usage: {in: 100, cacheRead: 30, out: 20, reasoning: 5}\n"

// said is a message in the pieces in which it was recorded.
func said(pieces ...string) string {
	var steps strings.Builder
	for _, p := range pieces {
		steps.WriteString("  - delta: \"" + p + "\"\n")
	}
	steps.WriteString("  - final: \"" + strings.Join(pieces, "") + "\"\n")
	return steps.String()
}

const (
	ticks     = "  - init\n  - delta: \"tick 0 \"\n  - delta: \"tick 1 \"\n  - delta: \"tick 2 \"\n  - delta: \"tick 3 \"\n  - silent\n"
	newFile   = "  - init\n  - call: {id: t1, name: apply_patch, input: {changes: [{path: new.txt, kind: add, diff: \"hello\\n\"}]}}\n"
	patched   = "  - result: {id: t1, out: \"Success. Updated the following files:\\nA new.txt\\n\"}\n"
	askPatch  = "  - ask: {id: \"0\", tool: apply_patch}\n"
	askList   = "  - init\n  - call: {id: t1, name: shell, input: {command: \"/bin/bash -lc 'ls -1'\", justification: \"because the test says so\"}}\n  - ask: {id: \"0\", tool: shell}\n"
	listed    = "  - result: {id: t1, out: \"a.txt\\nb.txt\\nnew.txt\\n\"}\n"
	ended     = "  - end: ok\n"
	cutStream = "stream disconnected before completion: Transport error: network error: error decoding response body"
	halfOf    = "  - delta: \"Half \"\n  - delta: \"of an \"\n  - delta: \"answ\"\n"
	refused   = "unexpected status 401 Unauthorized: Incorrect API key provided: dummy., url: http://127.0.0.1:<PORT>/s/err401/v1/responses, request id: "
	diffOf    = "diff --git a/new.txt b/new.txt\\nnew file mode 100644\\nindex 0000000000000000000000000000000000000000..ce013625030ba8dba906f756967f9e9ca394464a\\n" +
		"--- /dev/null\\n+++ b/new.txt\\n@@ -0,0 +1 @@\\n+hello\\n"
)

// stories has, for each recording, the script that tells the same story. Those without
// steps are of clients that asked for no turn.
var stories = map[string]string{
	"app-text":     "  - init\n" + said("Hello f", "rom the", " fake p", "rovider", ".") + spent + ended,
	"app-thinking": "  - init\n  - think: \"**Thinkin\"\n  - think: \"g** about\"\n  - think: \" this.\"\n" + said("Thought", " about ", "it.") + spent + ended,
	"app-tool1": "  - init\n" + said("I will ", "list th", "e direc", "tory.") + "  - call: {id: t1, name: exec, input: \"/bin/bash -lc 'ls -1'\"}\n" + listed + spent +
		said("The dir", "ectory ", "has two", " files.") + spent + ended,
	"app-parallel": "  - init\n" + said("Two at ", "once.") +
		"  - call: {id: t1, name: shell, input: {command: \"/bin/bash -lc 'echo one'\"}}\n  - result: {id: t1, out: \"one\\n\"}\n" +
		"  - call: {id: t2, name: shell, input: {command: \"/bin/bash -lc 'echo two'\"}}\n  - result: {id: t2, out: \"two\\n\"}\n" + spent +
		said("Both do", "ne.") + spent + ended,
	"app-patch": newFile + patched + spent + said("Patched", ".") + spent + ended,
	"app-plan":  "  - init\n" + spent + spent + said("Planned", ".") + spent + ended,

	"app-approve-accept":      newFile + askPatch + "  - result: {id: t1, out: done, details: {diff: \"" + diffOf + "\"}}\n" + spent + said("Patched", ".") + spent + ended,
	"app-approve-decline":     newFile + askPatch + patched + spent + said("Patched", ".") + spent + ended,
	"app-approve-rpcerror":    newFile + askPatch + patched + spent + said("Patched", ".") + spent + ended,
	"app-approve-cancel":      newFile + askPatch + spent + ended,
	"app-approve-eof":         newFile + askPatch + spent + ended,
	"app-approve-cmd":         askList + listed + spent + said("Ran it.") + spent + ended,
	"app-approve-cmd-decline": askList + listed + spent + said("Ran it.") + spent + ended,

	"app-cut": "  - init\n" + halfOf + "  - turn: {state: retry, text: \"Reconnecting... 1/1 (" + cutStream + ")\"}\n" + halfOf +
		"  - error: {fatal: true, msg: \"" + cutStream + "\"}\n",
	"app-err401": "  - init\n  - error: {code: \"401\", msg: \"Reconnecting... 1/1 (" + refused + "a)\"}\n  - error: {code: \"401\", fatal: true, msg: \"" + refused + "b\"}\n",

	"app-interrupt":      ticks,
	"app-interrupt-tool": "  - init\n  - call: {id: t1, name: shell, input: {command: \"/bin/bash -lc 'sleep 30; echo done'\"}}\n" + spent + "  - silent\n",
	"app-steer": ticks + "  - delta: \"tick 0 \"\n  - delta: \"tick 1 \"\n  - delta: \"tick 2 \"\n  - delta: \"tick 3 \"\n  - delta: \"tick 4 \"\n" +
		"  - delta: \"tick 5 \"\n  - delta: \"tick 6 \"\n  - delta: \"tick 7 \"\n  - delta: \"tick 8 \"\n  - delta: \"tick 9 \"\n  - silent\n",
	"app-eof-midturn":  ticks,
	"app-sigterm":      ticks,
	"app-sigint":       ticks,
	"app-sigint-twice": ticks,

	"app-noinit":         "",
	"app-badjson":        "",
	"app-jsonrpc-field":  "",
	"app-unknown-method": "",
}
