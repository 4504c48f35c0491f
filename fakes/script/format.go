package script

import (
	"bytes"
	"fmt"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Format writes a script in its one canonical form: a step a line, fields in the
// order of the language, words bare and everything else in double quotes. Parsing
// it gives the script back. Comments are not part of a [Script]; [Source.Format] keeps
// them.
//
// What the language cannot say is left out or mended: text that is not UTF-8 (raw
// and stderr keep their bytes), and usage without a kind, which means turn.
func Format(s Script) []byte {
	var lines []string
	for _, f := range s.Frames {
		lines = append(lines, lineOf(f))
	}
	return documentOf(lines, s.Expect)
}

// FormatFrames is [Format] for frames alone.
func FormatFrames(frames ...fakes.Frame) []byte { return Format(Script{Frames: frames}) }

// FormatCase is [Format] for a case. What is no word or field of the language is left
// out.
func FormatCase(c Case) []byte {
	var lines []string
	for _, s := range c.Steps {
		switch x := s.Do.(type) {
		case Say:
			lines = append(lines, lineOf(x.Frame))
		case Host:
			if w, known := find(x.Word, hostWords); known {
				lines = append(lines, under("host", w.line(w.written(values(x.Args)))))
			}
		case File:
			if w, known := find(x.Word, fileWords); known {
				lines = append(lines, under("file", w.line(w.written(values(x.Args)))))
			}
		case Given:
			w, _ := find("expect", caseWords)
			lines = append(lines, w.line(w.written(values(x.Args))))
		}
	}
	return documentOf(lines, c.Expect)
}

// documentOf is a document of these steps.
func documentOf(steps []string, expect []Expectation) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "schema: %s\nsteps:", Schema)
	if len(steps) == 0 {
		b.WriteString(" []")
	}
	b.WriteByte('\n')
	for _, line := range steps {
		fmt.Fprintf(&b, "  - %s\n", line)
	}
	if len(expect) > 0 {
		b.WriteString("expect:\n")
	}
	for _, e := range expect {
		fmt.Fprintf(&b, "  - %s\n", expectLine(e))
	}
	return b.Bytes()
}

// lineOf writes a frame as a step.
func lineOf(f fakes.Frame) string {
	w, _ := find(f.Word(), frameWords) // a test compares words and frames
	fields, err := valuesOf(f)
	if err != nil {
		panic(fmt.Sprintf("script: %v", err)) // the lister never fails
	}
	return w.line(fields)
}

func expectLine(e Expectation) string {
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
	w, _ := find(word, expectWords)
	return w.line(l.values)
}
