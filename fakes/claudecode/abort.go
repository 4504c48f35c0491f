package claudecode

import "fmt"

// rejected is what the CLI answers a call with that the user stopped.
const rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string " +
	"was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."

// abort ends the turn as an interrupt does: what was said so far, who stopped it, and
// a result.
func (r *renderer) abort() error {
	if r.turn == nil {
		r.turn = &turn{begun: true}
	}
	if r.message != nil && !r.message.tools {
		return r.abortMessage()
	}
	if err := r.close("tool_use"); err != nil {
		return err
	}
	open := r.openCalls()
	for _, c := range open {
		c.answered = true
		if err := r.failed(c, rejected, "User rejected tool use", nil, "user-rejected"); err != nil {
			return err
		}
	}
	if len(open) == 0 {
		return r.aborted("[Request interrupted by user]", "aborted_streaming", nil, nil)
	}
	return r.aborted("[Request interrupted by user for tool use]", "aborted_tools", "tool_use", nil)
}

// abortMessage ends a turn while the model speaks.
func (r *renderer) abortMessage() error {
	m := r.message
	said := ""
	for _, b := range m.blocks {
		said += b.said.String()
		if b.kind != "text" {
			continue
		}
		m.told++
		var extra []member
		if r.version.abandons {
			extra = append(extra, member{"aborted", true})
		}
		if err := r.assistant(m, textBlock(b.said.String()), extra...); err != nil {
			return err
		}
	}
	if m.known && m.out == nil && r.version.abandons { // nobody told what it had spent
		used := m.begin
		used.Output = estimate(said)
		name, listed := modelOf(r.model)
		cost := modelBill{Model: r.model, Cost: name.price(used), Tokens: used, Guessed: !listed}
		r.spent.add(cost)
		r.since.add(cost)
		if err := r.save(); err != nil {
			return err
		}
	}
	return r.aborted("[Request interrupted by user]", "aborted_streaming", nil, m)
}

// aborted says who stopped the turn, and the result. A message that was being said is
// closed in between.
func (r *renderer) aborted(notice, reason string, stop any, m *message) error {
	if err := r.user([]object{textBlock(notice)}); err != nil {
		return err
	}
	if m != nil && r.version.abandons {
		if err := r.closeAborted(m); err != nil {
			return err
		}
	}
	why := "null"
	if stop != nil {
		why = fmt.Sprint(stop)
	}
	return r.result(outcome{subtype: "error_during_execution", failed: r.version.interruptFails, stop: stop, reason: reason,
		errors: []string{"[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=" + why}})
}

// closeAborted closes the stream of a message that was stopped.
func (r *renderer) closeAborted(m *message) error {
	for _, b := range m.blocks {
		if err := r.event(object{{"type", "content_block_stop"}, {"index", b.index}}); err != nil {
			return err
		}
	}
	usage := object{{"output_tokens_details", object{{"thinking_tokens", 0}}}, {"cache_creation_input_tokens", m.begin.CacheWrite},
		{"cache_read_input_tokens", m.begin.CacheRead}, {"input_tokens", m.begin.Input}, {"iterations", []int{}}, {"output_tokens", m.begin.Output},
		{"server_tool_use", object{{"web_search_requests", 0}, {"web_fetch_requests", 0}}}, {"fallback_credit", nil}}
	delta := object{{"type", "message_delta"}, {"context_management", nil},
		{"delta", object{{"container", nil}, {"stop_details", nil}, {"stop_reason", nil}, {"stop_sequence", nil}}}, {"usage", usage}}
	if err := r.event(delta); err != nil {
		return err
	}
	return r.event(object{{"type", "message_stop"}}, r.abandoned(m)...)
}

// Stop is what a stop signal does: INT ends the turn and then the process, the others
// the process at once.
func (r *renderer) Stop(signal string) (code int, ended bool) {
	switch signal {
	case "TERM":
		return 143, true
	case "HUP":
		return 129, true
	}
	r.process.EndChildren()
	if r.turn == nil || !r.version.interruptResult {
		return 0, true
	}
	tools := r.message == nil || r.message.tools
	tools = tools && len(r.openCalls()) > 0
	if err := r.withdraw(); err != nil {
		return 1, true
	}
	r.input.stays = false
	r.input.cutShort = !r.process.Puppet()
	if err := r.abort(); err != nil {
		return 1, true
	}
	if tools {
		code = r.version.interruptToolExit
	}
	r.Stage.Leave(code, "")
	return 0, false
}

// Broken ends the process quietly: nobody reads what it says.
func (r *renderer) Broken(error) int { return 0 }

// Over ends the stream of a script whose turn has no result. After a result the
// process stays as long as its input is open.
func (r *renderer) Over() {
	r.input.over = true
	if r.turn != nil && !r.input.stays {
		r.Stage.Leave(0, "")
	}
}
