package reference

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// bounds limits a session file. Equal to a bound is allowed.
type bounds struct {
	bytes    int64
	messages int
}

// boundsOf fills in the defaults for zero and refuses what is negative.
func boundsOf(maxBytes int64, maxMessages int) (bounds, error) {
	switch {
	case maxBytes < 0:
		return bounds{}, fmt.Errorf("%w: MaxHistoryBytes is negative", ErrOptions)
	case maxMessages < 0:
		return bounds{}, fmt.Errorf("%w: MaxHistoryMessages is negative", ErrOptions)
	}
	b := bounds{maxBytes, maxMessages}
	if b.bytes == 0 {
		b.bytes = history.MaxHistoryBytes
	}
	if b.messages == 0 {
		b.messages = history.MaxHistoryMessages
	}
	return b, nil
}

func (b bounds) check(bytes int64, messages int) error {
	switch {
	case bytes > b.bytes:
		return fmt.Errorf("%w: %d bytes, at most %d", ErrBounds, bytes, b.bytes)
	case messages > b.messages:
		return fmt.Errorf("%w: %d messages, at most %d", ErrBounds, messages, b.messages)
	}
	return nil
}
