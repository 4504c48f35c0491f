// Command adaptercheck judges whether an adapter of an agent runtime keeps its
// contract.
//
//	adaptercheck run                   # every subject of the project, or of this program
//	adaptercheck run -- ./my-adapter   # a program in any language
//	adaptercheck run codex -v          # one of them, check by check
//	adaptercheck explain executor.events.seq-increasing
//
// It exits with 0 when every subject conforms, 1 when one fails, 2 on a usage or
// configuration error, and 3 when no judgement was possible.
package main

import (
	"os"

	"github.com/adaptercheck/adaptercheck/subjects"
)

func main() {
	os.Exit(run(os.Args[1:], system{
		subjects: subjects.All,
		fakes:    processFakes(),
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
	}))
}
