package provider

import (
	"fmt"
	"net"
	"time"
)

// Options of a server. The zero value listens on a free port of the loopback interface,
// takes any key, knows every model, and has no rules.
type Options struct {
	// Listen is the address, HOST:PORT of a loopback interface; empty is 127.0.0.1:0.
	Listen string
	// Listener, when not nil, is listened on instead. The server closes it.
	Listener net.Listener
	// Seed of everything that is made up.
	Seed uint64
	// Keys are those that clients may have; empty is any.
	Keys []string
	// Models are those that there are; empty is any, and a few are listed.
	Models []string
	// MaxBody is the longest body of a request, in bytes; 0 is 32 MiB.
	MaxBody int64
	// WriteTimeout is how long a client may let a write wait before its connection is
	// closed, which may take half as long again; 0 is ten seconds.
	WriteTimeout time.Duration
	// Keep is how many exchanges a space's journal keeps; 0 is 10,000. KeepBodies is how
	// many bytes of their bodies, the newest, of which there is always one; 0 is 64 MiB.
	Keep       int
	KeepBodies int64
	// Rules of the server's own space.
	Rules []Rule
	// Limit of the server's own space.
	Limit Limit
}

func (o Options) withDefaults() Options {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.MaxBody == 0 {
		o.MaxBody = 32 << 20
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 10 * time.Second
	}
	if o.Keep == 0 {
		o.Keep = 10_000
	}
	if o.KeepBodies == 0 {
		o.KeepBodies = 64 << 20
	}
	return o
}

// loopback refuses to listen where others can connect.
func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("address %q: %w, want HOST:PORT", address, err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("address %q: a fake listens on loopback only, as 127.0.0.1:0", address)
}
