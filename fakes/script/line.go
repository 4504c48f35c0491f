package script

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// line writes a step of this word on one line.
func (w word) line(fields []value) string {
	switch {
	case len(fields) == 0 && w.bare:
		return w.name
	case len(fields) == 1 && fields[0].name == w.scalar:
		f, _ := w.field(w.scalar)
		return w.name + ": " + inYAML(fields[0].v, f.is == fieldWord)
	}
	return w.name + ": " + inBraces(fields)
}

// under writes a step under another word. A word alone is a step, too.
func under(word, step string) string {
	if strings.Contains(step, ":") {
		return word + ": {" + step + "}"
	}
	return word + ": " + step
}

// inBraces writes fields as a map on one line.
func inBraces(fields []value) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.name + ": " + inYAML(f.v, true)
		if text, ok := f.v.(jsonText); ok {
			if flow, ok := inFlow(string(text)); ok {
				parts[i] = f.plain + ": " + flow
			}
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// inYAML writes one value. Bare allows text without quotes where it is safe.
func inYAML(v any, bare bool) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		if bare && isBare(v) {
			return v
		}
		return quote(v)
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case jsonText:
		return quote(string(v))
	case rawBytes:
		return quote(base64.StdEncoding.EncodeToString(v))
	case time.Duration:
		return quote(v.String())
	case fs.FileMode:
		return quote(fmt.Sprintf("%04o", uint32(v)))
	case []string:
		var items []string
		for _, s := range v {
			items = append(items, inYAML(s, true))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]string:
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, inYAML(name, true)+": "+inYAML(v[name], true))
		}
		return "{" + strings.Join(pairs, ", ") + "}"
	case []fakes.ToolCall:
		var items []string
		for _, c := range v {
			var l lister
			_ = l.ToolCall(c) // the lister never fails
			items = append(items, inBraces(l.values))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	panic(fmt.Sprintf("script: value of type %T", v))
}

// isBare reports whether text needs no quotes: a word that YAML reads as text.
func isBare(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789_.-", r)) {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan":
		return false
	}
	return true
}

// quote writes text in double quotes, on one line.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// inFlow writes a JSON text as a YAML value on one line, if reading that gives the
// very text back.
func inFlow(text string) (string, bool) {
	n, err := decodeJSON(jsontext.NewDecoder(strings.NewReader(text)), 0)
	if err != nil {
		return "", false
	}
	flow := string(appendFlow(nil, n))
	root, err := yamltree.Parse([]byte("v: " + flow + "\n"))
	if err != nil || root == nil || root.Kind != yamltree.Map || len(root.Items) != 1 {
		return "", false
	}
	back, err := appendJSON(nil, root.Items[0])
	return flow, err == nil && string(back) == text
}

// appendFlow writes a node as YAML on one line.
func appendFlow(out []byte, n *yamltree.Node) []byte {
	switch n.Kind {
	case yamltree.Null:
		return append(out, "null"...)
	case yamltree.Text:
		return append(out, quote(n.Text)...)
	case yamltree.List, yamltree.Map:
	default:
		return append(out, n.Text...)
	}
	braces := "[]"
	if n.Kind == yamltree.Map {
		braces = "{}"
	}
	out = append(out, braces[0])
	for i, item := range n.Items {
		if i > 0 {
			out = append(out, ", "...)
		}
		if n.Kind == yamltree.Map {
			out = append(out, inYAML(n.Keys[i].Text, true)+": "...)
		}
		out = appendFlow(out, item)
	}
	return append(out, braces[1])
}
