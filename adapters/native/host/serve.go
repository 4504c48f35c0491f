package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// Listen listens at HOST:PORT. An address that others than this machine can reach is
// refused, unless everyone says that it is meant.
func Listen(address string, everyone bool) (net.Listener, error) {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w, want HOST:PORT", address, err)
	}
	if ip := net.ParseIP(name); !everyone && name != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("address %q: want a loopback address, as 127.0.0.1: whoever reaches the host can use its keys", address)
	}
	return net.Listen("tcp", address)
}

// Serve answers requests until ctx ends or [Host.Close] was called, and then lets those
// under way have a moment to end. It closes the listener.
func (h *Host) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{
		Handler:           h.Handler(),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(h.o.Log.Handler(), slog.LevelWarn),
		// A run ends with its request, and so with the server.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	case <-h.life.Done():
		cancel()
	}
	ending, stop := context.WithTimeout(context.Background(), h.o.Ending+time.Second)
	defer stop()
	err := server.Shutdown(ending)
	if err != nil {
		err = errors.Join(err, server.Close())
	}
	if gone := <-served; !errors.Is(gone, http.ErrServerClosed) {
		err = errors.Join(err, gone)
	}
	return err
}
