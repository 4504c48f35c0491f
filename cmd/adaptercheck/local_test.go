package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// Lines of a subject are shown as far as anybody reads, and nothing in them controls
// the terminal.
func TestLastWords(t *testing.T) {
	var out bytes.Buffer
	system{stderr: &out}.lastWords("\x1b[31mred\xff\n" + "x" + strings.Repeat("é", 5000) + "\n\n")
	red, long, _ := strings.Cut(out.String(), "\n")
	if red != "   [31mred\uFFFD" {
		t.Errorf("line %q", red)
	}
	if len(long) > stepWidth+50 || !utf8.ValidString(long) || !strings.HasSuffix(long, "é… (10001 bytes)\n") {
		t.Errorf("long line of %d bytes: …%q", len(long), long[max(0, len(long)-40):])
	}
}
