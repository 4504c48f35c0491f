package pimutants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func writeMutants() []Mutant {
	const intact = "history.lifecycle.source-intact"
	return []Mutant{
		{ID: "pi-reads-labelled", Note: "leaves a label in the session where it has read", Check: "history.canonical.read-only", Code: "source-changed",
			Subject: reads(func(b built) reading {
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					return s, errors.Join(err, b.add(made("label", "", `"targetId":"c0000001","label":"read"`)))
				}
			})},
		{ID: "pi-read-migrates", Note: "writes the session anew on every read, as Pi does with an older one", Check: "history.canonical.read-only", Code: "source-rewritten",
			Subject: reads(func(b built) reading {
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					data, err := os.ReadFile(b.path)
					if err == nil {
						err = os.WriteFile(b.path, data, 0o600)
					}
					if err != nil {
						return history.Snapshot{}, err
					}
					return next(ctx)
				}
			})},
		{ID: "pi-rebuild-prunes", Note: "takes abandoned branches out of the session when it rebuilds", Check: "history.rebuild.preserves-source", Code: "source-changed",
			Subject: over(func(b built) history.Adapter { return pruner{b} })},
		{ID: "pi-shutdown-signs", Note: "writes the end of the session down when it is shut down", Check: intact, Code: "source-changed",
			Subject: over(func(b built) history.Adapter { return signer{b} })},
		{ID: "pi-shutdown-deletes", Note: "removes the session when it is shut down", Check: intact, Code: "source-deleted",
			Subject: over(func(b built) history.Adapter { return deleter{b} })},
		{ID: "pi-answers-kept", Note: "adds the output of a completion to the session", Check: "history.completion.not-canonical", Code: "completion-became-history",
			Subject: over(func(b built) history.Adapter { return keeper{b} })},
	}
}

// add puts an entry below the last one, under an id that no other has.
func (b built) add(e entry) error {
	return rewrite(b.path, onLines(func(lines []line) []line {
		own := e.with("id", fmt.Sprintf("f%07x", len(lines)))
		return append(lines, of(own.below(lines[len(lines)-1].entry.text("id"))))
	}))
}

type pruner struct{ built }

func (p pruner) RebuildDerivedState(ctx context.Context) (history.Snapshot, error) {
	err := rewrite(p.path, onLines(func(lines []line) []line {
		way := wayUp(lines)
		return slices.DeleteFunc(lines, func(l line) bool { return !l.entry.header() && !slices.Contains(way, l.entry.text("id")) })
	}))
	if err != nil {
		return history.Snapshot{}, err
	}
	return p.built.RebuildDerivedState(ctx)
}

type signer struct{ built }

func (s signer) Shutdown(ctx context.Context) error {
	return errors.Join(s.add(made("custom", "", `"customType":"end"`)), s.built.Shutdown(ctx))
}

type deleter struct{ built }

func (d deleter) Shutdown(ctx context.Context) error {
	return errors.Join(os.RemoveAll(d.path), d.built.Shutdown(ctx))
}

type keeper struct{ built }

func (k keeper) Complete(ctx context.Context, req history.CompletionRequest) (history.CompletionResult, error) {
	r, err := k.built.Complete(ctx, req)
	if r.Status == history.Completed {
		err = errors.Join(err, k.add(said("", `{"role":"assistant","content":"what the model said"}`)))
	}
	return r, err
}
