package historymutants

import (
	"context"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func factoryMutants() []Mutant {
	return []Mutant{
		{"history-K01", "its factory takes a message out of the fixture", "history.canonical.messages", "message-missing",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				copy(f.Messages, f.Messages[1:])
				f.Messages = f.Messages[:len(f.Messages)-1]
				return s.History(ctx, f)
			})},
		{"history-K02", "its factory makes the fixture's window fit", "history.identity.model", "model-window-wrong",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				f.Model.ContextWindow = 200_000
				return s.History(ctx, f)
			})},
		{"history-K04", "its cleanup fails", "history.lifecycle.cleanup", "cleanup-failed",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				in, err := s.History(ctx, f)
				if err == nil {
					in.Close = func(context.Context) error { panic("already removed") }
				}
				return in, err
			})},
		{"history-fixture-edited", "its factory tidies the fixture", "history.lifecycle.fixture", "fixture-edited",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				in, err := s.History(ctx, f)
				for i := range f.Messages {
					f.Messages[i].Extra = nil
					f.Messages[i].CreatedAt = history.Some(0.0)
				}
				return in, err
			})},
		{"history-root-factory", "its factory expects another root than the adapter has", "history.identity.trusted-root", "root-unlike-factory",
			refit(func(f check.Fixture, s check.Subject, ctx context.Context) (*check.HistoryInstance, error) {
				in, err := s.History(ctx, f)
				if err == nil {
					in.Root = filepath.Dir(f.Root)
				}
				return in, err
			})},
	}
}
