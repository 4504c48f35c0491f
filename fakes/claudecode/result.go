package claudecode

import (
	"fmt"
	"strconv"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// outcome is what a result line says.
type outcome struct {
	subtype  string
	failed   bool
	text     string   // of a success
	data     string   // of a success, as JSON text
	errors   []string // of the others
	stop     any      // stop reason, nil is null
	reason   string   // terminal reason
	api      *apiError
	uncalled bool // no answer of the provider stands behind it
}

// End says the result of the turn.
func (r *renderer) End(f fakes.End) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	if f.Reason == fakes.EndAborted && !f.Error {
		return r.abort()
	}
	if f.Reason == fakes.EndLength && !f.Error {
		if err := r.close("max_tokens"); err != nil {
			return err
		}
		m, _ := modelOf(r.model)
		return r.apiFailed(apiErrorOf("max_output_tokens"), fmt.Sprintf("API Error: Claude's response exceeded the %d output token maximum. "+
			"To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.", m.maxOutput))
	}
	if f.Reason == fakes.EndRefusal && !f.Error {
		return r.refused(f.Text)
	}
	if err := r.close("end_turn"); err != nil {
		return err
	}
	o := outcome{subtype: "success", text: f.Text, stop: "end_turn", reason: "completed"}
	if t := r.turn; t != nil {
		if o.text == "" {
			o.text = t.text
		}
		if o.data = t.data; o.data != "" && f.Text == "" {
			o.text = o.data
		}
		if t.stop != "" {
			o.stop = t.stop
		}
	}
	switch {
	case f.Error:
		o.failed, o.reason, o.stop = true, "api_error", "stop_sequence"
		o.api, o.uncalled = &apiError{}, true
	case f.Reason == fakes.EndMaxTurns:
		limit := r.inv.maxTurns
		if limit <= 0 && r.turn != nil {
			limit = max(r.turn.apis, 1)
		}
		o = outcome{subtype: "error_max_turns", failed: r.version.limitsFail, stop: o.stop, reason: "max_turns",
			errors: []string{fmt.Sprintf("Reached maximum number of turns (%d)", limit)}}
	case f.Reason == fakes.EndBudget:
		if r.turn != nil {
			r.turn.used = tokens{} // what it has spent is told of the models alone
		}
		o = outcome{subtype: "error_max_budget_usd", failed: r.version.limitsFail, stop: o.stop, reason: "budget_exhausted",
			errors: []string{fmt.Sprintf("Reached maximum budget ($%s)", r.budget())}}
	}
	return r.result(o)
}

// Failure says an error: for good, that of the API and the result; else a retry.
func (r *renderer) Failure(f fakes.Failure) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	if !f.Fatal && f.Code == refusedCode {
		return r.stopped()
	}
	if !f.Fatal {
		return r.retry(f.Code)
	}
	if err := r.close("end_turn"); err != nil {
		return err
	}
	return r.apiFailed(apiErrorOf(f.Code), f.Message)
}

// budget is the limit of money: what argv says, else what is spent.
func (r *renderer) budget() string {
	if r.inv.maxBudget != "" {
		return r.inv.maxBudget
	}
	return strconv.FormatFloat(r.spent.Cost, 'f', -1, 64)
}

// result says how the turn ended, and lets the next one begin.
func (r *renderer) result(o outcome) error {
	t := r.turn
	if t == nil {
		t = &turn{}
	}
	r.message = nil
	line := r.resultLine(t, o)
	r.turn, r.since, r.retries = nil, bill{}, 0
	r.results++
	r.exit = 0
	if o.failed {
		r.exit = 1
	}
	text := o.text
	if o.errors != nil {
		text = "Error: " + o.errors[0]
	}
	if err := r.conclude(line, text); err != nil {
		return err
	}
	if err := r.lifecycle(t.from, "completed"); err != nil {
		return err
	}
	r.input.next(r)
	return nil
}
