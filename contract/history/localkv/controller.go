package localkv

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// ErrReplay is wrapped by the errors of a full replay that panicked or whose
// numbers make no sense.
var ErrReplay = errors.New("local KV port: invalid full replay")

// Controller puts the rules before a port. It may be used by several goroutines;
// it is made by [NewController].
type Controller struct {
	port  history.LocalKVPort
	count counters
}

// NewController makes a controller. The port stays the caller's: it is never shut
// down here.
func NewController(port history.LocalKVPort) *Controller {
	return &Controller{port: port}
}

// Outcome is what [Controller.Complete] made of a request.
type Outcome struct {
	// Refusal says why the port was not touched; empty where it completed the request.
	// Then the other fields count.
	Refusal Refusal
	// Output is the port's; it may be nil.
	Output any
	Use    history.LocalKVUse
}

// Complete judges a request and, where it is eligible, sends it to the port: once
// to reuse, and if that is no hit, exactly once to replay the whole payload. The
// payload must be whole and sanitised; the port may keep it.
//
// A failed attempt to reuse is no error: an error, a panic, an unknown status and
// numbers that make no sense all count as unavailable. The error is that of the
// replay, which may hold text of the port, or of a context that is over; then the
// caller completes in its native way.
func (c *Controller) Complete(ctx context.Context, in Input, payload any) (Outcome, error) {
	key, refusal := Eligible(in)
	if refusal != "" {
		c.count.bypassed()
		return Outcome{Refusal: refusal}, nil
	}
	c.count.eligible(in.PrefixTokenCount, in.ContextTokenCount)
	req := history.LocalKVRequest{
		Eligibility:       key,
		Provider:          in.Provider,
		Model:             in.Model,
		Payload:           payload,
		PrefixTokenCount:  in.PrefixTokenCount,
		ContextTokenCount: in.ContextTokenCount,
	}
	use := history.LocalKVUse{PrefixTokens: in.PrefixTokenCount, ContextTokens: in.ContextTokenCount}

	reuse := c.tryReuse(ctx, req)
	c.count.reuse(reuse)
	if reuse.Status == history.LocalKVHit {
		use.Mode = history.LocalKVModeHit
		use.SavedPrefillTokens, use.PrefillLatencyMS = reuse.SavedPrefillTokens, reuse.PrefillLatencyMS
		return Outcome{Output: reuse.Output, Use: use}, nil
	}
	// Nobody waits for a replay any more, and a replay is the expensive part.
	if err := ctx.Err(); err != nil {
		return Outcome{}, fmt.Errorf("local KV port: %w", err)
	}
	c.count.replaying()
	replay, err := c.fullReplay(ctx, req)
	if err != nil {
		c.count.failed()
		return Outcome{}, err
	}
	c.count.replayed(replay)
	use.Mode = history.LocalKVModeFullReplay
	use.ReplayPrefillTokens, use.PrefillLatencyMS = replay.PrefillTokens, replay.PrefillLatencyMS
	return Outcome{Output: replay.Output, Use: use}, nil
}

// tryReuse asks the port. Whatever is wrong with the answer makes it unavailable.
func (c *Controller) tryReuse(ctx context.Context, req history.LocalKVRequest) (res history.LocalKVReuseResult) {
	unavailable := history.LocalKVReuseResult{Status: history.LocalKVUnavailable}
	defer func() {
		if recover() != nil {
			res = unavailable
		}
	}()
	res, err := c.port.TryReuse(ctx, req)
	if err != nil {
		return unavailable
	}
	switch res.Status {
	case history.LocalKVMiss, history.LocalKVRejected, history.LocalKVUnavailable:
		return history.LocalKVReuseResult{Status: res.Status}
	case history.LocalKVHit:
		if res.SavedPrefillTokens >= 0 && res.SavedPrefillTokens <= req.PrefixTokenCount && isLatency(res.PrefillLatencyMS) {
			return res
		}
	}
	return unavailable
}

func (c *Controller) fullReplay(ctx context.Context, req history.LocalKVRequest) (res history.LocalKVReplayResult, err error) {
	defer func() {
		if recover() != nil {
			// What was panicked with may be the payload.
			res, err = history.LocalKVReplayResult{}, fmt.Errorf("%w: the port panicked", ErrReplay)
		}
	}()
	res, err = c.port.FullReplay(ctx, req)
	switch {
	case err != nil:
		return history.LocalKVReplayResult{}, fmt.Errorf("local KV port: full replay: %w", err)
	case !isCount(res.PrefillTokens):
		return history.LocalKVReplayResult{}, fmt.Errorf("%w: PrefillTokens is %d", ErrReplay, res.PrefillTokens)
	case !isLatency(res.PrefillLatencyMS):
		return history.LocalKVReplayResult{}, fmt.Errorf("%w: PrefillLatencyMS is %v", ErrReplay, res.PrefillLatencyMS)
	}
	return res, nil
}

func isLatency(ms float64) bool { return ms >= 0 && !math.IsInf(ms, 0) }

// Diagnostics gives the counters as they stand; the caller owns them.
func (c *Controller) Diagnostics() history.LocalKVDiagnostics { return c.count.read() }

// Reset sets every counter to zero.
func (c *Controller) Reset() { c.count.reset() }
