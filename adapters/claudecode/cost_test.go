package claudecode

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// table is a result with totals by model: name, uncached, cached and output tokens.
func table(price string, rows ...string) string {
	models := ""
	for i, row := range rows {
		var name string
		var in, cached, out int
		fmt.Sscanf(row, "%s %d %d %d", &name, &in, &cached, &out)
		if i > 0 {
			models += ","
		}
		models += fmt.Sprintf(`%q:{"inputTokens":%d,"cacheReadInputTokens":%d,"outputTokens":%d}`, name, in, cached, out)
	}
	return `{"type":"result","subtype":"success","total_cost_usd":` + price + `,"modelUsage":{` + models + `}}`
}

// guess is a result of a model whose price the runtime does not know.
func guess(price string) string {
	return `{"type":"result","subtype":"success","total_cost_usd":` + price + `,"modelUsage":{"foo":{"inputTokens":70,"outputTokens":20,"costBasis":"unknown"}}}`
}

// turnOnly is a result without the table.
func turnOnly(price string, in, out int) string {
	return fmt.Sprintf(`{"type":"result","subtype":"success","total_cost_usd":%s,"usage":{"input_tokens":%d,"output_tokens":%d}}`, price, in, out)
}

func version(v string) string {
	return `{"type":"system","subtype":"init","claude_code_version":"` + v + `"}`
}

// call is what a stream tells of one call of a model.
func call(in, cached, out int) []string {
	return []string{
		stream(fmt.Sprintf(`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":1}}}`, in, cached)),
		stream(fmt.Sprintf(`{"type":"message_delta","usage":{"output_tokens":%d}}`, out)),
		stop,
	}
}

