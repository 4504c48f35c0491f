// Package boundary holds what every adapter of the history contract has to do in
// the same way, whatever history it reads: the closed state, the bounded list of
// diagnostics, the way of a completion from request to transport, how a canonical
// file is read that somebody else writes, and when a snapshot of it is made anew.
//
//	b := boundary.New(boundary.Options{
//		Privacy: policy, Transport: transport,
//		Source: boundary.Source{File: boundary.File{Path: path, MaxBytes: max}, Root: root, Make: parse, Refuse: refuse},
//	})
//	...
//	snapshot, err := b.Snapshot(ctx) // refuses after Shutdown
//
// An adapter keeps a [Boundary] in a field and hands SnapshotHistory,
// RebuildDerivedState, Complete, EnforcePrivacy, Diagnostics and Shutdown over to it.
//
// It may import contract, internal and the standard library.
package boundary
