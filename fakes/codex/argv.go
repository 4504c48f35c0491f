package codex

import (
	"fmt"
	"slices"
	"strings"
)

// command is what a process was asked to do.
type command string

const (
	cmdVersion command = "version"
	cmdLogin   command = "login status"
	cmdExec    command = "exec"
	cmdTUI     command = "" // the terminal interface, which needs a terminal
)

// invocation is parsed argv.
type invocation struct {
	command command
	json    bool
	prompt  *string // nil is absent
	model   string
	dir     string // -C
	message string // --output-last-message
	schema  string // --output-schema
	config  config // -c
	resume  bool   // resume was asked for
	fork    bool
	last    bool   // resume --last
	thread  string // resume ID, fork ID
	// ephemeral: the thread is not remembered.
	ephemeral bool
}

// usageError is a mistake in argv, as clap prints it. The exit code is 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// flag is an option of the CLI.
type flag struct {
	long, short string
	value       string // placeholder of its value; empty is none
	many        bool   // may be given again
	greedy      bool   // takes all values up to the next option
	root        bool   // only before the subcommand
	exec        bool   // only after it
	oneOf       []string
	set         func(*invocation, string)
}

var flags = []flag{
	{long: "config", short: "c", value: "key=value", many: true, set: func(i *invocation, v string) { i.config.set(v) }},
	{long: "enable", value: "FEATURE", many: true},
	{long: "disable", value: "FEATURE", many: true},
	{long: "strict-config"},
	{long: "image", short: "i", value: "FILE", many: true, greedy: true},
	{long: "model", short: "m", value: "MODEL", set: func(i *invocation, v string) { i.model = v }},
	{long: "oss"},
	{long: "local-provider", value: "OSS_PROVIDER"},
	{long: "profile", short: "p", value: "CONFIG_PROFILE"},
	{long: "sandbox", short: "s", value: "SANDBOX_MODE", oneOf: []string{"read-only", "workspace-write", "danger-full-access"}},
	{long: "full-auto"},
	{long: "dangerously-bypass-approvals-and-sandbox"},
	{long: "yolo"},
	{long: "cd", short: "C", value: "DIR", set: func(i *invocation, v string) { i.dir = v }},
	{long: "add-dir", value: "DIR", many: true},
	{long: "ask-for-approval", short: "a", value: "APPROVAL_POLICY", root: true, oneOf: []string{"untrusted", "on-failure", "on-request", "never"}},
	{long: "search", root: true},
	{long: "skip-git-repo-check", exec: true},
	{long: "ephemeral", exec: true, set: func(i *invocation, _ string) { i.ephemeral = true }},
	{long: "ignore-user-config", exec: true},
	{long: "ignore-rules", exec: true},
	{long: "output-schema", value: "FILE", exec: true, set: func(i *invocation, v string) { i.schema = v }},
	{long: "color", value: "COLOR", exec: true, oneOf: []string{"always", "never", "auto"}},
	{long: "json", exec: true, set: func(i *invocation, _ string) { i.json = true }},
	{long: "experimental-json", exec: true, set: func(i *invocation, _ string) { i.json = true }},
	{long: "output-last-message", short: "o", value: "FILE", exec: true, set: func(i *invocation, v string) { i.message = v }},
	{long: "last", exec: true, set: func(i *invocation, _ string) { i.last = true }},
	{long: "all", exec: true},
}

// parser reads argv as the CLI does: options anywhere before "--", the subcommand
// as the first word, then its own words.
type parser struct {
	args  []string
	inv   invocation
	given []string // long names of options that may come once
	words []string
	sub   string // resume or fork, inside exec
	ended bool   // after "--"
}

// parseArgs reads argv without the program.
func parseArgs(args []string) (invocation, error) {
	p := &parser{args: args}
	for len(p.args) > 0 {
		arg := p.args[0]
		p.args = p.args[1:]
		var err error
		switch {
		case p.ended || arg == "-" || !strings.HasPrefix(arg, "-"):
			err = p.word(arg)
		case arg == "--":
			p.ended = true
		default:
			err = p.option(arg)
		}
		if err != nil || p.inv.command == cmdVersion {
			return p.inv, err
		}
	}
	return p.finish()
}

func (p *parser) word(arg string) error {
	switch {
	case p.inv.command == cmdTUI && !p.ended && len(p.words) == 0 && (arg == "exec" || arg == "e"):
		p.inv.command = cmdExec
		return nil
	case p.inv.command == cmdTUI && !p.ended && slices.Equal(append(p.words, arg), []string{"login", "status"}):
		p.inv.command = cmdLogin
		return nil
	case p.inv.command == cmdExec && !p.ended && p.sub == "" && len(p.words) == 0 && (arg == "resume" || arg == "fork"):
		p.sub = arg
		return nil
	}
	p.words = append(p.words, arg)
	if room := p.room(); len(p.words) > room {
		return p.unexpected(arg)
	}
	return nil
}

