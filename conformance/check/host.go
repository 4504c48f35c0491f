package check

import (
	"context"
	"net"
)

// HostInstance is one host whose surface is judged over HTTP.
type HostInstance struct {
	// URL of the surface, without a slash at its end: http://127.0.0.1:18790.
	URL string
	// Outbound is where the host looks for its providers. The suite serves it, as the
	// provider, and closes it. The base of provider ID is http://ADDRESS/ID for
	// anthropic and ollama and http://ADDRESS/ID/v1 for all others. Nil where the host
	// cannot be told; the subject must then not offer outbound.
	Outbound net.Listener
	// Vault lists the files and directories in which the host keeps keys. It may be
	// empty only where the subject does not offer vault.
	Vault []string
	// Logs returns what the host has written down about its work so far. It may be nil
	// only where the subject does not offer logs.
	Logs func() (string, error)
	// Restart ends the host, starts it again over the same files, and returns its URL.
	// It may be nil only where the subject does not offer restart.
	Restart func(ctx context.Context) (string, error)
	// Close releases what the constructor made; nil if there is nothing.
	Close func(ctx context.Context) error
}
