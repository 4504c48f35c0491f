package claudecode

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The wire is read by looking, not by decoding into types: a frame or a field of an
// unknown kind may use known names for something else and must cost nothing, and a
// line of 64 MiB must not be copied on the way to the one string in it that counts.
// A line is judged once, strictly; what is looked at inside it is known to be JSON.

// lenient accepts bytes that are not UTF-8: a message with one of those is still
// the message.
var lenient = jsontext.AllowInvalidUTF8(true)

// readable reports whether the line is one JSON value, without a name that occurs
// twice in an object.
func readable(line []byte) bool { return jsontext.Value(line).IsValid(lenient) }

// members gives each name and value of an object to each, in order. It reports
// whether the value is an object.
func members(object jsontext.Value, each func(name []byte, value jsontext.Value)) bool {
	at := skipSpace(object, 0)
	if at == len(object) || object[at] != '{' {
		return false
	}
	for at = skipSpace(object, at+1); object[at] != '}'; {
		end := stringEnd(object, at)
		name := object[at:end]
		at = skipSpace(object, skipSpace(object, end)+1) // over the colon
		end = valueEnd(object, at)
		each(unquoteName(name), object[at:end])
		at = next(object, end)
	}
	return true
}

// elements gives each value of an array to each; anything else has none.
func elements(array jsontext.Value, each func(jsontext.Value)) {
	at := skipSpace(array, 0)
	if at == len(array) || array[at] != '[' {
		return
	}
	for at = skipSpace(array, at+1); array[at] != ']'; {
		end := valueEnd(array, at)
		each(array[at:end])
		at = next(array, end)
	}
}

// next is the place of what follows a value: the next member or element, or the end
// of what they are in.
func next(text []byte, end int) int {
	at := skipSpace(text, end)
	if text[at] == ',' {
		return skipSpace(text, at+1)
	}
	return at
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}

// stringEnd is the place after the string that begins there.
func stringEnd(text []byte, at int) int {
	for i := at + 1; ; {
		i += bytes.IndexByte(text[i:], '"')
		escapes := 0
		for text[i-1-escapes] == '\\' {
			escapes++
		}
		i++
		if escapes%2 == 0 {
			return i
		}
	}
}

// valueEnd is the place after the value that begins there.
func valueEnd(text []byte, at int) int {
	depth := 0
	for {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		case ',', ':', ' ', '\t', '\r', '\n':
			at++
			continue // inside an object or an array: the value goes on
		default:
			for at < len(text) && bytes.IndexByte(delimiters, text[at]) < 0 {
				at++
			}
		}
		if depth == 0 {
			return at
		}
	}
}

// delimiters end a number or a word.
var delimiters = []byte(",:}] \t\r\n")

func unquoteName(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	name, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return nil // not one that is looked for
	}
	return name
}

// pieceSize is how much of a string is unquoted at a time. A long one is never held
// twice.
const pieceSize = 64 << 10

// str returns the string that v holds, and false for anything else.
func str(v jsontext.Value) (string, bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	inner := v[1 : len(v)-1]
	if verbatim(inner) {
		return string(inner), true
	}
	var out strings.Builder
	out.Grow(len(inner))
	unquote(inner, func(piece []byte) bool {
		out.Write(piece)
		return true
	})
	return out.String(), true
}

// verbatim reports whether what stands between quotes is what it means.
func verbatim(inner []byte) bool { return bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) }

// unquote gives what the text between quotes means to each, piece by piece, until
// that returns false.
func unquote(inner []byte, each func([]byte) bool) {
	var quoted, piece []byte
	for len(inner) > 0 {
		end := pieceEnd(inner)
		quoted = append(append(append(quoted[:0], '"'), inner[:end]...), '"')
		piece, _ = jsontext.AppendUnquote(piece[:0], quoted) // bytes that are not UTF-8 are mended, and no other error can be
		if !each(piece) {
			return
		}
		inner = inner[end:]
	}
}

// pieceEnd is where a long text can be cut: at a character of one byte, well after
// any escape. One so full of escapes that there is no such place means far less than
// its length.
func pieceEnd(inner []byte) int {
	const longest = len(`\ud83e\udd9c`)
	for end := pieceSize; end < len(inner); end++ {
		if i := bytes.LastIndexByte(inner[end-longest:end], '\\'); i >= 0 {
			end += i // the next place that may do
			continue
		}
		if inner[end] < utf8.RuneSelf && inner[end-1] < utf8.RuneSelf {
			return end
		}
	}
	return len(inner)
}

// text is str for where nothing is as good as a wrong type.
func text(v jsontext.Value) string {
	s, _ := str(v)
	return s
}

// textLike is text, but returns known where that is the same: a long text that is
// repeated is kept once.
func textLike(v jsontext.Value, known string) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	rest := known
	unquote(v[1:len(v)-1], func(piece []byte) (same bool) {
		rest, same = strings.CutPrefix(rest, string(piece))
		if !same {
			rest = "another"
		}
		return same
	})
	if rest == "" {
		return known
	}
	return text(v)
}

// is reports whether v is the string s, given without characters to escape.
func is(v jsontext.Value, s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s || len(v) > len(s)+2 && v[0] == '"' && bytes.IndexByte(v, '\\') > 0 && text(v) == s
}

// set reports whether v is there and not null.
func set(v jsontext.Value) bool { return len(v) > 0 && v[0] != 'n' }

// flagged reports whether v is there and says anything but no: what cannot be read
// counts as a yes, as flags are about failure.
func flagged(v jsontext.Value) bool { return set(v) && v[0] != 'f' }

// number returns the number that v holds.
func number(v jsontext.Value) (float64, bool) {
	var n float64
	if v.Kind() != '0' || json.Unmarshal(v, &n) != nil {
		return 0, false
	}
	return n, true
}

// count returns the whole number from 0 up that v holds, 0 where there is none.
func count(v jsontext.Value) int64 {
	var n int64
	if v.Kind() != '0' || json.Unmarshal(v, &n) != nil {
		return 0
	}
	return max(n, 0)
}

// raw returns the JSON text of v, null where there is none.
func raw(v jsontext.Value) string {
	if len(v) == 0 {
		return "null"
	}
	return strings.ToValidUTF8(string(v), "\uFFFD")
}
