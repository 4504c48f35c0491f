package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupts turns signals to stop into a context that ends at the first and a
// channel that closes at the second. From the third on they do what they do to any
// program. Stop gives the signals back.
func interrupts() (ctx context.Context, kill <-chan struct{}, stop func()) {
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(context.Background())
	now, over := make(chan struct{}), make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for _, act := range []func(){cancel, func() { close(now); signal.Stop(signals) }} {
			select {
			case <-signals:
				act()
			case <-over:
				return
			}
		}
	})
	return ctx, now, func() {
		signal.Stop(signals)
		close(over)
		watch.Wait()
		cancel()
	}
}
