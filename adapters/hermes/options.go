package hermes

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/internal/process"
)

// The formats of Hermes' output, for Options.Format.
const (
	FormatQuiet  = "quiet"       // the answer as text, at the end
	FormatStream = "stream-json" // one object per line, as it happens; newer versions only
)

const (
	defaultGrace         = 2 * time.Second
	defaultHealthTimeout = 2 * time.Second
	defaultMaxOutput     = 256 << 20
)

// homeVariable is the variable that names Hermes' home.
const homeVariable = "HERMES_HOME"

// ownVariables are passed on to the child where Options.AllowEnv is nil: what a real
// installation is logged in by, and where it keeps its files.
var ownVariables = []string{"OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", homeVariable}

// Options says how the adapter runs Hermes. The zero value runs the hermes of PATH in
// the current directory, in the quiet format.
type Options struct {
	// Command is how Hermes is started; empty means {"hermes"}.
	Command []string
	// Args are arguments of hermes chat beyond those that the adapter gives, such as
	// --provider, --yolo and --accept-hooks. They appear on the command line, which other
	// users of the machine can read: no secrets.
	Args []string
	// Format is one of the Format constants; empty means FormatQuiet. A version that does
	// not have the format fails the run.
	Format string
	// Home is where Hermes keeps its settings, its login and its books, passed as
	// HERMES_HOME; empty leaves it to the host's.
	Home string
	// Dir is the directory that Hermes works in; empty is that of the host.
	Dir string
	// Env is passed to the child on purpose, name=value each.
	Env []string
	// AllowEnv names variables of the host that are passed on too; a name may end in *
	// for a prefix. Nil passes on what Hermes is logged in by: OPENROUTER_API_KEY,
	// ANTHROPIC_API_KEY, OPENAI_API_KEY and HERMES_HOME. Beyond it the child gets a short
	// list of harmless names such as PATH and HOME. The values of Env and of these never
	// appear in error messages.
	AllowEnv []string
	// Grace is the time between the signals that end a process, and what a process has to
	// exit in after it closed its output or said how its run ended; 0 means 2 s, above the
	// 1.5 s that Hermes takes to stop its tools. A run that does not react to anything is
	// aborted after twice the grace.
	Grace time.Duration
	// HealthTimeout bounds Health, which answers strictly inside it; 0 means 2 s.
	HealthTimeout time.Duration
	// MaxOutput is how much is read of a quiet answer, and the longest line of the stream
	// format, in bytes; 0 means 256 MiB. What is beyond is skipped and reported.
	MaxOutput int
	// Now gives the time of events; nil means time.Now.
	Now func() time.Time
	// QueueMax is how many text deltas and status events are held for an observer that
	// falls behind; 0 means 1000. See executor.QueueOptions.
	QueueMax int
}

// withDefaults returns a copy that shares nothing with the caller.
func (o Options) withDefaults() Options {
	o.Command, o.Args = slices.Clone(o.Command), slices.Clone(o.Args)
	o.Env, o.AllowEnv = slices.Clone(o.Env), slices.Clone(o.AllowEnv)
	if len(o.Command) == 0 {
		o.Command = []string{"hermes"}
	}
	if o.Format == "" {
		o.Format = FormatQuiet
	}
	if o.AllowEnv == nil {
		o.AllowEnv = ownVariables
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if o.HealthTimeout <= 0 {
		o.HealthTimeout = defaultHealthTimeout
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = defaultMaxOutput
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.QueueMax <= 0 {
		o.QueueMax = 1000
	}
	return o
}

// check refuses options that cannot be used, before anything is started. What an
// option holds may be a secret; it is not repeated.
func (o Options) check() error {
	if o.Format != FormatQuiet && o.Format != FormatStream {
		return fmt.Errorf("option Format: unknown format, want %s or %s", FormatQuiet, FormatStream)
	}
	for i, e := range o.Env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" {
			return fmt.Errorf("option Env, entry %d: want name=value", i+1)
		}
	}
	return nil
}

// environ is the environment of the child.
func (o Options) environ(host []string) []string {
	extra := slices.Clone(o.Env)
	if o.Home != "" {
		extra = append(extra, homeVariable+"="+o.Home)
	}
	return process.Environ(host, o.AllowEnv, extra)
}

// books is the path of the books that a child with that environment keeps, empty if
// that cannot be known.
func (o Options) books(environ []string) string {
	get := func(name string) string {
		for _, pair := range environ {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}
	home := get(homeVariable)
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if user := get(name); home == "" && user != "" {
			home = filepath.Join(user, ".hermes")
		}
	}
	if home == "" {
		return ""
	}
	if !filepath.IsAbs(home) {
		home = filepath.Join(o.Dir, home)
	}
	return filepath.Join(home, "state.db")
}
