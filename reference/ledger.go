package reference

import (
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// ledger is what has to be known of a valid history to judge one more message
// without looking at the rest again.
type ledger struct {
	runtimeID, sessionID string
	messages             map[string]struct{}
	calls                map[string]struct{}
}

func newLedger(s *session) *ledger {
	l := &ledger{
		runtimeID: s.header.RuntimeID,
		sessionID: s.header.SessionID,
		messages:  make(map[string]struct{}, len(s.messages)),
		calls:     map[string]struct{}{},
	}
	for i := range s.messages {
		l.add(&s.messages[i])
	}
	return l
}

// add takes a message in.
func (l *ledger) add(m *history.Message) {
	l.messages[m.ID] = struct{}{}
	for _, b := range m.Blocks {
		if call, ok := b.(history.ToolCall); ok {
			l.calls[call.ID] = struct{}{}
		}
	}
}

// judge gives the first issue that [history.Validate] would find in the history
// with one more message, nil if there is none. Groups are not looked at: they are
// made from the messages, so they are wrong only where a message is.
func (l *ledger) judge(m *history.Message) error {
	var issues []history.Issue
	add := func(code history.IssueCode) { issues = append(issues, history.Issue{Code: code}) }
	if _, again := l.messages[m.ID]; again {
		add(history.IssueMessageIDDuplicate)
	} else if boundary.Blank(m.ID) {
		add(history.IssueMessageIDMissing)
	}
	if p := m.Provenance; boundary.Blank(p.EntryID) || m.SourceEntryID != p.EntryID || !l.owns(m) {
		add(history.IssueProvenanceInvalid)
	}
	own := map[string]int{}
	for _, b := range m.Blocks {
		if call, ok := b.(history.ToolCall); ok {
			own[call.ID]++
		}
	}
	told := map[string]bool{}
	for _, b := range m.Blocks {
		if call, ok := b.(history.ToolCall); ok && !told[call.ID] {
			told[call.ID] = true
			if _, again := l.calls[call.ID]; again || own[call.ID] > 1 || boundary.Blank(call.ID) {
				add(history.IssueCallIdentityInvalid)
			}
		}
	}
	clear(told)
	for _, b := range m.Blocks {
		if result, ok := b.(history.ToolResult); ok && !told[result.ToolCallID] {
			told[result.ToolCallID] = true
			if _, known := l.calls[result.ToolCallID]; boundary.Blank(result.ToolCallID) || !known && own[result.ToolCallID] == 0 {
				add(history.IssueResultOrphaned)
			}
		}
	}
	return issueError(issues)
}

// owns reports whether a message names this session and this runtime, whatever its
// source.
func (l *ledger) owns(m *history.Message) bool {
	runtime, ok := m.Provenance.RuntimeID.Get()
	return ok && runtime == l.runtimeID && m.Provenance.SessionID == l.sessionID
}
