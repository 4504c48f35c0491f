package property

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// monologue is what a runtime says in one run: something, an end, and more.
type monologue struct {
	// together: all of it leaves in one write.
	together bool
	body     []fakes.Frame
	end      fakes.Frame
	late     []fakes.Frame
}

// frames in their order. The end is at len(s.body).
func (s monologue) frames() []fakes.Frame {
	return append(append(append([]fakes.Frame{}, s.body...), s.end), s.late...)
}

// GoString writes one line per frame; rapid shows drawn values this way.
func (s monologue) GoString() string {
	var b strings.Builder
	way := "one at a time"
	if s.together {
		way = "together"
	}
	frames := s.frames()
	fmt.Fprintf(&b, "%d frames, %s:", len(frames), way)
	for _, f := range frames {
		fmt.Fprintf(&b, "\n  - %s", show(f))
	}
	return b.String()
}

// another is the id of a run that is not the one under judgement.
const another = "R-another"

// scripts draws scripts that a runtime with the features can play. Few ids are in
// use, so that what can happen between frames does.
func scripts(has fakes.Features) func(*rapid.T) monologue {
	frame := rapid.OneOf(bodyFrames(has)...)
	end := rapid.SampledFrom(ends(has))
	body := flat(rapid.SliceOfN(frame, 0, 12))
	late := flat(rapid.SliceOfN(rapid.OneOf(frame, pack(end)), 0, 4))
	return func(t *rapid.T) monologue {
		s := monologue{
			together: rapid.Bool().Draw(t, "together"),
			body:     body.Draw(t, "body"),
			end:      end.Draw(t, "end"),
		}
		if has.Has(fakes.TerminalFrame) {
			// Where the wire has no terminal frame, the end of the process is the end.
			s.late = late.Draw(t, "late")
			if has.Has(fakes.Process) && len(s.late) > 0 {
				// What it says after its end is a turn of its own, and a turn has an end.
				s.late = append(s.late, fakes.End{Reason: fakes.EndOK})
			}
		}
		n := &settler{}
		n.settle(s.body)
		n.settle(s.late)
		return s
	}
}

// settler makes of independent frames what a runtime can mean: it counts upward,
// and streams each call once.
type settler struct {
	in, out int64
	usd     float64
	calls   int
}

func (n *settler) settle(frames []fakes.Frame) {
	for i, f := range frames {
		switch f := f.(type) {
		case fakes.Usage:
			frames[i] = n.total(f)
		case fakes.CallPart:
			if f.ID != "" {
				n.calls++
				f.ID = streamed(n.calls)
			}
			frames[i] = f
		case fakes.ToolCall:
			f.ID = n.known(f.ID)
			frames[i] = f
		case fakes.Result:
			f.ID = n.known(f.ID)
			frames[i] = f
		}
	}
}

// known is the id, or another one while the call has not been streamed.
func (n *settler) known(id string) string {
	if id == streamed(1) && n.calls == 0 {
		return "t1"
	}
	return id
}

// total turns the increments of a running total into totals.
func (n *settler) total(u fakes.Usage) fakes.Usage {
	n.in, n.out = n.in+*u.In, n.out+*u.Out
	if u.CostUSD != nil {
		n.usd += *u.CostUSD
	}
	switch u.Kind {
	case fakes.UsageTotal:
		u.In, u.Out = new(n.in), new(n.out)
	case fakes.UsageLast:
		u.TotalIn, u.TotalOut = new(n.in), new(n.out)
	default:
		return u
	}
	if u.CostUSD != nil {
		u.CostUSD = new(n.usd)
	}
	return u
}

// flat joins drawn pieces of a script.
func flat(g *rapid.Generator[[][]fakes.Frame]) *rapid.Generator[[]fakes.Frame] {
	return rapid.Map(g, func(pieces [][]fakes.Frame) []fakes.Frame {
		var frames []fakes.Frame
		for _, p := range pieces {
			frames = append(frames, p...)
		}
		return frames
	})
}

// pack makes a piece of one frame.
func pack(g *rapid.Generator[fakes.Frame]) *rapid.Generator[[]fakes.Frame] {
	return rapid.Map(g, func(f fakes.Frame) []fakes.Frame { return []fakes.Frame{f} })
}

// ends are the frames with which a runtime may end a run.
func ends(has fakes.Features) []fakes.Frame {
	list := []fakes.Frame{fakes.End{Reason: fakes.EndOK}}
	if has.Has(fakes.TerminalFrame) {
		list = append(list, fakes.End{Reason: fakes.EndOK, Text: "in short"}, fakes.End{Reason: fakes.EndOK, Error: true, Text: "failed"})
	}
	list = append(list, fakes.Failure{Code: "quota", Message: "used up", Fatal: true})
	for _, more := range []struct {
		need  fakes.Feature
		frame fakes.Frame
	}{
		{fakes.MaxTurns, fakes.End{Reason: fakes.EndMaxTurns}},
		{fakes.TokenLimit, fakes.End{Reason: fakes.EndLength}},
		{fakes.CutStream, fakes.Cut{}},
	} {
		if has.Has(more.need) {
			list = append(list, more.frame)
		}
	}
	return list
}
