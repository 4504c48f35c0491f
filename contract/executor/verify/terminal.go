package verify

import "github.com/adaptercheck/adaptercheck/contract/executor"

// The codes of the terminal rules.
const (
	DoneMissing         Code = "done-missing"           // a run that was read to its end has no done
	DoneRepeated        Code = "done-repeated"          // a run ended twice
	EventAfterDone      Code = "event-after-done"       // something of a run came after its done
	FatalWithoutDone    Code = "fatal-without-done"     // a fatal error and no done after it
	FatalNotDoneError   Code = "fatal-not-done-error"   // a fatal error and another reason than error
	FatalRepeated       Code = "fatal-repeated"         // two fatal errors in one run
	DoneErrorUnprefaced Code = "done-error-unannounced" // done(error) without a fatal error before it
	OutputAfterFatal    Code = "output-after-fatal"     // the run went on after a fatal error
)

// Order: nothing of a run comes after its done, and it ends once; after a fatal
// error come only results that close open calls, cost, and done(error)
// (executor#one-terminal, executor#fatal).
func Order(events []executor.Event) []Finding {
	var found []Finding
	for _, run := range runs(events) {
		done, fatal := false, false
		for _, i := range run {
			e := events[i]
			if done {
				if e.Kind() == executor.KindDone {
					found = append(found, Finding{DoneRepeated, i})
				} else {
					found = append(found, Finding{EventAfterDone, i})
				}
				continue
			}
			switch e := e.(type) {
			case executor.Done:
				done = true
				if fatal && e.Reason != executor.ReasonError {
					found = append(found, Finding{FatalNotDoneError, i})
				}
			case executor.Error:
				if e.Fatal && fatal {
					found = append(found, Finding{FatalRepeated, i})
				}
				fatal = fatal || e.Fatal
			case executor.TextDelta, executor.ToolCall:
				if fatal {
					found = append(found, Finding{OutputAfterFatal, i})
				}
			}
		}
	}
	return found
}

// Terminals: every run of a stream that was read to its end has its done
// (executor#one-terminal).
func Terminals(events []executor.Event) []Finding {
	var found []Finding
	for _, run := range runs(events) {
		done, fatal := false, false
		for _, i := range run {
			switch e := events[i].(type) {
			case executor.Done:
				done = true
			case executor.Error:
				fatal = fatal || e.Fatal
			}
		}
		switch {
		case done:
		case fatal:
			found = append(found, Finding{FatalWithoutDone, len(events)})
		default:
			found = append(found, Finding{DoneMissing, len(events)})
		}
	}
	return found
}

// Announced: a done(error) follows a fatal error (SHOULD, executor#error-announced).
func Announced(events []executor.Event) []Finding {
	var found []Finding
	for _, run := range runs(events) {
		fatal := false
		for _, i := range run {
			switch e := events[i].(type) {
			case executor.Done:
				if e.Reason == executor.ReasonError && !fatal {
					found = append(found, Finding{DoneErrorUnprefaced, i})
				}
			case executor.Error:
				fatal = fatal || e.Fatal
			}
		}
	}
	return found
}
