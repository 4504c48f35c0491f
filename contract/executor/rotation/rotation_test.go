package rotation_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/rotation"
)

func TestShouldRotate(t *testing.T) {
	for _, c := range []struct {
		name         string
		used, window int64
		threshold    float64
		want         bool
	}{
		{"below", 84, 100, 0.85, false},
		{"exactly there", 85, 100, 0.85, true},
		{"beyond", 86, 100, 0.85, true},
		{"beyond the window", 300, 100, 0.85, true},
		{"real numbers, one short", 169_999, 200_000, 0.85, false},
		{"real numbers", 170_000, 200_000, 0.85, true},
		{"no window", 100, 0, 0.85, false},
		{"a window below zero", 100, -1, 0.85, false},
		{"no threshold", 100, 100, 0, false},
		{"a threshold below zero", 100, 100, -0.1, false},
		{"a threshold of one", 100, 100, 1, true},
		{"a threshold beyond one is not clamped", 100, 100, 1.5, false},
		{"a threshold beyond one, reached", 150, 100, 1.5, true},
		{"a threshold that is not a number", 100, 100, math.NaN(), false},
		{"nothing used", 0, 100, 0.85, false},
		{"less than nothing used", -5, 100, 0.85, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := rotation.ShouldRotate(c.used, c.window, c.threshold); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestDefault(t *testing.T) {
	if diff := cmp.Diff(rotation.Policy{Threshold: 0.85, MaxRotations: 3}, rotation.Default()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var never rotation.Policy
	if rotation.ShouldRotate(100, 100, never.Threshold) {
		t.Error("the zero policy rotates")
	}
}

// The watermark is the last model call's, never the run's sum, and never what
// done restates.
func TestWatermark(t *testing.T) {
	cached := int64(700)
	cost := func(in, out int64) executor.Event {
		return executor.Cost{Usage: executor.Usage{InputTokens: in, OutputTokens: out}}
	}
	for _, c := range []struct {
		name   string
		events []executor.Event
		want   int64
	}{
		{"nothing said", nil, 0},
		{"one call", []executor.Event{cost(100, 20)}, 120},
		{"the last of three, not their sum", []executor.Event{cost(100, 20), cost(150, 30), cost(200, 5)}, 205},
		{"a smaller context counts as well", []executor.Event{cost(900, 20), cost(100, 20)}, 120},
		{"cached input is input", []executor.Event{executor.Cost{Usage: executor.Usage{InputTokens: 100, OutputTokens: 20, CachedInputTokens: &cached}}}, 820},
		{"done restates sums", []executor.Event{
			cost(100, 20), cost(150, 30),
			executor.Done{Reason: executor.ReasonSuccess, Usage: &executor.Usage{InputTokens: 250, OutputTokens: 50}},
		}, 180},
		{"a cost without usage tells nothing", []executor.Event{cost(100, 20), cost(0, 0)}, 120},
		{"other kinds tell nothing", []executor.Event{
			cost(100, 20), executor.TextDelta{Text: "x"}, executor.ToolCall{ID: "t"}, executor.ToolResult{ID: "t"},
			executor.Status{Phase: executor.PhaseTurnComplete}, executor.Error{Message: "m"},
		}, 120},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w rotation.Watermark
			for _, e := range c.events {
				w.Observe(e)
			}
			if got := w.Tokens(); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestNote(t *testing.T) {
	id := "native-id"
	h := rotation.Handoff{
		TaskID: "task-id", PredecessorSessionKey: "session-key", PredecessorSessionID: &id,
		Reason: rotation.MaxTurns, LastSummary: strings.Repeat("long ", 200) + "\nsecond line", TokensUsed: 987654, RotationIndex: 2,
	}
	lines := strings.Split(h.Note(), "\n")
	want := []string{"- Reason: max_turns", "- Rotation: #2", "- Last progress: " + strings.Repeat("long ", 200), "second line"}
	if diff := cmp.Diff(want, lines[1:len(lines)-1]); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if !strings.Contains(lines[0], "Session handoff (rotation)") || !strings.Contains(lines[0], "context limit") {
		t.Errorf("headline %q", lines[0])
	}
	if last := lines[len(lines)-1]; !strings.Contains(last, "only the context you actually need") {
		t.Errorf("closing line %q", last)
	}
	for _, secret := range []string{"task-id", "session-key", "native-id", "987654"} {
		if strings.Contains(h.Note(), secret) {
			t.Errorf("%s is in the note", secret)
		}
	}
	h.LastSummary, h.Reason = "", rotation.ContextWatermark
	lines = strings.Split(h.Note(), "\n")
	if diff := cmp.Diff([]string{"- Reason: context_watermark", "- Rotation: #2"}, lines[1:len(lines)-1]); diff != "" {
		t.Errorf("lines without a summary (-want +got):\n%s", diff)
	}
}

// plain is an adapter without a codec. Any call of its contract methods would
// panic: Rotate makes none.
type plain struct{ executor.Adapter }

// coded is an adapter with a codec that logs what it is asked.
type coded struct {
	plain
	err error
	log *[]string
}

func (c coded) Serialize(_ context.Context, run *executor.Run) (string, error) {
	*c.log = append(*c.log, "serialize "+run.SessionKey())
	return "blob", c.err
}

func (coded) Restore(context.Context, string) (*executor.Run, error) { panic("not asked for") }

func TestRotate(t *testing.T) {
	full := errors.New("disk full")
	refused := errors.New("refused")
	for _, c := range []struct {
		name                       string
		codec                      bool
		codecErr, restart, writing error
		noRecord                   bool
		log                        []string
		blob                       *string
	}{
		{name: "with a codec", codec: true, log: []string{"serialize old", "restart", "record"}, blob: new("blob")},
		{name: "without a codec", log: []string{"restart", "record"}},
		{name: "a codec that fails is no codec", codec: true, codecErr: full, log: []string{"serialize old", "restart", "record"}},
		{name: "a codec that this instance lacks", codec: true, codecErr: errors.ErrUnsupported, log: []string{"serialize old", "restart", "record"}},
		{name: "a failed restart records nothing", codec: true, restart: refused, log: []string{"serialize old", "restart"}},
		{name: "a failed record does not matter", codec: true, writing: full, log: []string{"serialize old", "restart", "record"}, blob: new("blob")},
		{name: "nothing to record with", codec: true, noRecord: true, log: []string{"serialize old", "restart"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log []string
			var recorded *rotation.Record
			successor := executor.NewRun("x", "new")
			r := rotation.Rotation{
				Adapter: plain{},
				Current: executor.NewRun("x", "old"),
				Handoff: rotation.Handoff{TaskID: "t", Reason: rotation.MaxTurns, RotationIndex: 1},
				Restart: func(_ context.Context, note string) (*executor.Run, error) {
					log = append(log, "restart")
					if !strings.Contains(note, "- Rotation: #1") {
						t.Errorf("note %q", note)
					}
					return successor, c.restart
				},
				Record: func(_ context.Context, r rotation.Record) error {
					log = append(log, "record")
					recorded = &r
					return c.writing
				},
			}
			if c.codec {
				r.Adapter = coded{err: c.codecErr, log: &log}
			}
			if c.noRecord {
				r.Record = nil
			}
			got, err := rotation.Rotate(t.Context(), r)
			if diff := cmp.Diff(c.log, log); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			if c.restart != nil {
				if got != nil || !errors.Is(err, c.restart) {
					t.Errorf("got %v, %v; want %v", got, err, c.restart)
				}
				return
			}
			if got != successor || err != nil {
				t.Fatalf("got %v, %v; want the successor itself", got, err)
			}
			if c.noRecord {
				return
			}
			want := rotation.Record{Serialized: c.blob, Handoff: r.Handoff}
			if diff := cmp.Diff(&want, recorded, cmpopts.IgnoreFields(rotation.Record{}, "Successor")); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
			if recorded.Successor != successor {
				t.Error("the record names another successor")
			}
		})
	}
}

func TestRotateWithoutRestart(t *testing.T) {
	if _, err := rotation.Rotate(t.Context(), rotation.Rotation{Adapter: plain{}}); err == nil {
		t.Error("no error")
	}
}

func ExampleShouldRotate() {
	caps := executor.Capabilities{ContextWindowTokens: 200_000}
	var mark rotation.Watermark
	mark.Observe(executor.Cost{Usage: executor.Usage{InputTokens: 168_000, OutputTokens: 3_000}})
	fmt.Println(rotation.ShouldRotate(mark.Tokens(), caps.ContextWindowTokens, rotation.Default().Threshold))
	// Output: true
}
