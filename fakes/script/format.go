package script

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// Format writes a script in its one canonical form: a step a line, fields in the
// order of the language, words bare and everything else in double quotes. Parsing
// it gives the script back. Comments are not part of a [Script].
//
// What the language cannot say is left out or mended: text that is not UTF-8 (raw
// and stderr keep their bytes), and usage without a kind, which means turn.
func Format(s Script) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "schema: %s\nsteps:", Schema)
	if len(s.Frames) == 0 {
		b.WriteString(" []\n")
	} else {
		b.WriteByte('\n')
	}
	for _, f := range s.Frames {
		fields, err := valuesOf(f)
		if err != nil {
			panic(fmt.Sprintf("script: %v", err)) // the lister never fails
		}
		writeStep(&b, f.Word(), frameWords, fields)
	}
	if len(s.Expect) > 0 {
		b.WriteString("expect:\n")
	}
	for _, e := range s.Expect {
		var l lister
		word := ""
		switch e := e.(type) {
		case ExpectText:
			word = "text"
			l.text("run", e.Run)
			optional(&l, "assistant", e.Assistant)
			optional(&l, "reasoning", e.Reasoning)
		case ExpectDone:
			word = "done"
			l.text("run", e.Run).must("reason", e.Reason)
		}
		writeStep(&b, word, expectWords, l.values)
	}
	return b.Bytes()
}

// FormatFrames is [Format] for frames alone.
func FormatFrames(frames ...fakes.Frame) []byte { return Format(Script{Frames: frames}) }

func writeStep(b *bytes.Buffer, name string, words []word, fields []value) {
	w, err := findWord(name, yamltree.Position{}, "step", words)
	if err != nil {
		panic(fmt.Sprintf("script: %v", err)) // a test compares words and frames
	}
	b.WriteString("  - ")
	b.WriteString(name)
	switch {
	case len(fields) == 0 && w.bare:
	case len(fields) == 0:
		b.WriteString(": {}")
	case len(fields) == 1 && fields[0].name == w.scalar:
		b.WriteString(": ")
		b.WriteString(inYAML(fields[0].v, w.scalarIsWord()))
	default:
		b.WriteString(": {")
		for i, f := range fields {
			if i > 0 {
				b.WriteString(", ")
			}
			if text, ok := f.v.(jsonText); ok {
				if flow, ok := inFlow(string(text)); ok {
					b.WriteString(f.plain + ": " + flow)
					continue
				}
			}
			b.WriteString(f.name + ": " + inYAML(f.v, true))
		}
		b.WriteByte('}')
	}
	b.WriteByte('\n')
}

func (w word) scalarIsWord() bool {
	f, _ := w.field(w.scalar)
	return f.is == fieldWord
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
	v := jsontext.Value(text).Clone()
	if !utf8.ValidString(text) || v.Format(jsontext.Multiline(false), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)) != nil {
		return "", false
	}
	flow := string(v)
	root, err := yamltree.Parse([]byte("v: " + flow + "\n"))
	if err != nil || root == nil || root.Kind != yamltree.Map || len(root.Items) != 1 {
		return "", false
	}
	back, err := appendJSON(nil, root.Items[0])
	return flow, err == nil && string(back) == text
}
