package privacy

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// ErrPayload is wrapped by the errors about payloads that cannot be looked through:
// too deep, cyclic, too large, text that is not UTF-8, or anything but
// map[string]any, []any, strings, finite numbers, booleans and nil.
var ErrPayload = errors.New("payload cannot be looked through")

const (
	// maxDepth bounds nesting. A cycle exceeds it too.
	maxDepth = 200
	// maxValues and maxBytes bound what a payload grows to when parts that it holds
	// several times are written out, as they are when it is sent.
	maxValues = 5_000_000
	maxBytes  = 256 << 20
)

// copier makes a plain copy of a payload. All later passes work on the copy, so
// that the caller's payload is read once and never written.
type copier struct {
	values int
	bytes  int
}

func (c *copier) copy(v any, depth int) (any, error) {
	if c.values++; c.values > maxValues {
		return nil, fmt.Errorf("%w: more than %d values", ErrPayload, maxValues)
	}
	switch v := v.(type) {
	case nil, bool,
		int, int8, int16, int32, int64,
		uint, uint8, uint16, uint32, uint64:
		return v, nil
	case float64:
		return v, finite(v)
	case float32:
		return v, finite(float64(v))
	case string:
		return v, c.text(v)
	case []any:
		if v == nil {
			return []any(nil), nil
		}
		if depth >= maxDepth {
			return nil, fmt.Errorf("%w: nested deeper than %d levels", ErrPayload, maxDepth)
		}
		out := make([]any, len(v))
		for i, item := range v {
			item, err := c.copy(item, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = item
		}
		return out, nil
	case map[string]any:
		if v == nil {
			return map[string]any(nil), nil
		}
		if depth >= maxDepth {
			return nil, fmt.Errorf("%w: nested deeper than %d levels", ErrPayload, maxDepth)
		}
		out := make(map[string]any, len(v))
		for key, item := range v {
			if err := c.text(key); err != nil {
				return nil, err
			}
			item, err := c.copy(item, depth+1)
			if err != nil {
				return nil, err
			}
			out[key] = item
		}
		return out, nil
	}
	// Only exact types pass. A type with methods could write something else than what
	// was looked at.
	return nil, fmt.Errorf("%w: it holds something other than plain JSON values", ErrPayload)
}

func (c *copier) text(s string) error {
	if c.bytes += len(s); c.bytes > maxBytes {
		return fmt.Errorf("%w: more than %d bytes of text", ErrPayload, maxBytes)
	}
	if !utf8.ValidString(s) {
		// An encoder that drops bad bytes would join what we saw apart.
		return fmt.Errorf("%w: text is not UTF-8", ErrPayload)
	}
	return nil
}

func finite(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("%w: a number is not finite", ErrPayload)
	}
	return nil
}
