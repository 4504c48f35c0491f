package boundary_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

func TestShutdown(t *testing.T) {
	closed := []history.DiagnosticCode{history.CodeAdapterClosed}
	failed := []history.DiagnosticCode{history.CodeLocalKVShutdownFailed, history.CodeAdapterClosed}
	for _, c := range []struct {
		name    string
		release func(ctx context.Context, end <-chan struct{}) error
		want    []history.DiagnosticCode
		takes   time.Duration
	}{
		{name: "nothing to release", want: closed},
		{name: "released", release: func(context.Context, <-chan struct{}) error { return nil }, want: closed},
		{name: "fails", release: func(context.Context, <-chan struct{}) error { return errors.New("no") }, want: failed},
		{name: "panics", release: func(context.Context, <-chan struct{}) error { panic("no") }, want: failed},
		{name: "hangs", release: func(ctx context.Context, _ <-chan struct{}) error { <-ctx.Done(); return nil }, want: nil, takes: time.Minute},
		{name: "hangs and does not listen", release: func(_ context.Context, end <-chan struct{}) error { <-end; return nil }, want: failed, takes: time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				end := make(chan struct{})
				defer close(end)
				o := boundary.Options{Patience: time.Minute}
				if c.release != nil {
					o.Release = func(ctx context.Context) error { calls.Add(1); return c.release(ctx, end) }
				}
				b := boundary.New(o)
				start := time.Now()
				for range 3 {
					if err := b.Shutdown(t.Context()); err != nil {
						t.Errorf("error %v, want none", err)
					}
				}
				if took := time.Since(start); took != c.takes {
					t.Errorf("took %v, want %v", took, c.takes)
				}
				if got := codesOf(b); c.want != nil && !cmp.Equal(c.want, got) {
					t.Errorf("diagnostics %v, want %v", got, c.want)
				}
				if n := calls.Load(); c.release != nil && n != 1 {
					t.Errorf("released %d times", n)
				}
				if err := b.Usable(t.Context()); !errors.Is(err, boundary.ErrClosed) {
					t.Errorf("usable: %v", err)
				}
				b.Report(history.CodeTransportFailed)
				if got := codesOf(b); got[len(got)-1] != history.CodeAdapterClosed {
					t.Errorf("diagnostics after shutdown: %v", got)
				}
			})
		})
	}
}

// A second shutdown waits for the first, as long as its context allows.
func TestShutdownWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := boundary.New(boundary.Options{
			Patience: time.Minute,
			Release:  func(ctx context.Context) error { <-ctx.Done(); return nil },
		})
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { _ = b.Shutdown(t.Context()) })
		synctest.Wait()
		if !b.Closed() {
			t.Error("not closed while it releases")
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = b.Shutdown(short)
		if took := time.Since(start); took != time.Second {
			t.Errorf("the impatient one took %v", took)
		}
		_ = b.Shutdown(t.Context())
		if took := time.Since(start); took != time.Minute {
			t.Errorf("the patient one took %v", took)
		}
		wg.Wait()
	})
}

func TestUsable(t *testing.T) {
	b := boundary.New(boundary.Options{})
	if err := b.Usable(t.Context()); err != nil {
		t.Error(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Usable(over); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestDiagnostics(t *testing.T) {
	b := boundary.New(boundary.Options{})
	b.Report(history.CodePrivacyFailed)
	for range history.MaxDiagnostics + 20 {
		b.Report(history.CodeTransportFailed)
	}
	b.Report(history.CodeHistoryInvalid)
	got := b.Diagnostics()
	if len(got) != history.MaxDiagnostics || got[0].Code != history.CodeTransportFailed || got[len(got)-1].Code != history.CodeHistoryInvalid {
		t.Errorf("%d diagnostics, from %s to %s", len(got), got[0].Code, got[len(got)-1].Code)
	}
	got[0].Message = "changed"
	if b.Diagnostics()[0].Message == "changed" {
		t.Error("a change by the caller came back")
	}
}

// Every code of an adapter at work has a severity and a text of its own.
func TestDiagnosticTexts(t *testing.T) {
	seen := map[string]history.DiagnosticCode{}
	for _, code := range history.DiagnosticCodes()[2:] {
		b := boundary.New(boundary.Options{})
		b.Report(code)
		d := b.Diagnostics()[0]
		if d.Severity != code.Severity() || d.Severity == "" {
			t.Errorf("%s: severity %q", code, d.Severity)
		}
		if other, again := seen[d.Message]; again || d.Message == "" {
			t.Errorf("%s: the text of %s: %q", code, other, d.Message)
		}
		seen[d.Message] = code
		if kv := strings.HasPrefix(string(code), "local-kv"); kv != (d.Capability == history.LocalKVReuse) {
			t.Errorf("%s: capability %q", code, d.Capability)
		}
	}
}
