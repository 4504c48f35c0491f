// Package property holds laws: what is true of every right adapter whatever its
// runtime says, looked for in random input that is made small before it is shown.
//
// [Executor] is the first law: any stream of events keeps the rules of the package
// verify, under any script of frames that the runtime can play. [Conversations] is
// that of many runs: whatever a host does with the runs of an adapter, each tells its
// own story. [Groups] and [History] are about histories: the atomic groups of any are
// those that the contract's own words give, for a function and for an adapter's
// snapshots.
//
//	func TestLaws(t *testing.T) {
//		property.Executor(t, subject, property.Options{})
//		property.Conversations(t, subject, property.Options{})
//		property.History(t, subject, property.Options{})
//	}
//
// Rapid draws and shrinks the input, and its flags -rapid.seed, -rapid.failfile and
// -rapid.nofailfile have their usual meaning; none is needed. What a law reports
// about a failure are closed codes, kinds of events, and the input that it has
// drawn itself; what a subject says is shown only with [Options.Verbose].
//
// Outside go test, rapid needs testing.Init and flag.Parse to have been called.
//
// The package may import contract, fakes, fakes/script, conformance/check and report,
// fixtures and rapid.
package property
