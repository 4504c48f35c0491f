// Package boundary holds what every adapter of the history contract has to do in
// the same way, whatever history it reads: the closed state, the bounded list of
// diagnostics, the way of a completion from request to transport, and how a
// canonical file is read that somebody else writes.
//
//	b := boundary.New(boundary.Options{Privacy: policy, Transport: transport})
//	...
//	if err := b.Usable(ctx); err != nil { // refuses after Shutdown
//		return history.Snapshot{}, err
//	}
//	...
//	b.Report(history.CodeHistoryReadFailed)
//
// An adapter keeps a [Boundary] in a field and hands Complete, EnforcePrivacy,
// Diagnostics and Shutdown over to it.
//
// It may import contract, internal and the standard library.
package boundary
