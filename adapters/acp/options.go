package acp

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What agents may do with files through the adapter, for Options.Files.
const (
	FilesNone  = ""      // nothing
	FilesRead  = "read"  // read them
	FilesWrite = "write" // read and write them
)

const (
	defaultGrace           = 2 * time.Second
	defaultHealthTimeout   = 15 * time.Second
	defaultStartTimeout    = time.Minute
	defaultApprovalTimeout = time.Minute
)

// Options says how the adapter runs the agent.
type Options struct {
	// ID is what the adapter is called; empty means "acp".
	ID string
	// Command is how the agent is started, as {"opencode", "acp"}. It must be set.
	Command []string
	// Dir is the directory that the agent works in; empty is that of the host.
	Dir string
	// Env is passed to the child on purpose, name=value each, credentials first of
	// all. Beyond it the child gets a short list of harmless names such as PATH and
	// HOME. The values never appear in events or errors.
	Env []string
	// AuthMethod is the id of the method by which the adapter authenticates when the
	// agent asks for it. Empty is none: the run fails then. Choose one that needs nobody.
	AuthMethod string
	// Files is one of the Files constants: what the agent may do through the adapter with
	// files in Dir. What it does by itself is not touched by that. Nobody is asked before a
	// file is served: an agent asks for a permission by itself, or does not.
	Files string
	// Servers are the MCP servers that the agent is told of.
	Servers []Server
	// Models are those that Capabilities names.
	Models []string
	// ApprovalTimeout is how long a permission waits for Approve before it is denied; 0
	// means one minute.
	ApprovalTimeout time.Duration
	// Grace is the time between the signals that end a process, what a process has to
	// exit in after it answered the prompt, and what the agent has to answer the request
	// that goes before the prompt; 0 means 2 s. A run that does not react to anything is
	// aborted after twice the grace.
	Grace time.Duration
	// StartTimeout is how long the agent has until it can be sent the prompt. A run for
	// which it takes longer ends with an error. 0 means one minute.
	StartTimeout time.Duration
	// HealthTimeout bounds Health, which answers strictly inside it; 0 means 15 s.
	HealthTimeout time.Duration
	// Now gives the time of events; nil means time.Now.
	Now func() time.Time
	// QueueMax is how many text deltas and status events are held for an observer
	// that falls behind; 0 means 1000. See executor.QueueOptions.
	QueueMax int
}

// Server is an MCP server: a program to start, or one that listens.
type Server struct {
	Name string
	// Command is the program and its arguments, with Env as name=value each.
	Command []string
	Env     []string
	// URL is that of a server over HTTP, which the agent must be able to reach.
	URL string
}

// withDefaults returns a copy that shares nothing with the caller.
func (o Options) withDefaults() Options {
	o.Command, o.Env, o.Models, o.Servers = slices.Clone(o.Command), slices.Clone(o.Env), slices.Clone(o.Models), slices.Clone(o.Servers)
	for i, s := range o.Servers {
		o.Servers[i].Command, o.Servers[i].Env = slices.Clone(s.Command), slices.Clone(s.Env)
	}
	if o.ID == "" {
		o.ID = "acp"
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

// check refuses options that cannot be used, before anything is started.
func (o Options) check() error {
	if len(o.Command) == 0 {
		return errors.New("option Command: missing, want the program of an agent and its arguments")
	}
	if !slices.Contains([]string{FilesNone, FilesRead, FilesWrite}, o.Files) {
		return fmt.Errorf("option Files: unknown word %q, want %q, %q or %q", o.Files, FilesNone, FilesRead, FilesWrite)
	}
	if i := unnamed(o.Env); i >= 0 {
		return fmt.Errorf("option Env, entry %d: want name=value", i+1)
	}
	for i, s := range o.Servers {
		switch {
		case s.Name == "":
			return fmt.Errorf("option Servers, entry %d: field Name is missing", i+1)
		case (len(s.Command) == 0) == (s.URL == ""):
			return fmt.Errorf("option Servers, entry %d: want one of the fields Command and URL", i+1)
		case unnamed(s.Env) >= 0:
			return fmt.Errorf("option Servers, entry %d: field Env, entry %d: want name=value", i+1, unnamed(s.Env)+1)
		}
	}
	return nil
}

// unnamed is the first entry that is not name=value; -1 is none.
func unnamed(env []string) int {
	return slices.IndexFunc(env, func(e string) bool {
		name, _, ok := strings.Cut(e, "=")
		return !ok || name == ""
	})
}

// secrets are the values that must not be told.
func (o Options) secrets() []string {
	all := slices.Clone(o.Env)
	for _, s := range o.Servers {
		all = append(all, s.Env...)
	}
	return all
}

// dir is the directory as the agent is told it, which is absolute.
func (o Options) dir() (string, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return "", fmt.Errorf("option Dir: %w", err)
	}
	return dir, nil
}
