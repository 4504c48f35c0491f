package tool

import "context"

// CallInfo says which call a tool serves.
type CallInfo struct {
	// ID of the call, unique within its run.
	ID string
	// Name by which the model called the tool.
	Name string
}

type callKey struct{}

// WithCall returns a context that says which call it is of.
func WithCall(ctx context.Context, c CallInfo) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallOf returns which call the context of a tool's Call is of, and false for a context
// that does not say.
func CallOf(ctx context.Context) (CallInfo, bool) {
	c, has := ctx.Value(callKey{}).(CallInfo)
	return c, has
}
