package rotation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// Reason says why a session is rotated.
type Reason string

// The closed set of reasons.
const (
	// MaxTurns: the run ended at its turn limit.
	MaxTurns Reason = "max_turns"
	// ContextWatermark: the context is nearly full.
	ContextWatermark Reason = "context_watermark"
)

// Handoff is what one session leaves to the next.
type Handoff struct {
	TaskID                string `json:"taskId"`
	PredecessorSessionKey string `json:"predecessorSessionKey"`
	// PredecessorSessionID is the runtime's own id of the session; nil is unknown.
	PredecessorSessionID *string `json:"predecessorSessionId"`
	Reason               Reason  `json:"reason"`
	// LastSummary is how far the work got; empty is unknown. It is the caller's
	// to keep short.
	LastSummary string `json:"lastSummary"`
	// TokensUsed is the watermark at which the session was left.
	TokensUsed int64 `json:"tokensUsed"`
	// RotationIndex counts the rotations of the task from 1.
	RotationIndex int `json:"rotationIndex"`
}

// Note writes what the successor is told. Ids and token counts are not in it:
// they are the host's business.
func (h Handoff) Note() string {
	lines := []string{
		"Session handoff (rotation): the earlier session came to its context limit, and this one takes over its work.",
		"- Reason: " + string(h.Reason),
		fmt.Sprintf("- Rotation: #%d", h.RotationIndex),
	}
	if h.LastSummary != "" {
		lines = append(lines, "- Last progress: "+h.LastSummary)
	}
	lines = append(lines, "Go on from the state that the work is in now, and look up only the context you actually need.")
	return strings.Join(lines, "\n")
}

// Record is what a host writes down about a rotation that took place.
type Record struct {
	// Serialized is the predecessor's session as its codec wrote it; nil when the
	// adapter has no codec or the codec failed.
	Serialized *string
	Handoff    Handoff
	Successor  *executor.Run
}

// Rotation is what [Rotate] needs.
type Rotation struct {
	// Adapter may implement [executor.SessionCodec].
	Adapter executor.Adapter
	// Current is the handle of the session to leave.
	Current *executor.Run
	Handoff Handoff
	// Restart starts the successor with the note. Required.
	Restart func(ctx context.Context, note string) (*executor.Run, error)
	// Record writes the rotation down. May be nil.
	Record func(ctx context.Context, r Record) error
}

// Rotate serializes the current session, starts its successor with the handoff
// note, records both, and returns the successor as Restart gave it. It neither
// aborts nor unsubscribes the predecessor and starts nothing itself.
//
// The error of Restart is returned and nothing is recorded. A codec that fails
// and a record that fails do not stop a rotation: the successor is what counts,
// and once it runs it must not be lost.
func Rotate(ctx context.Context, r Rotation) (*executor.Run, error) {
	if r.Restart == nil {
		return nil, errors.New("rotate: no restart function")
	}
	serialized := serialize(ctx, r.Adapter, r.Current)
	successor, err := r.Restart(ctx, r.Handoff.Note())
	if err != nil {
		return nil, fmt.Errorf("rotate: restart #%d: %w", r.Handoff.RotationIndex, err)
	}
	if r.Record != nil {
		_ = r.Record(ctx, Record{Serialized: serialized, Handoff: r.Handoff, Successor: successor})
	}
	return successor, nil
}

// serialize returns the session's blob, or nil where there is none to be had.
func serialize(ctx context.Context, a executor.Adapter, run *executor.Run) *string {
	codec, ok := a.(executor.SessionCodec)
	if !ok {
		return nil
	}
	blob, err := codec.Serialize(ctx, run)
	if err != nil {
		return nil
	}
	return &blob
}
