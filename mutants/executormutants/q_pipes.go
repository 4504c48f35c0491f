package executormutants

import "github.com/adaptercheck/adaptercheck/contract/executor"

// pipeMutants misread how the output of a process arrives.
func pipeMutants() []Mutant {
	const pieces, held = "executor.framing.pieces", "executor.process.held-output"
	return []Mutant{
		claude("x-pieces-torn", pieces, "text-altered", "decodes each read by itself", says(func(s string) string { return torn(s, 1) })),
		claude("x-pieces-return-kept", pieces, "text-altered", "keeps the CR of a line's end", says(func(s string) string { return s + "\r" })),
		claude("x-pieces-lost", pieces, "text-lost", "takes each read for a line", drop(every[executor.TextDelta])),
		claude("x-pieces-undone", pieces, "done-missing", "waits for lines to come whole", undone),
		claude("x-pieces-failed", pieces, "success-lost", "calls a run failed that came in pieces", ended(executor.ReasonError)),
		claude("x-held-undone", held, "done-missing", "waits for the end of the output after that of the process", undone),
		claude("x-held-lost", held, "text-lost", "gives up output that does not end", drop(every[executor.TextDelta])),
		claude("x-held-failed", held, "success-lost", "calls a run failed whose output had to be given up", ended(executor.ReasonError)),
	}
}
