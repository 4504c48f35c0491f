package claudecode

import (
	"bytes"
	"fmt"
	"io"
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

// envHeap makes a test process measure a line of that many bytes, of a kind.
const envHeap = "CLAUDECODE_HEAP"

// longLine is a line with a text of about size bytes, made as it is read.
func longLine(before, unit, after string, size int) io.Reader {
	return io.MultiReader(strings.NewReader(before), &repeated{unit: unit, left: size}, strings.NewReader(after+"\n"))
}

// repeated is a unit again and again.
type repeated struct {
	unit     string
	at, left int
}

func (r *repeated) Read(b []byte) (int, error) {
	if r.left <= 0 && r.at == 0 {
		return 0, io.EOF
	}
	n := copy(b, r.unit[r.at:])
	r.at = (r.at + n) % len(r.unit)
	r.left -= n
	return n, nil
}

// longKinds says what stands before and after a text, and what it is made of.
var longKinds = map[string][]string{
	"assistant": {`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"`, `"}]}}`, "plain words "},
	"escapes":   {`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"`, `"}]}}`, `ñ words and a line\n`},
	"result":    {`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"`, `"}]}}`, "plain words "},
	"input":     {`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t2","name":"Write","input":{"content":"`, `"}}]}}`, "plain words "},
}

// A line of any size up to the bound is read with at most three times its length of
// live heap, the event included that it becomes; so is the result that repeats it.
// The heap is measured in a process of its own, after each of its collections.
func TestHeapOfLongLines(t *testing.T) {
	if spec, is := os.LookupEnv(envHeap); is {
		measure(t, spec)
		return
	}
	for kind := range longKinds {
		sizes := []int{10 << 20}
		if kind == "escapes" || kind == "result" { // with and without a string to unquote
			sizes = append(sizes, 64<<20)
		}
		for _, size := range sizes {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHeapOfLongLines$", "-test.v")
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s:%d", envHeap, kind, size), "GORACE=atexit_sleep_ms=0")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s of %d bytes: %v\n%s", kind, size, err, out)
			}
		}
	}
}

func measure(t *testing.T, spec string) {
	kind, digits, _ := strings.Cut(spec, ":")
	size, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	debug.SetGCPercent(5)
	peak := watch()
	around := longKinds[kind]
	said := longLine(around[0], around[2], around[1], size)
	stdout := []io.Reader{strings.NewReader(called("t1", "Read") + "\n"), said}
	if around[1] == `"}]}}` && kind != "result" {
		stdout = append(stdout, longLine(`{"type":"result","subtype":"success","result":"`, around[2], `"}`, size))
	}
	m := plain()
	lines := ndjson.NewReader(io.MultiReader(stdout...), ndjson.Options{})
	var events []executor.Event // held, as an observer that is slow would have them held
	for {
		line, err := lines.Next()
		if err != nil {
			break
		}
		if line.TooLong {
			t.Fatal("the line is too long")
		}
		events = append(events, m.line(line.Number, line.Bytes)...)
	}
	events = append(events, m.finish(oneshot.Ending{})...)
	longest := 0
	for _, e := range events {
		switch e := e.(type) {
		case executor.TextDelta:
			longest = max(longest, len(e.Text))
		case executor.ToolResult:
			longest = max(longest, len(e.Output))
		case executor.ToolCall:
			longest = max(longest, len(e.Input))
		}
	}
	if longest < size*9/10 {
		t.Errorf("the longest event has %d bytes", longest)
	}
	t.Logf("%s of %d bytes: peak %.2f of the line", kind, size, float64(peak.Load())/float64(size))
	if got := peak.Load(); got > 3*uint64(size) {
		t.Errorf("peak of the live heap %d, %.2f times the line", got, float64(got)/float64(size))
	}
	runtime.KeepAlive(events)
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

// A line beyond the bound costs that line, and is reported.
func TestALineBeyondTheBoundIsSkipped(t *testing.T) {
	m := plain()
	var events []executor.Event
	lines := ndjson.NewReader(bytes.NewReader([]byte(said("m", strings.Repeat("x", 2000))+"\n"+said("n", "Short.")+"\n"+success)), ndjson.Options{MaxLine: 1000})
	for {
		line, err := lines.Next()
		if err != nil {
			break
		}
		if line.TooLong {
			events = append(events, m.tooLong(line.Number, line.Length)...)
			continue
		}
		events = append(events, m.line(line.Number, line.Bytes)...)
	}
	events = append(events, m.finish(oneshot.Ending{})...)
	if e, is := events[0].(executor.Error); !is || e.Fatal || *e.Code != executor.CodeMalformedFrame {
		t.Errorf("%v", showAll(events))
	}
	if d := events[len(events)-1].(executor.Done); d.Reason != executor.ReasonSuccess || d.Summary != "Short." {
		t.Errorf("%v", showAll(events))
	}
}
