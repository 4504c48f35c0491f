package claudecode

import (
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Turn says how the turn stands.
func (r *renderer) Turn(f fakes.Turn) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if r.quiet() {
		return nil
	}
	switch f.State {
	case "thinking":
		return r.system("thinking_tokens", member{"estimated_tokens", estimateThinking(f.Text)}, member{"estimated_tokens_delta", estimateThinking(f.Text)})
	case "running":
		if f.Text == "" {
			return r.system("status", member{"status", "requesting"})
		}
		if err := r.close("end_turn"); err != nil {
			return err
		}
		return r.user([]object{textBlock(f.Text)}, member{"isSynthetic", true})
	case "idle":
		return r.system("session_state_changed", member{"state", "idle"})
	case "compact":
		return r.system("compact_boundary", member{"compact_metadata", object{{"trigger", "auto"}, {"pre_tokens", r.spent.sum().Input}}})
	case "text-end":
		return r.settleAll("tool_use")
	case "retry":
		if !r.version.retryLines && (r.message == nil || r.message.told > 0) { // nothing would show it
			return unplayable("turn state %q where no open block is given up", f.State)
		}
		if err := r.abandon(); err != nil {
			return err
		}
		return r.retry("")
	}
	return unplayable("turn state %q", f.State)
}

// retry tells that a request is tried again. The code is an HTTP status, a word for
// the error, or nothing.
func (r *renderer) retry(code string) error {
	r.retries++
	if !r.version.retryLines {
		return nil
	}
	e := apiErrorOf(code)
	var status any
	if e.status > 0 {
		status = e.status
	}
	word := e.word
	switch e.status {
	case 0:
		word = "unknown"
	case 529: // in the end it is the server's error
		word = "overloaded"
	}
	return r.system("api_retry", member{"attempt", r.retries}, member{"max_retries", r.maxRetries}, member{"retry_delay_ms", 0},
		member{"error_status", status}, member{"error", word})
}

// Native says a line of a type that no word covers. A request that it makes may be
// answered.
func (r *renderer) Native(f fakes.Native) error {
	line, err := r.Program.NativeLine(f)
	if err != nil || r.quiet() || r.inv.output != streamJSON {
		return err
	}
	r.input.expect(line)
	return r.Stage.Frame(line)
}
