package verify

import "github.com/adaptercheck/adaptercheck/contract/executor"

// The codes of the envelope rules.
const (
	SeqNegative      Code = "seq-negative"       // below zero
	SeqNotIncreasing Code = "seq-not-increasing" // not above the one before, in one stream
	RunIDEmpty       Code = "run-id-empty"
	RunIDInterleaved Code = "run-id-interleaved" // a run goes on after another one began and ended
	SessionChanged   Code = "session-id-changed" // a second value within a run, or back to null
	SessionEmpty     Code = "session-id-empty"
	TimeInvalid      Code = "ts-invalid" // not a time after the epoch
)

// Seq: numbers are whole, from 0 up, and rise strictly (executor#seq).
func Seq(events []executor.Event) []Finding {
	var found []Finding
	for i, e := range events {
		seq := e.Head().Seq
		if seq < 0 {
			found = append(found, Finding{SeqNegative, i})
		}
		if i > 0 && seq <= events[i-1].Head().Seq {
			found = append(found, Finding{SeqNotIncreasing, i})
		}
	}
	return found
}

// RunIDs: every event names its run, and all events of a run carry one id
// (executor#run-id). A run whose events come back after another run has begun and
// ended is one run under changing ids.
func RunIDs(events []executor.Event) []Finding {
	var found []Finding
	seen, ended := map[string]bool{}, map[string]bool{}
	last := ""
	for i, e := range events {
		id := e.Head().RunID
		if id == "" {
			found = append(found, Finding{RunIDEmpty, i})
			continue
		}
		if id != last && seen[id] && !ended[last] {
			found = append(found, Finding{RunIDInterleaved, i})
		}
		seen[id] = true
		if e.Kind() == executor.KindDone {
			ended[id] = true
		}
		last = id
	}
	return found
}

// Sessions: within a run the session id may go once from null to its value
// (executor#session-id).
func Sessions(events []executor.Event) []Finding {
	var found []Finding
	for _, run := range runs(events) {
		var known *string
		for _, i := range run {
			id := events[i].Head().SessionID
			switch {
			case id != nil && *id == "":
				found = append(found, Finding{SessionEmpty, i})
			case known != nil && (id == nil || *id != *known):
				found = append(found, Finding{SessionChanged, i})
			case id != nil:
				known = id
			}
		}
	}
	return found
}

// Times: a time is whole milliseconds after the epoch. It need not rise
// (executor#ts).
func Times(events []executor.Event) []Finding {
	var found []Finding
	for i, e := range events {
		if e.Head().TS <= 0 {
			found = append(found, Finding{TimeInvalid, i})
		}
	}
	return found
}
