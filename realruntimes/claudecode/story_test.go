package claudecode

import (
	"os"
	"testing"
)

// envProgram names the binary of Claude Code.
const envProgram = "ADAPTERCHECK_CLAUDE"

func TestRealProgram(t *testing.T) {
	program := os.Getenv(envProgram)
	if program == "" {
		t.Skipf("no %s: set it to the binary of Claude Code, or use make real-runtimes", envProgram)
	}
	for _, s := range Stories() {
		t.Run(s.Name, func(t *testing.T) {
			told, err := s.Play(t.Context(), program)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(told)
		})
	}
}
