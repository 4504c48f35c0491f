package subjects

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native/host"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// hostPatience is how long the host of a check waits for a provider.
const hostPatience = time.Second

// NativeHost is the native runtime host, served on the loopback interface over an empty
// home. Its providers are at an address of the suite's.
func NativeHost() check.Subject {
	return check.Subject{Name: "native-host", Offers: fakes.HostFeatures(), Host: openHost}
}

func openHost(context.Context) (*check.HostInstance, error) {
	outbound, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "adaptercheck-native-")
	if err != nil {
		return nil, errors.Join(err, outbound.Close())
	}
	log := &logbook{}
	s := &servedHost{options: host.Options{
		Home: home, Env: func(string) string { return "" }, BaseURLs: host.Everywhere("http://" + outbound.Addr().String()),
		ProbeTimeout: hostPatience, Log: slog.New(slog.NewTextHandler(log, nil)),
	}}
	url, err := s.start()
	if err != nil {
		return nil, errors.Join(err, outbound.Close(), os.RemoveAll(home))
	}
	return &check.HostInstance{
		URL: url, Outbound: outbound, Vault: []string{filepath.Join(home, "vault")}, Logs: log.text,
		Restart: func(context.Context) (string, error) {
			if err := s.stop(); err != nil {
				return "", err
			}
			return s.start()
		},
		Close: func(context.Context) error { return errors.Join(s.stop(), os.RemoveAll(home)) },
	}, nil
}

// servedHost is a host and its server.
type servedHost struct {
	options host.Options
	host    *host.Host
	end     context.CancelFunc
	served  chan error
}

func (s *servedHost) start() (string, error) {
	h, err := host.New(s.options)
	if err != nil {
		return "", err
	}
	l, err := host.Listen("127.0.0.1:0", false)
	if err != nil {
		return "", errors.Join(err, h.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.host, s.end, s.served = h, cancel, make(chan error, 1)
	go func() { s.served <- h.Serve(ctx, l) }()
	return "http://" + l.Addr().String(), nil
}

func (s *servedHost) stop() error {
	s.end()
	return errors.Join(<-s.served, s.host.Close())
}

// logbook keeps what is logged.
type logbook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logbook) text() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String(), nil
}
