package host

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
)

const (
	defaultProbeTimeout = 8 * time.Second
	defaultSilence      = 30 * time.Minute
	defaultEnding       = 10 * time.Second
	defaultMaxBody      = 1 << 20
)

// Options says how a host works. Home is required.
type Options struct {
	// Home is the directory of the host's files, made 0700 when it is not there.
	Home string
	// Env resolves a variable of the environment; nil is [os.Getenv].
	Env func(name string) string
	// BaseURLs are addresses that stand for the providers' own.
	BaseURLs map[provider.ID]string
	// ProbeTimeout is how long a healthcheck waits for a provider; 0 is eight seconds.
	ProbeTimeout time.Duration
	// Silence is how long a run may say nothing before it is aborted; 0 is half an hour.
	Silence time.Duration
	// Ending is how long a run that was aborted may take to end; 0 is ten seconds.
	Ending time.Duration
	// MaxBody is the longest body of a request, in bytes; 0 is a mebibyte.
	MaxBody int64
	// HTTPClient talks to providers when a task runs; nil is the adapter's own.
	HTTPClient *http.Client
	// Log is told of requests and runs, without what is in them; nil tells nobody.
	Log *slog.Logger
	// Now is the clock; nil is [time.Now].
	Now func() time.Time
}

func (o Options) withDefaults() (Options, error) {
	if o.Home == "" {
		return o, errors.New("host: no home directory")
	}
	home, err := filepath.Abs(o.Home)
	if err != nil {
		return o, err
	}
	o.Home = home
	if o.Env == nil {
		o.Env = os.Getenv
	}
	for _, d := range []struct {
		set *time.Duration
		to  time.Duration
	}{{&o.ProbeTimeout, defaultProbeTimeout}, {&o.Silence, defaultSilence}, {&o.Ending, defaultEnding}} {
		if *d.set <= 0 {
			*d.set = d.to
		}
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

// Everywhere are addresses for all providers at one place, each below its own name, as
// a test has them: URL/anthropic, URL/openai/v1 and so on.
func Everywhere(url string) map[provider.ID]string {
	url = strings.TrimRight(url, "/")
	all := map[provider.ID]string{}
	for _, s := range provider.All() {
		all[s.ID] = url + "/" + string(s.ID)
		if s.ID != provider.Anthropic && s.ID != provider.Ollama {
			all[s.ID] += "/v1"
		}
	}
	return all
}