func TestCosts(t *testing.T) {
	before := totals{USD: 1, Input: 100, Cached: 10, Output: 20}
	join := func(parts ...[]string) []string {
		var all []string
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	tests := []struct {
		name   string
		before totals
		lines  []string
		want   []string
		usd    executor.Nullable[float64] // of done
	}{
		{"one result", totals{}, []string{table("0.5", "opus 70 30 20")}, []string{"cost 0.500000 in=70 cached=30 out=20 opus"}, executor.Value(0.5)},
		{"created cache is input", totals{}, []string{`{"type":"result","total_cost_usd":0.5,"modelUsage":{"opus":{"inputTokens":70,"cacheCreationInputTokens":5,"outputTokens":20}}}`},
			[]string{"cost 0.500000 in=75 cached=0 out=20 opus"}, executor.Value(0.5)},
		{"totals of a process", totals{}, []string{table("0.5", "opus 70 30 20"), table("0.75", "opus 90 60 25")},
			[]string{"cost 0.500000 in=70 cached=30 out=20 opus", "cost 0.250000 in=20 cached=30 out=5 opus"}, executor.Value(0.75)},
		{"totals of a session", before, []string{version("2.1.332"), table("1.5", "opus 170 40 40")}, []string{"cost 0.500000 in=70 cached=30 out=20 opus"}, executor.Value(0.5)},
		{"totals of a session, first version", before, []string{version("2.1.277"), table("1.5", "opus 170 40 40")}, []string{"cost 0.500000 in=70 cached=30 out=20 opus"}, executor.Value(0.5)},
		{"totals of a process, last version", before, []string{version("2.1.276"), table("1.5", "opus 170 40 40")}, []string{"cost 1.500000 in=170 cached=40 out=40 opus"}, executor.Value(1.5)},
		{"totals of a process, no version", before, []string{`{"type":"system","subtype":"init"}`, table("1.5", "opus 170 40 40")}, []string{"cost 1.500000 in=170 cached=40 out=40 opus"}, executor.Value(1.5)},
		{"later versions", before, []string{version("3.0.1-beta"), table("1.5", "opus 170 40 40")}, []string{"cost 0.500000 in=70 cached=30 out=20 opus"}, executor.Value(0.5)},
		{"totals that go down begin anew", before, []string{version("2.1.332"), table("0.5", "opus 70 30 20")}, []string{"cost 0.500000 in=70 cached=30 out=20 opus"}, executor.Value(0.5)},
		{"a result before anything is counted", before, []string{table("0")}, nil, executor.Null[float64]()},
		{"nothing new", before, []string{version("2.1.332"), table("1", "opus 100 10 20")}, nil, executor.Null[float64]()},
		{"another model", totals{}, []string{table("0.5", "opus 70 30 20"), table("0.75", "opus 70 30 20", "haiku 10 0 5")},
			[]string{"cost 0.500000 in=70 cached=30 out=20 opus", "cost 0.250000 in=10 cached=0 out=5 haiku"}, executor.Value(0.75)},
		{"two models at once", totals{}, []string{table("0.5", "opus 70 30 20", "haiku 10 0 5")}, []string{"cost 0.500000 in=80 cached=30 out=25"}, executor.Value(0.5)},
		{"no price", totals{}, []string{table("null", "opus 70 30 20")}, []string{"cost unpriced in=70 cached=30 out=20 opus"}, executor.Null[float64]()},
		{"a price of 0 is none", totals{}, []string{table("0", "opus 70 30 20")}, []string{"cost unpriced in=70 cached=30 out=20 opus"}, executor.Null[float64]()},
		{"a price that is none", totals{}, []string{table(`"much"`, "opus 70 30 20")}, []string{"cost unpriced in=70 cached=30 out=20 opus"}, executor.Null[float64]()},
		{"a guess is no price", totals{}, []string{guess("0.5")}, []string{"cost unpriced in=70 cached=0 out=20 foo"}, executor.Null[float64]()},
		{"one guess makes the sum unknown", totals{}, []string{guess("0.5"), `{"type":"result","total_cost_usd":0.75,"modelUsage":{"foo":{"inputTokens":70,"outputTokens":20,"costBasis":"unknown"},"opus":{"inputTokens":7,"outputTokens":2,"costBasis":"list"}}}`},
			[]string{"cost unpriced in=70 cached=0 out=20 foo", "cost 0.250000 in=7 cached=0 out=2 opus"}, executor.Null[float64]()},
		{"less than nothing", totals{}, []string{table("-1", "opus -70 30 20")}, []string{"cost unpriced in=0 cached=30 out=20 opus"}, executor.Null[float64]()},
		{"one unknown price makes the sum unknown", totals{}, []string{table("null", "opus 70 30 20"), table("0.5", "opus 90 30 20")},
			[]string{"cost unpriced in=70 cached=30 out=20 opus", "cost 0.500000 in=20 cached=0 out=0 opus"}, executor.Null[float64]()},
		{"turns without a table", before, []string{version("2.1.332"), turnOnly("1.5", 70, 20), turnOnly("1.75", 10, 5)},
			[]string{"cost 0.500000 in=70 cached=0 out=20", "cost 0.250000 in=10 cached=0 out=5"}, executor.Value(0.75)},
		{"turns without a table or a price", before, []string{version("2.1.332"), turnOnly("0", 70, 20)}, []string{"cost unpriced in=70 cached=0 out=20"}, executor.Null[float64]()},

		{"the last call is told apart", totals{}, join(call(40, 0, 10), call(50, 30, 12), []string{table("1.4", "opus 90 30 22")}),
			[]string{"cost 0.492958 in=40 cached=0 out=10 opus estimated", "cost 0.907042 in=50 cached=30 out=12 opus estimated"}, executor.Value(1.4)},
		{"one call is not", totals{}, join(call(70, 30, 20), []string{table("0.5", "opus 70 30 20")}), []string{"cost 0.500000 in=70 cached=30 out=20 opus"}, executor.Value(0.5)},
		{"a call that the totals do not have is not", totals{}, join(call(700, 30, 20), []string{table("0.5", "opus 70 30 20")}), []string{"cost 0.500000 in=70 cached=30 out=20 opus"}, executor.Value(0.5)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMapper(func(s string) string { return s }, state{Totals: test.before})
			events := play(m, test.lines...)
			var got []string
			for _, e := range events {
				if e.Kind() == executor.KindCost {
					got = append(got, show(e))
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			done := events[len(events)-1].(executor.Done)
			want, known := test.usd.Get()
			if usd, ok := done.CostUSD.Get(); ok != known || usd-want > 1e-9 || want-usd > 1e-9 || !done.CostUSD.Present() {
				t.Errorf("done restates %g (known=%v)", usd, ok)
			}
		})
	}
}
