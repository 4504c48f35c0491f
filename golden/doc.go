// Package golden pins what others depend on: names, versions, fields and codes that
// may be added to, and whose change or loss breaks somebody.
//
// [Compat] collects them from the code as it is; the file compat-v1.json beside it
// is what was published. A test holds one against the other:
//
//	go test ./golden            # has anything drifted?
//	go test ./golden -update    # publish what the code says now
//
// It may import contract, fakes, fakes/script and conformance. The comparison by
// files of goldie is in its tests alone, as goldie registers flags.
package golden
