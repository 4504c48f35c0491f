package pi

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// The types of entries that become messages.
const (
	messageEntry       = "message"
	customMessageEntry = "custom_message"
	compactionEntry    = "compaction"
	branchSummaryEntry = "branch_summary"
)

// Pi's roles, where they mean something here.
const (
	roleToolResult        = "toolResult"
	roleBash              = "bashExecution"
	roleCustom            = "custom"
	roleCompactionSummary = "compactionSummary"
	roleBranchSummary     = "branchSummary"
)

// convert makes canonical messages of a branch.
func convert(ctx context.Context, sessionID string, branch []entry) ([]history.Message, error) {
	scan := newScanner()
	messages := make([]history.Message, 0, len(branch))
	for i, e := range branch {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m, is, err := e.message(scan, sessionID)
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", errFormat, e.line, err)
		}
		if is {
			messages = append(messages, m)
		}
	}
	return messages, nil
}

// message makes a canonical message of an entry; false means that it is none.
func (e entry) message(scan *scanner, sessionID string) (m history.Message, is bool, err error) {
	switch e.kind {
	case messageEntry, customMessageEntry, compactionEntry, branchSummaryEntry:
	default:
		return history.Message{}, false, nil
	}
	native, err := scan.fields(history.JSON(e.raw))
	if err != nil {
		return history.Message{}, false, err
	}
	written, _ := native.take("timestamp")
	role := ""
	switch e.kind {
	case messageEntry:
		inner, _ := native.take("message")
		if native, err = scan.fields(inner); err != nil {
			return history.Message{}, false, want("message", "an object")
		}
		said, _ := native.take("role")
		if role = text(said); role == "" {
			return history.Message{}, false, want("message.role", "a string that is not empty")
		}
	case customMessageEntry:
		role = roleCustom
	case compactionEntry:
		role = roleCompactionSummary
	case branchSummaryEntry:
		role = roleBranchSummary
	}
	if e.kind != messageEntry {
		// The entry itself is the message, and its place in the tree is no part of it.
		native.drop("type", "id", "parentId")
	}
	m = history.Message{
		ID:            sessionID + ":" + e.id,
		SourceEntryID: e.id,
		Role:          roleOf(role),
		Provenance: history.Provenance{
			Source: history.PiSession, SessionID: sessionID, EntryID: e.id, OriginalRole: history.Some(role),
		},
	}
	if m.Blocks, err = native.blocks(role); err != nil {
		return history.Message{}, false, err
	}
	m.CreatedAt = createdAt(native, written)
	m.Provider, m.Model = native.optional("provider"), native.optional("model")
	m.Flags = native.flags(role, m.Blocks)
	native.drop(ownNames...)
	m.Extra = native.rest()
	return m, true, nil
}

// ownNames are what a canonical message has for something else, and what was read
// already.
var ownNames = []string{"id", "sourceEntryId", "blocks", "createdAt", "provenance", "tokenEstimate", "flags", "role", "timestamp"}

func roleOf(native string) history.Role {
	switch native {
	case "system":
		return history.System
	case "user":
		return history.User
	case "assistant":
		return history.Assistant
	case roleToolResult, roleBash:
		return history.Tool
	}
	return history.Custom
}

// createdAt is the message's own time, or else that of its entry, in milliseconds
// since the epoch.
func createdAt(native *fields, written history.JSON) history.Optional[float64] {
	if own, ok := native.get("timestamp"); ok && (own[0] == '-' || '0' <= own[0] && own[0] <= '9') {
		return numberOf(own)
	}
	if at, err := time.Parse(time.RFC3339Nano, text(written)); err == nil {
		return history.Some(float64(at.UnixMilli()))
	}
	return history.Optional[float64]{}
}

// flags marks what belongs together with other messages, and what the user kept
// from the model: that must not be sent to a provider because somebody who does not
// know Pi reads the history.
func (f *fields) flags(role string, blocks []history.Block) history.Flags {
	var flags history.Flags
	if slices.ContainsFunc(blocks, func(b history.Block) bool {
		return b.Type() == history.TypeToolCall || b.Type() == history.TypeToolResult
	}) {
		flags.Atomic = history.Some(true)
	}
	if excluded, _ := f.get("excludeFromContext"); role == roleBash && excluded == "true" {
		flags.LocalOnly = history.Some(true)
	}
	return flags
}
