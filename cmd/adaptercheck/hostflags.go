package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/hosttest"
)

// hostName is what a host that somebody started is called in reports.
const hostName = "host"

// hostFlags say where a host is that somebody started.
type hostFlags struct {
	at hosttest.At
	// discard says that its keys may go.
	discard bool
}

func (h *hostFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&h.at.URL, "url", "", "judge the host at `URL`, which must hold no keys, as it loses them by it")
	f.BoolVar(&h.discard, "discard-keys", false, "with --url: judge a host that holds keys, which it loses")
	f.StringVar(&h.at.Outbound, "outbound", "", "with --url: be the providers of the host, at `HOST:PORT`, where it looks for them")
	f.StringArrayVar(&h.at.Vault, "vault", nil, "with --url: the host keeps its keys in `PATH`; may be repeated")
	f.StringVar(&h.at.Log, "log", "", "with --url: the host writes its log to `FILE`")
}

// instead are the targets, or the host that the flags name.
func (h *hostFlags) instead(cmd *cobra.Command, args []string, found []target, named bool) ([]target, bool, error) {
	if !cmd.Flags().Changed("url") {
		for _, name := range []string{"outbound", "vault", "log", "discard-keys"} {
			if cmd.Flags().Changed(name) {
				return nil, false, fmt.Errorf("flag --%s: is for a host, and there is no --url", name)
			}
		}
		return found, named, nil
	}
	if len(args) > 0 {
		return nil, false, errors.New("flag --url: want a host or subjects, not both")
	}
	if err := h.at.Validate(); err != nil {
		return nil, false, fmt.Errorf("flag --url: %w", err)
	}
	if !h.discard && h.holdsKeys(cmd.Context()) {
		return nil, false, errors.New("flag --url: the host holds keys, which the checks take it: start one with a home of its own, or say --discard-keys")
	}
	return []target{{subject: h.at.Subject(hostName), host: &h.at}}, true, nil
}

// askFor bounds the look at a host.
const askFor = 5 * time.Second

// holdsKeys reports whether the host says that its native runtime is ready, which it is by
// keys alone. A host that does not answer is the checks' to judge.
func (h *hostFlags) holdsKeys(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	list, err := hosttest.Runtimes(ctx, h.at.URL)
	return err == nil && slices.Contains(list, hosttest.Runtime{ID: "clawboo-native", State: "ready"})
}
