package script

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/fakes"
)

var someText = rapid.SampledFrom([]string{"a", "", "no", "5s", "null", "a # b", "- x", "a: b", "\n", "é\u2028", "'\""})

// drawFields draws values for the fields of a word that its rules allow.
func drawFields(t *rapid.T, w word) values {
	v := values{}
	kept := ""
	if w.oneOf != nil {
		kept = rapid.SampledFrom(w.oneOf).Draw(t, "one of")
	}
	for _, f := range w.fields {
		switch {
		case slices.Contains(w.oneOf, f.name):
			if f.name != kept {
				continue
			}
		case slices.Contains(w.atMostOne, f.name):
			if f.name != w.atMostOne[0] {
				continue
			}
		case !f.required && !rapid.Bool().Draw(t, f.name+" given"):
			continue
		}
		v[f.name] = drawValue(t, f)
	}
	return v
}

func drawValue(t *rapid.T, f field) any {
	switch f.is {
	case fieldText:
		return someText.Draw(t, f.name)
	case fieldWord:
		return rapid.SampledFrom(f.words).Draw(t, f.name)
	case fieldFlag:
		return rapid.Bool().Draw(t, f.name)
	case fieldInt:
		return rapid.IntRange(0, 1<<31-1).Draw(t, f.name)
	case fieldBase64:
		return rapid.SliceOf(rapid.Byte()).Draw(t, f.name)
	case fieldTexts:
		return rapid.SliceOfN(someText, 0, 3).Draw(t, f.name)
	case fieldTextMap:
		return rapid.MapOfN(rapid.SampledFrom([]string{"A", "b c", "no", "1"}), someText, 0, 3).Draw(t, f.name)
	case fieldDuration:
		return time.Duration(rapid.Int64Min(0).Draw(t, f.name))
	case fieldShift:
		return time.Duration(rapid.Int64().Draw(t, f.name))
	case fieldMode:
		return fs.FileMode(rapid.IntRange(0, 0o777).Draw(t, f.name))
	case fieldCalls:
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fakes.ToolCall {
			return fakes.ToolCall{ID: someText.Draw(t, "id"), Name: someText.Draw(t, "name"), Input: rapid.SampledFrom([]string{"", `{"a":[1]}`, `{ }`}).Draw(t, "input")}
		}), 0, 2).Draw(t, f.name)
	}
	t.Fatalf("no values of kind %d", f.is)
	return nil
}

func drawCase(t *rapid.T) Case {
	var c Case
	for i := range rapid.IntRange(0, 6).Draw(t, "steps") {
		s := Step{Line: i + 3, Col: 5}
		switch rapid.SampledFrom([]string{"say", "host", "file", "given"}).Draw(t, "side") {
		case "say":
			s.Do = Say{fakes.Delta{Text: someText.Draw(t, "text")}}
		case "host":
			w := rapid.SampledFrom(hostWords).Draw(t, "word")
			s.Do = Host{w.name, Args(drawFields(t, w))}
		case "file":
			w := rapid.SampledFrom(fileWords).Draw(t, "word")
			s.Do = File{w.name, Args(drawFields(t, w))}
		case "given":
			w, _ := find("expect", caseWords)
			s.Do = Given{Args(drawFields(t, w))}
		}
		c.Steps = append(c.Steps, s)
	}
	if rapid.Bool().Draw(t, "expect") {
		c.Expect = []Expectation{ExpectDone{Reason: "error"}}
	}
	return c
}

// What FormatCase writes, Case reads back, positions included.
func TestCaseUndoesFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawCase(t)
		text := FormatCase(want)
		got, err := Source{Name: "c.yaml", Data: text}.Case()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, text)
		}
	})
}

// Wherever comments and empty lines stand, Source.Format keeps every comment and every
// step, and leaves what it has formatted as it is.
func TestFormatLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawCase(t)
		var b strings.Builder
		said := 0
		comment := func() string {
			said++
			return fmt.Sprintf("# %d %s", said, rapid.SampledFrom([]string{"", "a", "- cut", "x: \"y", "é", "#"}).Draw(t, "comment"))
		}
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		around := func() {
			for range rapid.IntRange(0, 2).Draw(t, "lines") {
				if rapid.Bool().Draw(t, "empty") {
					b.WriteString(end)
				} else {
					b.WriteString(strings.Repeat(" ", rapid.IntRange(0, 6).Draw(t, "indent")) + comment() + end)
				}
			}
		}
		for line := range strings.Lines(string(FormatCase(want))) {
			around()
			b.WriteString(strings.TrimSuffix(line, "\n"))
			if rapid.Bool().Draw(t, "beside") {
				b.WriteString(" " + comment())
			}
			b.WriteString(end)
		}
		around()
		once, err := Source{Name: "c.yaml", Data: []byte(b.String())}.Format()
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		got, err := Source{Name: "c.yaml", Data: once}.Case()
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Step{}, "Line", "Col")); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, once)
		}
		last := 0
		for n := range said {
			at := strings.Index(string(once), fmt.Sprintf("# %d ", n+1))
			if at = max(at, strings.Index(string(once), fmt.Sprintf("# %d\n", n+1))); at < last {
				t.Fatalf("comment %d is lost or before one that it followed:\n%s\nfrom\n%s", n+1, once, b.String())
			}
			last = at
		}
		twice, err := Source{Name: "c.yaml", Data: once}.Format()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(once), string(twice)); diff != "" {
			t.Fatalf("second format (-first +second):\n%s", diff)
		}
	})
}
