package property

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// bodyFrames are the pieces of a script that do not end a run, each as often as it
// shall be drawn. The first is what shrinking ends in.
func bodyFrames(has fakes.Features) []*rapid.Generator[[]fakes.Frame] {
	var out []*rapid.Generator[[]fakes.Frame]
	add := func(weight int, g *rapid.Generator[[]fakes.Frame], needs ...fakes.Feature) {
		for _, need := range needs {
			if !has.Has(need) {
				return
			}
		}
		for range weight {
			out = append(out, g)
		}
	}
	add(3, one(drawDelta), fakes.Deltas)
	add(2, one(drawFinal))
	add(4, one(drawCall), fakes.Tools)
	add(4, one(drawResult), fakes.Tools)
	add(1, one(drawThink), fakes.ReasoningText)
	add(1, one(drawSnapshot), fakes.Retract)
	add(1, one(drawPlaced(has.Has(fakes.Process))), fakes.Deltas, fakes.Retract)
	add(2, rapid.Custom(drawStreamed), fakes.Tools, fakes.PartialInput)
	add(2, one(drawUsage(has.Has(fakes.Money))), fakes.UsageFrames)
	add(1, one(drawMild))
	add(1, one(drawTurn))
	add(1, one(drawNative), fakes.UnknownFrames)
	add(1, one(drawForeign), fakes.NativeRunID)
	add(1, rapid.Just([]fakes.Frame{hello(has)}), fakes.InitFrame)
	return out
}

func one(draw func(*rapid.T) fakes.Frame) *rapid.Generator[[]fakes.Frame] {
	return pack(rapid.Custom(draw))
}

// The ids that a runtime gives its run and its session. Some adapters resume by
// sessions of this shape alone.
const (
	runID     = "R-1"
	sessionID = "0a1b2c3d-4e5f-7061-8273-8495a6b7c8d9"
)

// hello is the first life sign of a run.
func hello(has fakes.Features) fakes.Frame {
	f := fakes.Init{Session: sessionID}
	if has.Has(fakes.NativeRunID) {
		f.Run = runID
	}
	return f
}

func pick[E any](t *rapid.T, label string, from ...E) E {
	return rapid.SampledFrom(from).Draw(t, label)
}

// text may be empty, blank, a repetition, or not ASCII.
func text(t *rapid.T) string { return pick(t, "text", "a", "b", "", " ", "ab", "\r\n", "é🦜") }

// callID may be that of a streamed call, see settler.
func callID(t *rapid.T) string { return pick(t, "id", "t1", "t2", streamed(1)) }

// streamed is the id of the nth call whose input is streamed.
func streamed(n int) string { return fmt.Sprintf("s%d", n) }

func toolName(t *rapid.T) string { return pick(t, "name", "shell", "read") }

// value is the JSON text of any type of value; empty is null.
func value(t *rapid.T) string {
	return pick(t, "input", `{}`, "", `{"command":"ls","n":[1,null]}`, `"x"`, `[1]`, `0`)
}

func drawDelta(t *rapid.T) fakes.Frame {
	return fakes.Delta{Text: text(t), Part: pick(t, "part", "", "", "p2")}
}

func drawFinal(t *rapid.T) fakes.Frame {
	f := fakes.Final{Msg: pick(t, "message", "", "", "m2")}
	if !pick(t, "null", false, false, false, true) {
		f.Text = new(text(t))
	}
	return f
}

func drawThink(t *rapid.T) fakes.Frame { return fakes.Think{Text: text(t)} }

func drawSnapshot(t *rapid.T) fakes.Frame {
	return fakes.Snapshot{Text: pick(t, "text", "a", "ab", "abc", "b", ""), Part: pick(t, "part", "", "p2")}
}

// drawPlaced draws a piece that replaces what was said from a place on. A process knows
// only when it plays such a piece whether its text is as long, so that of one is the
// beginning.
func drawPlaced(process bool) func(*rapid.T) fakes.Frame {
	most := 3
	if process {
		most = 0
	}
	return func(t *rapid.T) fakes.Frame {
		return fakes.Delta{Text: text(t), At: new(rapid.IntRange(0, most).Draw(t, "at"))}
	}
}

func drawCall(t *rapid.T) fakes.Frame {
	return fakes.ToolCall{ID: callID(t), Name: toolName(t), Input: value(t)}
}

func drawResult(t *rapid.T) fakes.Frame {
	return fakes.Result{ID: callID(t), Name: toolName(t), Out: text(t), Error: rapid.Bool().Draw(t, "error")}
}

// drawStreamed is one or two calls whose inputs come in pieces, in turn. All of the
// input comes: a runtime that stops in the middle of one has failed. The ids are
// settler's to give, as no runtime streams one call twice.
func drawStreamed(t *rapid.T) []fakes.Frame {
	var frames []fakes.Frame
	var left []string
	for i := range rapid.IntRange(1, 2).Draw(t, "calls") {
		input := pick(t, "input", `{}`, `{"p":"q"}`, `{"list":[1,2]}`)
		cut := rapid.IntRange(0, len(input)).Draw(t, "cut")
		frames = append(frames, fakes.CallPart{Index: i, ID: streamed(i + 1), Name: toolName(t), Fragment: input[:cut]})
		left = append(left, input[cut:])
	}
	for i, fragment := range left {
		frames = append(frames, fakes.CallPart{Index: i, Fragment: fragment})
	}
	return frames
}

// drawUsage draws increments; settler makes totals of them.
func drawUsage(money bool) func(*rapid.T) fakes.Frame {
	return func(t *rapid.T) fakes.Frame {
		f := fakes.Usage{
			Kind: pick(t, "kind", fakes.UsageTurn, fakes.UsageTotal, fakes.UsageLast),
			In:   new(rapid.Int64Range(0, 9).Draw(t, "in")),
			Out:  new(rapid.Int64Range(0, 9).Draw(t, "out")),
		}
		if rapid.Bool().Draw(t, "cached") {
			f.CacheRead = new(rapid.Int64Range(0, 9).Draw(t, "cache"))
		}
		if money && rapid.Bool().Draw(t, "priced") {
			f.CostUSD = new(float64(rapid.IntRange(0, 4).Draw(t, "quarters")) / 4)
		}
		return f
	}
}

func drawMild(t *rapid.T) fakes.Frame {
	return fakes.Failure{Code: pick(t, "code", "", "503"), Message: "try again"}
}

func drawTurn(t *rapid.T) fakes.Frame {
	return fakes.Turn{State: pick(t, "state", "thinking", "running", "turn-complete", "idle", "retry", "text-end", "compact")}
}

// drawNative is a frame of a type that no runtime has, with fields that look like
// those that some have.
func drawNative(t *rapid.T) fakes.Frame {
	return fakes.Native{
		Type:   pick(t, "type", "brand_new_2031", "limit_heartbeat"),
		Fields: pick(t, "fields", "", `{"done":true,"status":"failed"}`, `{"id":"t1","text":"a","error":{"message":"no"}}`),
	}
}

// drawForeign is a frame of a run that is not this one.
func drawForeign(t *rapid.T) fakes.Frame {
	return pick[fakes.Frame](t, "foreign",
		fakes.Delta{Text: "not mine", Run: another},
		fakes.Result{ID: "t1", Name: "shell", Out: "not mine", Run: another},
		fakes.Failure{Code: "quota", Message: "not mine", Fatal: true, Run: another},
		fakes.End{Reason: fakes.EndOK, Text: "not mine", Run: another},
	)
}
