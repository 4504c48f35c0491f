package localkv

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Options are settings that have a bearing on a prompt's prefix. The zero value is
// none at all, which is another thing than null, an empty object or the text of
// either.
type Options struct {
	given bool
	value any
}

// OptionsOf takes a plain JSON value as a decoder makes it: map[string]any, []any,
// string, bool, nil, or a finite number. Nil is null; a nil map is an empty object,
// a nil list an empty list. Anything else in it, nesting beyond 200 levels, a cycle
// and text that is not UTF-8 make a request ineligible ([InvalidOptions]).
//
// The value is read when the request is judged and must not change until then.
func OptionsOf(value any) Options { return Options{given: true, value: value} }

const (
	// maxOptionDepth bounds nesting. A cycle exceeds it too.
	maxOptionDepth = 200
	// maxOptionBytes bounds the canonical form, to which parts that are held several
	// times add each time.
	maxOptionBytes = 4 << 20
)

// hashOptions hashes the canonical JSON of both options; what is not given is left
// out of it.
func hashOptions(system, tool Options) (hash string, ok bool) {
	c := canonical{text: append(make([]byte, 0, 512), '{')}
	if !c.option("systemOptions", system) || !c.option("toolOptions", tool) {
		return "", false
	}
	return hashBytes(append(c.text, '}')), true
}

// canonical writes the one text of a plain JSON value: compact, no escapes but the
// needed ones, numbers as JavaScript writes them, names in order.
type canonical struct{ text []byte }

func (c *canonical) option(name string, o Options) bool {
	if !o.given {
		return true
	}
	if len(c.text) > 1 {
		c.text = append(c.text, ',')
	}
	c.text = append(appendString(c.text, name), ':')
	return c.value(o.value, 0)
}

// value reports whether a value is plain.
func (c *canonical) value(v any, depth int) bool {
	if len(c.text) > maxOptionBytes {
		return false
	}
	switch v := v.(type) {
	case nil:
		c.text = append(c.text, "null"...)
	case bool:
		c.text = strconv.AppendBool(c.text, v)
	case string:
		return c.string(v)
	case float64:
		return c.float(v)
	case float32:
		return c.float(float64(v))
	case int:
		c.text = strconv.AppendInt(c.text, int64(v), 10)
	case int8:
		c.text = strconv.AppendInt(c.text, int64(v), 10)
	case int16:
		c.text = strconv.AppendInt(c.text, int64(v), 10)
	case int32:
		c.text = strconv.AppendInt(c.text, int64(v), 10)
	case int64:
		c.text = strconv.AppendInt(c.text, v, 10)
	case uint:
		c.text = strconv.AppendUint(c.text, uint64(v), 10)
	case uint8:
		c.text = strconv.AppendUint(c.text, uint64(v), 10)
	case uint16:
		c.text = strconv.AppendUint(c.text, uint64(v), 10)
	case uint32:
		c.text = strconv.AppendUint(c.text, uint64(v), 10)
	case uint64:
		c.text = strconv.AppendUint(c.text, v, 10)
	case []any:
		return depth < maxOptionDepth && c.list(v, depth+1)
	case map[string]any:
		return depth < maxOptionDepth && c.object(v, depth+1)
	default:
		// Only exact types pass: a type with methods could mean anything.
		return false
	}
	return true
}

func (c *canonical) string(s string) bool {
	if len(s) > maxOptionBytes || !utf8.ValidString(s) {
		return false
	}
	c.text = appendString(c.text, s)
	return true
}

// float writes a number. Minus zero is zero, as it is in JavaScript.
func (c *canonical) float(f float64) bool {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return false
	}
	if f == 0 {
		f = 0
	}
	c.text = jsontext.AppendFloat(c.text, f, 64)
	return true
}

func (c *canonical) list(items []any, depth int) bool {
	c.text = append(c.text, '[')
	for i, item := range items {
		if i > 0 {
			c.text = append(c.text, ',')
		}
		if !c.value(item, depth) {
			return false
		}
	}
	c.text = append(c.text, ']')
	return true
}

func (c *canonical) object(fields map[string]any, depth int) bool {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.SortFunc(names, compareNames)
	c.text = append(c.text, '{')
	for i, name := range names {
		if i > 0 {
			c.text = append(c.text, ',')
		}
		if !c.string(name) {
			return false
		}
		c.text = append(c.text, ':')
		if !c.value(fields[name], depth) {
			return false
		}
	}
	c.text = append(c.text, '}')
	return true
}

// compareNames orders the names of an object as JavaScript lists them after they
// were sorted: array indices first, by number, then the rest by UTF-16 code units.
func compareNames(a, b string) int {
	x, xIndex := arrayIndex(a)
	y, yIndex := arrayIndex(b)
	switch {
	case xIndex && yIndex:
		return cmp.Compare(x, y)
	case xIndex:
		return -1
	case yIndex:
		return 1
	}
	return compareUnits(a, b)
}

// arrayIndex reads the decimal form of a number from 0 to 2^32-2.
func arrayIndex(s string) (uint32, bool) {
	if s == "" || len(s) > 10 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return uint32(n), err == nil && n < math.MaxUint32
}

// compareUnits orders strings by their UTF-16 code units. That is the order of
// their runes, but that characters from U+10000 up, written as surrogates, come
// before U+E000 to U+FFFF.
func compareUnits(a, b string) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			if x >= 0xE000 && y >= 0xE000 && (x >= 0x10000) != (y >= 0x10000) {
				return cmp.Compare(y, x)
			}
			return cmp.Compare(x, y)
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}
