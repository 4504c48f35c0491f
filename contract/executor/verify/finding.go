package verify

import "github.com/adaptercheck/adaptercheck/contract/executor"

// Code names what is wrong. The set is closed: the constants of this package.
type Code string

// Finding is one thing that is wrong with a stream.
type Finding struct {
	Code Code
	// Index is the place of the event in the stream, or the stream's length for
	// something that is missing at its end.
	Index int
}

// Rule is one judgement over a stream.
type Rule func([]executor.Event) []Finding

// Rules lists every rule that holds for any stream of a right adapter, whole or
// cut anywhere. Ends are judged by [Terminals] and [OpenCalls], which need a
// stream that was read to its end.
func Rules() []Rule {
	return []Rule{Seq, RunIDs, Sessions, Times, Values, Order, Tools, Costs}
}

// Stream applies every rule to a stream that may have been cut anywhere.
func Stream(events []executor.Event) []Finding {
	var found []Finding
	for _, rule := range Rules() {
		found = append(found, rule(events)...)
	}
	return found
}

// Whole applies every rule to a stream in which every run has ended.
func Whole(events []executor.Event) []Finding {
	return append(append(Stream(events), Terminals(events)...), OpenCalls(events)...)
}

// runs groups the places of events by run id, in order of first appearance.
func runs(events []executor.Event) [][]int {
	place := map[string]int{}
	var groups [][]int
	for i, e := range events {
		id := e.Head().RunID
		g, known := place[id]
		if !known {
			g = len(groups)
			place[id] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}
