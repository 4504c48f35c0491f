package main

import (
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/supervise"
)

// What cannot be told to a worker is refused, and not lost on the way there.
func TestNotUTF8(t *testing.T) {
	for _, command := range [][]string{{"adapter\xff"}, {"node", "caf\xe9.mjs"}} {
		if _, err := (&processFlags{}).process(system{}, command); err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
			t.Errorf("%q: error %v", command, err)
		}
	}
	if _, err := (&processFlags{dir: "caf\xe9"}).process(system{}, []string{"true"}); err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
		t.Errorf("directory: error %v", err)
	}
	if err := traceDir("caf\xe9").make([]target{{process: &supervise.Process{}}}); err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
		t.Errorf("trace: error %v", err)
	}
}
