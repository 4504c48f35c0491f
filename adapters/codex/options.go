package codex

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The ways to run Codex, for Options.Mode.
const (
	ModeExec      = "exec"       // codex exec: whole messages, nothing is asked
	ModeAppServer = "app-server" // codex app-server: increments, questions, context while it runs
)

// The approval policies of Codex, for Options.Approval.
const (
	ApprovalNever     = "never"      // nothing is asked: what the sandbox does not allow fails
	ApprovalOnRequest = "on-request" // Codex may ask for what the sandbox does not allow, and for servers' tools
)

// The sandboxes of the Codex command line, for Options.Sandbox.
const (
	SandboxReadOnly       = "read-only"
	SandboxWorkspaceWrite = "workspace-write"
	SandboxNone           = "danger-full-access"
)

const (
	defaultGrace           = 2 * time.Second
	defaultHealthTimeout   = 2 * time.Second
	defaultStartTimeout    = 30 * time.Second
	defaultApprovalTimeout = time.Minute
)

// Options says how the adapter runs Codex. The zero value runs the codex of PATH
// in the current directory.
type Options struct {
	// Command is how Codex is started; empty means {"codex"}.
	Command []string
	// Mode is one of the Mode constants; empty means ModeExec. Sessions go on from one
	// mode to the other.
	Mode string
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
	// Approval is one of the Approval constants. Empty means ApprovalOnRequest for
	// ModeAppServer and ApprovalNever for ModeExec, which can ask nobody.
	Approval string
	// ApprovalTimeout is how long a question whether a tool may run waits for Approve
	// before it is denied; 0 means one minute.
	ApprovalTimeout time.Duration
	// Config is passed as -c, key=value each in the words of Codex's config.toml.
	// Servers are attached this way (mcp_servers.NAME.url="…"). It appears on the
	// command line, which other users of the machine can read: no secrets.
	Config []string
	// Grace is the time between the signals that end a process, and what a process
	// has to exit in after it said how its turn ended; 0 means 2 s. A run that does
	// not react to anything is aborted after twice the grace.
	Grace time.Duration
	// StartTimeout is how long an app-server has for its part of the handshake: from its
	// start until it says that the turn has begun. A run for which it does not ends with
	// an error. 0 means 30 s.
	StartTimeout time.Duration
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
	if o.Mode == "" {
		o.Mode = ModeExec
	}
	if o.Approval == "" {
		o.Approval = ApprovalNever
		if o.Mode == ModeAppServer {
			o.Approval = ApprovalOnRequest
		}
	}
	for _, d := range []struct {
		set *time.Duration
		to  time.Duration
	}{
		{&o.Grace, defaultGrace}, {&o.HealthTimeout, defaultHealthTimeout},
		{&o.StartTimeout, defaultStartTimeout}, {&o.ApprovalTimeout, defaultApprovalTimeout},
	} {
		if *d.set <= 0 {
			*d.set = d.to
		}
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
	switch {
	case o.Mode != ModeExec && o.Mode != ModeAppServer:
		return fmt.Errorf("option Mode: unknown mode %q, want %s or %s", o.Mode, ModeExec, ModeAppServer)
	case o.Approval != ApprovalNever && o.Approval != ApprovalOnRequest:
		return fmt.Errorf("option Approval: unknown policy %q, want %s or %s", o.Approval, ApprovalNever, ApprovalOnRequest)
	case o.Mode == ModeExec && o.Approval != ApprovalNever:
		return fmt.Errorf("option Approval: %s can ask nobody, want %s", ModeExec, ApprovalNever)
	}
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
