package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/adapters/native/host"
)

// defaultListen is where a native host listens.
const defaultListen = "127.0.0.1:18790"

// serveFlags are the choices of a host.
type serveFlags struct {
	listen, home, providers string
	everyone                bool
}

func (sys system) serveCommand() *cobra.Command {
	var flags serveFlags
	native := &cobra.Command{
		Use:   "native",
		Short: "Serve the native runtime host",
		Long: `Serve the native runtime host, until it is interrupted: it checks and keeps keys of
model providers, seeds a team, and runs tasks. Its surface is docs/contract/host.md.

It prints its URL, and its log to stderr. Keys are kept encrypted below its home; those
of the environment count as well, until it is told to disconnect.`,
		Example: `  adaptercheck serve native
  adaptercheck serve native --listen 127.0.0.1:0 --home ./home
  curl -s http://127.0.0.1:18790/api/runtimes`,
		Args: nothing,
		RunE: func(*cobra.Command, []string) error { return sys.serveNative(flags) },
	}
	f := native.Flags()
	f.StringVar(&flags.listen, "listen", defaultListen, "listen at `HOST:PORT`")
	f.StringVar(&flags.home, "home", "", "keep everything in `DIR` (default adaptercheck/native in the directory for configurations)")
	f.StringVar(&flags.providers, "providers", "", "look for all providers at `URL`, each below its own name, as a test has them")
	f.BoolVar(&flags.everyone, "everyone", false, "allow an address that others than this machine can reach")
	cmd := &cobra.Command{Use: "serve", Short: "Serve a host of agents"}
	cmd.AddCommand(native)
	return cmd
}

// serveNative serves a host until it is interrupted.
func (sys system) serveNative(flags serveFlags) error {
	o := host.Options{Home: flags.home, Log: slog.New(slog.NewTextHandler(sys.stderr, nil))}
	if o.Home == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return fmt.Errorf("flag --home: there is no default: %w", err)
		}
		o.Home = filepath.Join(dir, "adaptercheck", "native")
	}
	if flags.providers != "" {
		u, err := url.Parse(flags.providers)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("flag --providers: want a URL, as http://127.0.0.1:18799")
		}
		o.BaseURLs = host.Everywhere(flags.providers)
	}
	l, err := host.Listen(flags.listen, flags.everyone)
	if err != nil {
		return fmt.Errorf("flag --listen: %w", err)
	}
	h, err := host.New(o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	ctx, _, stop := interrupts()
	defer stop()
	fmt.Fprintln(sys.stdout, "http://"+l.Addr().String())
	return errors.Join(h.Serve(ctx, l), h.Close())
}