// room is how many words may stand here.
func (p *parser) room() int {
	switch {
	case p.inv.command == cmdLogin:
		return 2
	case p.sub != "" || p.inv.command == cmdTUI:
		return 2
	}
	return 1
}

func (p *parser) option(arg string) error {
	if arg == "--version" || arg == "-V" {
		p.inv.command = cmdVersion
		return nil
	}
	name, value, has := strings.Cut(arg, "=")
	i := slices.IndexFunc(flags, func(f flag) bool { return name == "--"+f.long })
	if !strings.HasPrefix(arg, "--") { // -m MODEL, -mMODEL, -m=MODEL
		short := arg[1:2]
		i = slices.IndexFunc(flags, func(f flag) bool { return f.short == short })
		value, has = strings.TrimPrefix(arg[2:], "="), len(arg) > 2
	}
	inExec := p.inv.command == cmdExec
	if i < 0 || flags[i].root && inExec || flags[i].exec && !inExec {
		return p.unexpected(name)
	}
	f := flags[i]
	if !f.many {
		if slices.Contains(p.given, f.long) {
			return &usageError{fmt.Sprintf("error: the argument '%s' cannot be used multiple times\n\n%s", f.usage(), p.usage())}
		}
		p.given = append(p.given, f.long)
	}
	if f.value == "" {
		if has {
			return &usageError{fmt.Sprintf("error: unexpected value '%s' for '--%s' found; no more were expected\n\n%s", value, f.long, p.usage())}
		}
	} else if !has {
		if len(p.args) == 0 || len(p.args[0]) > 1 && strings.HasPrefix(p.args[0], "-") {
			return &usageError{fmt.Sprintf("error: a value is required for '%s' but none was supplied\n\nFor more information, try '--help'.\n", f.usage())}
		}
		value, p.args = p.args[0], p.args[1:]
		for f.greedy && len(p.args) > 0 && !strings.HasPrefix(p.args[0], "-") {
			p.args = p.args[1:]
		}
	}
	if f.oneOf != nil && !slices.Contains(f.oneOf, value) {
		return &usageError{fmt.Sprintf("error: invalid value '%s' for '%s'\n  [possible values: %s]\n\nFor more information, try '--help'.\n",
			value, f.usage(), strings.Join(f.oneOf, ", "))}
	}
	if f.set != nil {
		f.set(&p.inv, value)
	}
	return nil
}

func (f flag) usage() string {
	if f.value == "" {
		return "--" + f.long
	}
	return fmt.Sprintf("--%s <%s>", f.long, f.value)
}

func (p *parser) unexpected(arg string) error {
	tip := ""
	if strings.HasPrefix(arg, "-") && arg != "-" && !p.ended {
		tip = fmt.Sprintf("  tip: to pass '%s' as a value, use '-- %s'\n\n", arg, arg)
	}
	return &usageError{fmt.Sprintf("error: unexpected argument '%s' found\n\n%s%s", arg, tip, p.usage())}
}

func (p *parser) usage() string {
	usage := "Usage: codex [OPTIONS] [PROMPT]\n       codex [OPTIONS] <COMMAND> [ARGS]\n"
	switch {
	case p.sub != "":
		usage = fmt.Sprintf("Usage: codex exec %s [OPTIONS] [SESSION_ID] [PROMPT]\n", p.sub)
	case p.inv.command == cmdExec:
		usage = "Usage: codex exec [OPTIONS] [PROMPT]\n       codex exec [OPTIONS] <COMMAND> [ARGS]\n"
	}
	return usage + "\nFor more information, try '--help'.\n"
}

// finish gives the words their meaning.
func (p *parser) finish() (invocation, error) {
	if p.inv.last && p.sub != "resume" {
		return p.inv, p.unexpected("--last")
	}
	words := p.words
	p.inv.resume, p.inv.fork = p.sub == "resume", p.sub == "fork"
	if p.sub != "" && !p.inv.last && len(words) > 0 {
		p.inv.thread, words = words[0], words[1:]
	}
	if len(words) > 1 {
		return p.inv, p.unexpected(words[1])
	}
	if len(words) == 1 && p.inv.command == cmdExec {
		p.inv.prompt = &words[0]
	}
	return p.inv, nil
}
