// Package check is the kernel of the suite: what a check is, what a subject is,
// and how one is executed against the other.
//
// A check is data plus a function. [Runner.Execute] runs it in a goroutine of its
// own, inside a budget, behind a panic guard, and with a record that is sealed
// when the check ends, so that what a hung subject reports later lands nowhere.
// The kernel knows no test runner: the doors of the package conformance, the
// mutants and the laws all stand on it.
//
// It imports contract, fakes, conformance/report and Gomega.
package check
