package codex

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// believed is the text that an observer believes in: what follows the last restart.
func believed(events []executor.Event) string {
	var out strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case executor.Status:
			if e.Detail == executor.DetailTextRestarted {
				out.Reset()
			}
		case executor.TextDelta:
			if !e.OnReasoning() {
				out.WriteString(e.Text)
			}
		}
	}
	return out.String()
}

// Whatever comes in whatever order, an observer of a run that went well has read what
// stands in the end, and at no time nothing where something stands for good.
func TestSpeechTellsWhatStands(t *testing.T) {
	texts := []string{"a", "ab", "b", "aba", "a a", " b", "\n"}
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := speech{channel: executor.Assistant}
		var told []executor.Event
		var steps []string
		id := 0
		for range 1 + r.IntN(14) {
			step, text := r.IntN(8), texts[r.IntN(len(texts))]
			if step > 3 && r.IntN(3) == 0 {
				id++
			}
			name := fmt.Sprint("m", id)
			switch step {
			case 0:
				s.retry()
				text = "retry"
			case 1:
				told = append(told, s.elsewhere()...)
				text = "elsewhere"
			case 2:
				s.overtake()
				text = "overtake"
			case 3:
				told = append(told, s.begin(name)...)
				text = "begin " + name
			case 4, 5, 6:
				told = append(told, s.delta(name, text)...)
				text = fmt.Sprintf("delta %s %q", name, text)
			case 7:
				told = append(told, s.whole(name, text)...)
				text = fmt.Sprintf("whole %s %q", name, text)
			}
			steps = append(steps, text)
			// What is not told yet is either held or was read before.
			if got, stands := believed(told), s.stands(); !strings.HasPrefix(stands, got) && !strings.HasPrefix(got, stands) && s.echo.text == "" {
				t.Fatalf("seed %d: %q is read where %q stands after %q", seed, got, stands, steps)
			}
		}
		told = append(told, s.conclude()...)
		if got, want := believed(told), s.stands(); got != want && want != "" {
			t.Fatalf("seed %d: %q is read in the end, want %q after %q", seed, got, want, steps)
		}
	}
}

// Lines of any bytes make no trouble, and one done.
func FuzzLines(f *testing.F) {
	f.Add([]byte(begin + said(0, "Hi.") + ok))
	f.Add([]byte(shaken + started + delta("m", "Hi.") + wholeOf("m", "Hi.") + counted(1, 0, 1) + idle + ended(`"status":"completed"`)))
	f.Fuzz(func(t *testing.T, stdout []byte) {
		d := plainDesk()
		defer d.talk.console.lines.Close()
		for _, w := range []wire{&execWire{execMapper: plain()}, d.serverWire} {
			var events []executor.Event
			for i, line := range strings.Split(string(stdout), "\n") {
				events = append(events, w.Line(int64(i+1), []byte(line))...)
			}
			events = append(events, w.Finish(oneshot.Ending{How: "exit code 0"})...)
			for i, e := range events {
				if _, is := e.(executor.Done); is != (i == len(events)-1) {
					t.Fatalf("event %d of %d is %v", i, len(events), e)
				}
			}
			judge(t, enveloped(events))
		}
	})
}
