package codex

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The sandboxes of the Codex command line, for Options.Sandbox.
const (
	SandboxReadOnly       = "read-only"
	SandboxWorkspaceWrite = "workspace-write"
	SandboxNone           = "danger-full-access"
)

const (
	defaultGrace         = 2 * time.Second
	defaultHealthTimeout = 2 * time.Second
)

// Options says how the adapter runs Codex. The zero value runs the codex of PATH
// in the current directory.
type Options struct {
	// Command is how Codex is started; empty means {"codex"}.
	Command []string
	// Home is passed as CODEX_HOME; empty passes on what the host has, if anything.
	Home string
	// Dir is the directory that Codex works in; empty is that of the host.
	Dir string
	// Env is passed to the child on purpose, name=value each, credentials first of
	// all. Beyond it the child gets a short list of harmless names such as PATH and
	// HOME. The values never appear in events or errors.
	Env []string
	// Sandbox confines what the tools of Codex may write; empty means
	// SandboxWorkspaceWrite: the working directory and the temporary ones.
	Sandbox string
	// Config is passed as -c, key=value each in the words of Codex's config.toml.
	// Servers are attached this way (mcp_servers.NAME.url="…"). It appears on the
	// command line, which other users of the machine can read: no secrets.
	Config []string
	// Grace is the time between the signals that end a process, and what a process
	// has to exit in after it said how its turn ended; 0 means 2 s. A run that does
	// not react to anything is aborted after twice the grace.
	Grace time.Duration
	// HealthTimeout bounds Health, which answers strictly inside it; 0 means 2 s.
	HealthTimeout time.Duration
	// Now gives the time of events; nil means time.Now.
	Now func() time.Time
	// QueueMax is how many text deltas and status events are held for an observer
	// that falls behind; 0 means 1000. See executor.QueueOptions.
	QueueMax int
}

// withDefaults returns a copy that shares nothing with the caller.
func (o Options) withDefaults() Options {
	o.Command = slices.Clone(o.Command)
	o.Env = slices.Clone(o.Env)
	o.Config = slices.Clone(o.Config)
	if len(o.Command) == 0 {
		o.Command = []string{"codex"}
	}
	if o.Sandbox == "" {
		o.Sandbox = SandboxWorkspaceWrite
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if o.HealthTimeout <= 0 {
		o.HealthTimeout = defaultHealthTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.QueueMax <= 0 {
		o.QueueMax = 1000
	}
	return o
}

// check refuses options that Codex would refuse, before anything is started.
func (o Options) check() error {
	if !slices.Contains([]string{SandboxReadOnly, SandboxWorkspaceWrite, SandboxNone}, o.Sandbox) {
		return fmt.Errorf("option Sandbox: unknown sandbox %q", o.Sandbox)
	}
	for i, c := range o.Config {
		if key, _, ok := strings.Cut(c, "="); !ok || strings.TrimSpace(key) == "" {
			return fmt.Errorf("option Config, entry %d: want key=value", i+1)
		}
	}
	for i, e := range o.Env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" {
			return fmt.Errorf("option Env, entry %d: want name=value", i+1)
		}
	}
	return nil
}

// servesMCP reports whether the options attach a server.
func (o Options) servesMCP() bool {
	return slices.ContainsFunc(o.Config, func(c string) bool { return strings.HasPrefix(c, "mcp_servers.") })
}
