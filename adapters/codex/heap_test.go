package codex

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/ndjson"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// envHeap makes a test process measure a line: its kind, and how many bytes it has.
const envHeap = "CODEX_HEAP"

// longLines are lines with a place for a long text.
var longLines = map[string]struct {
	server             bool
	before, after, say string
}{
	"message":        {false, `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"`, `"}}`, "plain words "},
	"escapes":        {false, `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"`, `"}}`, `ñ words and a line\n`},
	"output":         {false, `{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"ls","aggregated_output":"`, `","exit_code":0,"status":"completed"}}`, "plain words "},
	"server message": {true, `{"method":"item/completed","params":{"threadId":"T","turnId":"t","item":{"type":"agentMessage","id":"m","text":"`, `"}}}`, "plain words "},
	"server output":  {true, `{"method":"item/completed","params":{"threadId":"T","turnId":"t","item":{"type":"commandExecution","id":"c","command":"ls","status":"completed","aggregatedOutput":"`, `","exitCode":0}}}`, "plain words "},
	"server noise":   {true, `{"method":"turn/diff/updated","params":{"threadId":"T","turnId":"t","diff":"`, `"}}`, "plain words "},
}

// A line of 10 MiB is read with a few times its length of live heap, the event included
// that it becomes. The heap is measured in a process of its own, after each of its
// collections.
func TestHeapOfLongLines(t *testing.T) {
	if spec, is := os.LookupEnv(envHeap); is {
		measure(t, spec)
		return
	}
	for kind := range longLines {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHeapOfLongLines$", "-test.v")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s:%d", envHeap, kind, 10<<20), "GORACE=atexit_sleep_ms=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", kind, err, out)
		}
		if _, line, found := strings.Cut(string(out), "peak of "); found {
			line, _, _ = strings.Cut(line, "\n")
			t.Logf("peak of %s", line)
		}
	}
}

// most is how much live heap a line may take, in its own length: the line as it was
// read, the text in it and what that is unquoted through, and what a collection has not
// seen yet.
const most = 4

func measure(t *testing.T, spec string) {
	kind, digits, _ := strings.Cut(spec, ":")
	size, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	debug.SetGCPercent(5)
	long := longLines[kind]
	stdout := []byte(long.before + strings.Repeat(long.say, size/len(long.say)) + long.after + "\n")
	peak, base := watch(), uint64(len(stdout)) // the test's own copy
	var w wire = &execWire{execMapper: plain()}
	if long.server {
		d := plainDesk()
		defer d.talk.console.lines.Close()
		w = d.serverWire
	}
	lines := ndjson.NewReader(bytes.NewReader(stdout), ndjson.Options{})
	var events []executor.Event // held, as an observer that is slow would have them held
	for {
		line, err := lines.Next()
		if err != nil {
			break
		}
		events = append(events, w.Line(line.Number, line.Bytes)...)
	}
	events = append(events, w.Finish(oneshot.Ending{})...)
	longest := 0
	for _, e := range events {
		switch e := e.(type) {
		case executor.TextDelta:
			longest = max(longest, len(e.Text))
		case executor.ToolResult:
			longest = max(longest, len(e.Output))
		}
	}
	if longest < size*9/10 && kind != "server noise" {
		t.Errorf("the longest event has %d bytes", longest)
	}
	got := peak.Load() - min(base, peak.Load())
	t.Logf("peak of %s: %.2f times the line", kind, float64(got)/float64(size))
	if got > most*uint64(size) {
		t.Errorf("peak of the live heap %d, %.2f times the line", got, float64(got)/float64(size))
	}
	runtime.KeepAlive(events)
	runtime.KeepAlive(stdout)
}

// watch notes the live heap after each collection.
func watch() *atomic.Uint64 {
	var peak atomic.Uint64
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	type sentinel struct{ _ [16]byte }
	var arm func()
	arm = func() {
		runtime.SetFinalizer(new(sentinel), func(*sentinel) {
			metrics.Read(sample)
			peak.Store(max(peak.Load(), sample[0].Value.Uint64()))
			arm()
		})
	}
	arm()
	return &peak
}
