package hermes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// command is what a process was asked to do.
type command string

const (
	cmdNone    command = "" // the same as chat
	cmdChat    command = "chat"
	cmdVersion command = "version"
)

// invocation is parsed argv.
type invocation struct {
	command   command
	query     string // empty is absent, as Python has it
	queryFile string // "-" is stdin
	quiet     bool
	stream    bool // --format stream-json
	model     string
	resume    string // id, title, or latest
	goesOn    bool   // --continue without a name
	source    string // what the session is tagged with
}

// asks reports whether there is a query, so that the process answers it and ends.
func (i invocation) asks() bool {
	return i.command != cmdVersion && (i.query != "" || i.queryFile != "")
}

// usageError is a mistake in argv, as argparse prints it. The exit code is 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// argument is how many values an option has.
type argument int

const (
	none argument = iota
	one
	optional
)

// flag is an option of the program.
type flag struct {
	long, short string
	value       argument
	chat        bool // only after the command chat
	newest      bool // only where stream-json is known
	oneOf       []string
	set         func(*invocation, string)
}

var flags = []flag{
	{long: "version", short: "V", set: func(i *invocation, _ string) { i.command = cmdVersion }},
	{long: "profile", short: "p", value: one},
	{long: "resume", short: "r", value: one, set: func(i *invocation, v string) { i.resume = v }},
	{long: "continue", short: "c", value: optional, set: func(i *invocation, v string) { i.resume, i.goesOn = v, v == "" }},
	{long: "model", short: "m", value: one, set: func(i *invocation, v string) { i.model = v }},
	{long: "provider", value: one},
	{long: "toolsets", short: "t", value: one},
	{long: "skills", short: "s", value: one},
	{long: "worktree", short: "w"},
	{long: "accept-hooks"},
	{long: "yolo"},
	{long: "pass-session-id"},
	{long: "ignore-user-config"},
	{long: "ignore-rules"},
	{long: "query", short: "q", value: one, chat: true, set: func(i *invocation, v string) { i.query = v }},
	{long: "query-file", value: one, chat: true, newest: true, set: func(i *invocation, v string) { i.queryFile = v }},
	{long: "image", value: one, chat: true},
	{long: "quiet", short: "Q", chat: true, set: func(i *invocation, _ string) { i.quiet = true }},
	{long: "oneshot", chat: true, newest: true},
	{long: "verbose", short: "v", chat: true},
	{long: "checkpoints", chat: true},
	{long: "max-turns", value: one, chat: true},
	{long: "source", value: one, chat: true, set: func(i *invocation, v string) { i.source = v }},
	{long: "format", value: one, chat: true, newest: true, oneOf: []string{"text", "stream-json"},
		set: func(i *invocation, v string) { i.stream = v == "stream-json" }},
}

// parser reads argv as argparse does: options of the program, the command, then its own.
type parser struct {
	args    []string
	version version
	inv     invocation
	strange []string // what nobody knows, reported at the end
	ended   bool     // after "--"
}

// parseArgs reads argv without the program.
func parseArgs(args []string, v version) (invocation, error) {
	p := &parser{args: args, version: v}
	for len(p.args) > 0 && p.inv.command != cmdVersion {
		arg := p.take()
		var err error
		switch {
		case p.ended || !p.isOption(arg):
			err = p.word(arg)
		case arg == "--":
			p.ended = true
		default:
			err = p.option(arg)
		}
		if err != nil {
			return p.inv, err
		}
	}
	switch {
	case len(p.strange) > 0 && p.inv.command != cmdVersion:
		return p.inv, p.mistake("unrecognized arguments: %s", strings.Join(p.strange, " "))
	case p.inv.stream && !p.inv.asks():
		return p.inv, &usageError{"Error: --format stream-json requires -q/--query.\n"}
	}
	return p.inv, nil
}

func (p *parser) take() string {
	arg := p.args[0]
	p.args = p.args[1:]
	return arg
}

func (p *parser) word(arg string) error {
	switch {
	case p.inv.command == cmdChat:
		p.strange = append(p.strange, arg)
	case arg == string(cmdChat) || arg == string(cmdVersion):
		p.inv.command = command(arg)
	default:
		return p.mistake("argument command: invalid choice: '%s' (choose from chat, version)", arg)
	}
	return nil
}

var isNumberForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-\d+$|^-\d*\.\d+$`) })

func isNumber(s string) bool { return isNumberForm().MatchString(s) }

// isOption reports whether a word is taken for an option. One that only looks like one
// is taken for one too, unless it is a number or has a space in it: such a value needs
// the form --query=VALUE.
func (p *parser) isOption(arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	name, _, _ := strings.Cut(arg, "=")
	return p.find(name) >= 0 || !isNumber(arg) && !strings.Contains(arg, " ")
}

// find is the index of the option of that name, with its dashes.
func (p *parser) find(name string) int {
	return slices.IndexFunc(flags, func(f flag) bool {
		known := (!f.chat || p.inv.command == cmdChat) && (!f.newest || p.version.streamJSON)
		return known && (name == "--"+f.long || f.short != "" && name == "-"+f.short)
	})
}

func (p *parser) option(arg string) error {
	name, value, has := strings.Cut(arg, "=")
	i := p.find(name)
	if i < 0 && !strings.HasPrefix(arg, "--") { // -mMODEL, -Qv
		name, value, has = arg[:2], arg[2:], len(arg) > 2
		i = p.find(name)
	}
	if i < 0 {
		p.strange = append(p.strange, arg)
		return nil
	}
	f := flags[i]
	switch {
	case f.value == none && has && strings.HasPrefix(name, "--"):
		return p.mistake("argument %s: ignored explicit argument '%s'", f.names(), value)
	case f.value == none && has: // more of them behind one dash
		p.args = append([]string{"-" + value}, p.args...)
	case f.value != none && !has && len(p.args) > 0 && !p.isOption(p.args[0]):
		value = p.take()
	case f.value == one && !has:
		return p.mistake("argument %s: expected one argument", f.names())
	}
	if f.oneOf != nil && !slices.Contains(f.oneOf, value) {
		return p.mistake("argument %s: invalid choice: '%s' (choose from '%s')", f.names(), value, strings.Join(f.oneOf, "', '"))
	}
	if f.set != nil {
		f.set(&p.inv, value)
	}
	return nil
}

func (f flag) names() string {
	if f.short == "" {
		return "--" + f.long
	}
	return "-" + f.short + "/--" + f.long
}

func (p *parser) mistake(format string, args ...any) error {
	name, usage := "hermes", "usage: hermes [-h] [--version] [--resume SESSION] [--continue [SESSION_NAME]] {chat,version} ...\n"
	if p.inv.command == cmdChat {
		name, usage = "hermes chat", "usage: hermes chat [-h] [-q QUERY] [-m MODEL] [--provider PROVIDER] [-Q] [--resume SESSION_ID] [--yolo]\n"
	}
	return &usageError{usage + name + ": error: " + fmt.Sprintf(format, args...) + "\n"}
}
