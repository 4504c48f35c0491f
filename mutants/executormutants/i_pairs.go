package executormutants

import (
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func pairMutants() []Mutant {
	const topic = "executor.tools."
	const parallel, restated, nameless, before, twice, nothing, half, index = topic + "parallel", topic + "call-restated", topic + "nameless",
		topic + "result-before-call", topic + "result-twice", topic + "result-of-nothing", topic + "half-input", topic + "index-reused"
	// raw is a twist that passes the runtime's results on as they come.
	raw := func(change func(fakes.Result) executor.ToolResult) twist {
		return func(*right) hooks {
			var pending []executor.Event
			return hooks{
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if r, ok := f.(fakes.Result); ok {
						e := change(r)
						pending = append(pending, e)
						// A mild error carries it through the right adapter, in its place.
						return []fakes.Frame{fakes.Failure{Code: "result", Message: fmt.Sprint(len(pending) - 1)}}
					}
					return []fakes.Frame{f}
				},
				rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
					return func(e executor.Event) []executor.Event {
						if err, ok := e.(executor.Error); ok && err.Code != nil && *err.Code == "result" {
							var n int
							if _, scanned := fmt.Sscan(err.Message, &n); scanned == nil {
								return one(pending[n])
							}
						}
						if r, ok := e.(executor.ToolResult); ok && r.IsError {
							return nil // the right adapter has seen no result at all
						}
						return one(e)
					}
				},
			}
		}
	}
	asIs := func(r fakes.Result) executor.ToolResult {
		return executor.ToolResult{ID: r.ID, Name: r.Name, Output: r.Out, IsError: r.Error}
	}
	return []Mutant{
		mutant("x-results-in-order", parallel, "tool-result-swapped", "gives results to open calls in the order of the calls", rewriting(func() func(executor.Event) []executor.Event {
			var open []string
			return func(e executor.Event) []executor.Event {
				switch e := e.(type) {
				case executor.ToolCall:
					open = append(open, e.ID)
				case executor.ToolResult:
					if len(open) > 0 {
						e.ID, open = open[0], open[1:]
						return one(e)
					}
				}
				return one(e)
			}
		})),
		mutant("x-one-call-open", parallel, "tool-call-lost", "knows one open call at a time", rewriting(func() func(executor.Event) []executor.Event {
			open, lost := "", map[string]bool{}
			return func(e executor.Event) []executor.Event {
				switch e := e.(type) {
				case executor.ToolCall:
					if open != "" {
						lost[e.ID] = true
						return nil
					}
					open = e.ID
				case executor.ToolResult:
					if lost[e.ID] {
						return nil
					}
					open = ""
				}
				return one(e)
			}
		})),
		mutant("x-parallel-result-lost", parallel, "tool-result-lost", "drops a result that does not come first", rewriting(func() func(executor.Event) []executor.Event {
			n := 0
			return func(e executor.Event) []executor.Event {
				if e.Kind() == executor.KindToolResult {
					if n++; n > 1 {
						return nil
					}
				}
				return one(e)
			}
		})),
		mutant("x-parallel-shared-id", parallel, "tool-call-repeated", "gives calls of one message one id", called(func(e *executor.ToolCall) { e.ID = "call" })),
		mutant("x-parallel-result-unnamed", parallel, "tool-result-unknown", "names a result by its tool", answered(func(e *executor.ToolResult) { e.ID = e.Name })),
		mutant("x-parallel-results-twice", parallel, "tool-result-repeated", "gives all results again when the last one comes", rewriting(func() func(executor.Event) []executor.Event {
			var all []executor.Event
			return func(e executor.Event) []executor.Event {
				if e.Kind() == executor.KindToolResult {
					all = append(all, e)
					return append([]executor.Event(nil), all...)
				}
				return one(e)
			}
		})),

		mutant("R10", restated, "tool-call-repeated", "announces a call each time that the runtime tells of it", func(*right) hooks {
			n := 0
			return hooks{
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if c, ok := f.(fakes.ToolCall); ok {
						if n++; n > 1 {
							c.ID = fmt.Sprintf("%s#%d", c.ID, n)
						}
						return []fakes.Frame{c}
					}
					return []fakes.Frame{f}
				},
				rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
					return func(e executor.Event) []executor.Event {
						if c, ok := e.(executor.ToolCall); ok {
							c.ID, _, _ = strings.Cut(c.ID, "#")
							return one(c)
						}
						return one(e)
					}
				},
			}
		}),
		mutant("R48", restated, "tool-call-repeated", "announces a call at its begin and again at its end", edit(func(e executor.ToolResult) []executor.Event {
			return []executor.Event{executor.ToolCall{ID: e.ID, Name: e.Name, Input: "{}"}, e}
		})),
		mutant("x-restated-call-lost", restated, "tool-call-lost", "waits for the second announcement of a call", hears(func(fakes.ToolCall) []fakes.Frame { return nil })),

		mutant("R08", nameless, "tool-call-id-empty", "leaves the id empty where the runtime gives none", called(func(e *executor.ToolCall) {
			if strings.HasPrefix(e.ID, "call-") {
				e.ID = ""
			}
		})),
		mutant("R09", nameless, "tool-call-id-shared", "makes ids of run and tool, so that two calls share one", rewrites(func(e executor.Event) []executor.Event {
			switch e := e.(type) {
			case executor.ToolCall:
				e.ID = "run:" + e.Name
				return one(e)
			case executor.ToolResult:
				e.ID = "run:" + e.Name
				return one(e)
			}
			return one(e)
		})),
		mutant("x-nameless-lost", nameless, "tool-call-lost", "drops a call that the runtime gives no id", hears(func(f fakes.ToolCall) []fakes.Frame {
			if f.ID == "" {
				return nil
			}
			return []fakes.Frame{f}
		})),
		mutant("R38", nameless, "tool-result-unknown", "leaves the id of a result empty where its call has none", answered(func(e *executor.ToolResult) { e.ID = "" })),

		mutant("x-result-any-order", before, "tool-result-unknown", "passes results on as they come", raw(asIs)),
		mutant("x-result-backward", before, "tool-result-early", "gives an early result to a call that is not whole", func(r *right) hooks {
			h := raw(asIs)(r)
			pass := h.rewrite
			h.rewrite = func(run *executor.Run) func(executor.Event) []executor.Event {
				next := pass(run)
				return func(e executor.Event) []executor.Event {
					out := next(e)
					for _, made := range out {
						if res, ok := made.(executor.ToolResult); ok {
							return []executor.Event{executor.ToolCall{ID: res.ID, Name: res.Name, Partial: true}, res}
						}
					}
					return out
				}
			}
			return h
		}),
		mutant("x-answered-call-dropped", before, "tool-call-lost", "drops a call whose result has come already", func(*right) hooks {
			answered := map[string]bool{}
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				switch f := f.(type) {
				case fakes.Result:
					answered[f.ID] = true
				case fakes.ToolCall:
					if answered[f.ID] {
						return nil
					}
				}
				return []fakes.Frame{f}
			}}
		}),

		mutant("x-second-result", twice, "tool-result-repeated", "passes a second result on", raw(asIs)),
		mutant("x-last-result-counts", twice, "tool-result-replaced", "lets the last of two results count", func(*right) hooks {
			last := map[string]fakes.Result{}
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				switch f := f.(type) {
				case fakes.Result:
					last[f.ID] = f
					return nil
				case fakes.End:
					var out []fakes.Frame
					for _, r := range last {
						out = append(out, r)
					}
					return append(out, f)
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-both-results-dropped", twice, "tool-result-lost", "drops both of two results", drop(every[executor.ToolResult])),

		mutant("x-ghost-result", nothing, "tool-result-unknown", "passes on a result of a call that nobody announced", raw(asIs)),
		mutant("x-ghost-relabelled", nothing, "tool-result-relabelled", "gives a result of nothing to the call that is open", func(*right) hooks {
			open := ""
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				switch f := f.(type) {
				case fakes.ToolCall:
					open = f.ID
				case fakes.Result:
					f.ID = open
					return []fakes.Frame{f}
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-ghost-closes", nothing, "tool-result-lost", "believes no result after one of nothing", func(*right) hooks {
			known, lost := map[string]bool{}, false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				switch f := f.(type) {
				case fakes.ToolCall:
					known[f.ID] = true
				case fakes.Result:
					if lost = lost || !known[f.ID]; lost {
						return nil
					}
				}
				return []fakes.Frame{f}
			}}
		}),

		mutant("x-half-call-repaired", half, "half-call-callable", "repairs an input that was cut off", edit(func(e executor.ToolCall) []executor.Event {
			whole := executor.ToolCall{ID: e.ID, Name: e.Name, Input: `{"text":"half a sent"}`}
			return []executor.Event{e, whole}
		})),
		mutant("x-half-call-answered", half, "half-call-answered", "answers a call that never became whole", edit(func(e executor.ToolCall) []executor.Event {
			return []executor.Event{e, executor.ToolResult{ID: e.ID, Name: e.Name, Output: "ok"}}
		})),
		mutant("x-half-call-success", half, "half-call-as-success", "takes a run for a success that was cut in a call", hears(func(fakes.Cut) []fakes.Frame {
			return []fakes.Frame{fakes.End{Reason: fakes.EndOK}}
		})),
		mutant("x-half-call-hangs", half, "done-missing", "waits for ever for the rest of an input", hears(func(fakes.Cut) []fakes.Frame { return nil })),

		mutant("x-index-owner", index, "tool-call-lost", "keeps a place in the stream for the call that had it first", hears(func(f fakes.CallPart) []fakes.Frame {
			if f.ID == "t2" {
				f.ID = ""
			}
			return []fakes.Frame{f}
		})),
		mutant("x-index-mixed", index, "tool-call-input-mixed", "adds a call's input to that of the one before", rewriting(func() func(executor.Event) []executor.Event {
			before := executor.JSON("")
			return func(e executor.Event) []executor.Event {
				if c, ok := e.(executor.ToolCall); ok && !c.Partial {
					own := c.Input
					if before != "" {
						c.Input = "[" + before + "," + own + "]"
					}
					before = own
					return one(c)
				}
				return one(e)
			}
		})),
		mutant("x-index-repeated", index, "tool-call-repeated", "gives the call of a place again for the next one", called(func(e *executor.ToolCall) { e.ID = "t1" })),
	}
}
