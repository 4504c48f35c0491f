package hosttest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// T is what the body of a check is given: a host without keys, and the provider that it
// calls.
type T struct {
	*check.C
	Host *check.HostInstance
	// Provider is every provider that the host knows; nil where it cannot be told.
	Provider *Provider

	client *http.Client
	keys   []string // planted so far
}

// with makes the function of a check out of a typed body.
func with(run func(ctx context.Context, t *T)) func(context.Context, *check.C) {
	return func(ctx context.Context, c *check.C) { run(ctx, build(ctx, c)) }
}

// build starts the host and takes away the keys that it has. What cannot be started is
// not judged.
func build(ctx context.Context, c *check.C) *T {
	if c.Subject.Host == nil {
		c.Cannot(errors.New("the subject does not implement the host contract"))
	}
	// The host may live as long as the check does, so the constructor gets the check's
	// context and not the call's.
	in, err := check.Await(ctx, c, c.Budgets.Check/2, func(context.Context) (*check.HostInstance, error) {
		return c.Subject.Host(ctx)
	})
	if err == nil && (in == nil || in.URL == "") {
		err = errors.New("the constructor returned no host")
	}
	if err != nil {
		c.Cannot(fmt.Errorf("start the subject: %w", err))
	}
	if in.Close != nil {
		c.Cleanup(in.Close)
	}
	t := &T{C: c, Host: in, client: newClient()}
	c.Cleanup(func(context.Context) error { t.client.CloseIdleConnections(); return nil })
	if in.Outbound != nil {
		t.Provider = serveProvider(in.Outbound)
		c.Cleanup(func(context.Context) error { return t.Provider.close() })
	}
	t.offered()
	t.forget(ctx)
	c.Cleanup(func(ctx context.Context) error {
		_, err := t.send(ctx, http.MethodPost, nativePath+"/disconnect", "application/json", []byte("{}"))
		return err
	})
	return t
}

// offered looks whether the instance has what its subject offers.
func (t *T) offered() {
	for f, has := range map[check.Feature]bool{
		fakes.Outbound: t.Host.Outbound != nil, fakes.Vault: len(t.Host.Vault) > 0,
		fakes.Logs: t.Host.Logs != nil, fakes.Restart: t.Host.Restart != nil,
	} {
		if t.Subject.Offers.Has(f) && !has {
			t.Cannot(fmt.Errorf("the subject offers %s and its instance does not have it", f))
		}
	}
}

// settle lets the quiet budget pass, for what a host may do behind its answers.
func (t *T) settle(ctx context.Context) {
	timer := time.NewTimer(t.Budgets.Quiet)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// forget has the host forget all keys, so that what follows does not depend on what was.
func (t *T) forget(ctx context.Context) {
	a := t.post(ctx, nativePath+"/disconnect", object{})
	t.Expect(a.status).To(beOK(), "disconnect: %s", a)
}
