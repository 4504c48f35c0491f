package pimutants

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func revisionMutants() []Mutant {
	const distinct, rollback = "history.canonical.revision-distinct", "history.canonical.follows-rollback"
	return []Mutant{
		{ID: "pi-revision-time", Note: "takes the time of the file for the revision", Check: rollback, Code: "revision-unlike-history",
			Subject: changed(func(b built, s *history.Snapshot) {
				if info, err := os.Stat(b.path); err == nil {
					s.Revision = info.ModTime().UTC().String()
				}
			})},
		{ID: "pi-revision-leaf", Note: "takes the id of the leaf for the revision", Check: distinct, Code: "revision-not-distinct",
			Subject: changed(func(_ built, s *history.Snapshot) { s.Revision = lastOf(s.Messages) })},
		{ID: "pi-revision-count", Note: "takes the number of messages for the revision", Check: distinct, Code: "revision-not-distinct",
			Subject: changed(func(_ built, s *history.Snapshot) { s.Revision = fmt.Sprint(len(s.Messages)) })},
		{ID: "pi-revision-root", Note: "takes the first message for the revision", Check: "history.canonical.follows-source", Code: "revision-stale",
			Subject: changed(func(_ built, s *history.Snapshot) {
				if len(s.Messages) > 0 {
					s.Revision = s.Messages[0].ID
				}
			})},
		{ID: "pi-revision-counted", Note: "counts the revision up with every read", Check: "history.canonical.revision-stable", Code: "revision-unstable",
			Subject: reads(func(built) reading {
				var n atomic.Int64
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					s.Revision = fmt.Sprint(n.Add(1))
					return s, err
				}
			})},
	}
}

func lastOf(all []history.Message) string {
	if len(all) == 0 {
		return "none"
	}
	return all[len(all)-1].SourceEntryID
}
