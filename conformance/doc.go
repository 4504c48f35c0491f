// Package conformance is the suite. It has three doors to one kernel:
//
//   - [Register] builds a Ginkgo suite, for those who have one;
//   - [Test] gives one subtest per check, for those who do not;
//   - [Run] runs the Ginkgo suite once in a process of its own, for the command.
//
// An author of an adapter in Go writes one test:
//
//	func TestMyAdapter(t *testing.T) {
//		conformance.Test(t, check.Subject{
//			Name:     "my-adapter",
//			Offers:   fakes.Features{fakes.Deltas, fakes.LiveText, fakes.TerminalFrame},
//			Executor: newInstance, // a fresh adapter and the fake behind it
//		}, conformance.Options{})
//	}
//
// It is the only package with Ginkgo; the kernel is conformance/check.
package conformance
