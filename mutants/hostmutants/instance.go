package hostmutants

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// start serves the host on the loopback interface and returns its URL.
func (h *host) start() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	h.server = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	h.served = make(chan struct{})
	go func() {
		defer close(h.served)
		_ = h.server.Serve(l) // ends with stop
	}()
	return "http://" + l.Addr().String(), nil
}

func (h *host) stop() error {
	err := h.server.Close()
	<-h.served
	return err
}

// all is what a host can be seen to do.
func all() fakes.Features { return fakes.HostFeatures() }

// subject makes a subject of a host with something changed.
func subject(name string, offers fakes.Features, change func(h *host)) func() check.Subject {
	return func() check.Subject {
		return check.Subject{Name: name, Offers: offers, Host: func(context.Context) (*check.HostInstance, error) {
			return open(offers, change)
		}}
	}
}

func open(offers fakes.Features, change func(h *host)) (*check.HostInstance, error) {
	in := &check.HostInstance{}
	base := ""
	if offers.Has(fakes.Outbound) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		in.Outbound, base = l, "http://"+l.Addr().String()
	}
	dir, err := os.MkdirTemp("", "adaptercheck-host-")
	if err != nil {
		return nil, err
	}
	h, err := newHost(dir, base)
	if err != nil {
		return nil, err
	}
	change(h)
	if in.URL, err = h.start(); err != nil {
		return nil, err
	}
	if offers.Has(fakes.Vault) {
		in.Vault = []string{dir}
	}
	if offers.Has(fakes.Logs) {
		in.Logs = func() (string, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.log.String(), nil
		}
	}
	if offers.Has(fakes.Restart) {
		in.Restart = func(context.Context) (string, error) {
			if err := h.stop(); err != nil {
				return "", err
			}
			h.keys = map[string]string{}
			if err := h.load(h); err != nil {
				return "", err
			}
			return h.start()
		}
	}
	in.Close = func(context.Context) error { return errors.Join(h.stop(), os.RemoveAll(dir)) }
	return in, nil
}
