// Package match has Gomega matchers over event streams, for tests of adapters and
// hosts. They judge by the rules of contract/executor/verify, as the suite does,
// and their failures show the events that break a rule in the lines around them.
//
//	Expect(events).To(match.IncreasingSeq())
//	Expect(events).To(match.OneTerminal(executor.ReasonSuccess))
//	Expect(events).To(match.PairedTools())
//	Expect(events).To(match.Text("Hello world"))
//	Expect(events).To(match.Events(want...)) // got and want side by side
//
// The actual value is a []executor.Event, in the order in which one observer saw
// them. Failure texts quote what was said: they are for a developer's terminal,
// never for a report.
//
// The package imports contract/executor, Gomega and go-cmp.
package match
