package claudecode

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// invocation is parsed argv.
type invocation struct {
	version, help bool

	prompt    *string // nil is absent
	output    string  // text, json, stream-json
	input     string  // text, stream-json
	verbose   bool
	partial   bool
	replay    bool // messages are said again
	model     string
	mode      string // of permissions
	asker     string // --permission-prompt-tool
	skipsAsks bool   // --dangerously-skip-permissions
	allowed   []string
	blocked   []string
	mcp       []string // --mcp-config
	maxTurns  int      // 0 is no limit
	maxBudget string   // in dollars, as it was given
	forwards  bool     // what subagents say is told
	shaped    bool     // --json-schema: the answer is data
	resume    *string  // nil is absent, empty without an id
	goesOn    bool     // --continue
	fork      bool
	session   string // --session-id
	forgets   bool   // --no-session-persistence
	agent     string
}

// streams reports whether messages come as lines.
func (i invocation) streams() bool { return i.input == streamJSON }

// asks reports whether the client answers permission questions.
func (i invocation) asks() bool { return i.asker == "stdio" }

const streamJSON = "stream-json"

// refusal ends a process before its run. It is what the CLI says on stderr; the exit
// code is 1.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// flag is an option of the CLI.
type flag struct {
	long, short string
	alias       string // another long name
	value       string // placeholder of its value; empty is none
	optional    bool   // the value may be left out
	greedy      bool   // takes all values up to the next option
	oneOf       []string
	set         func(*invocation, string) error
}

func sets(field func(*invocation) *bool) func(*invocation, string) error {
	return func(i *invocation, _ string) error { *field(i) = true; return nil }
}

func takes(field func(*invocation) *string) func(*invocation, string) error {
	return func(i *invocation, v string) error { *field(i) = v; return nil }
}

func collects(field func(*invocation) *[]string) func(*invocation, string) error {
	return func(i *invocation, v string) error { *field(i) = append(*field(i), v); return nil }
}

var flags = []flag{
	{long: "print", short: "p"},
	{long: "version", short: "v", set: sets(func(i *invocation) *bool { return &i.version })},
	{long: "help", short: "h", set: sets(func(i *invocation) *bool { return &i.help })},
	{long: "output-format", value: "<format>", oneOf: []string{"text", "json", streamJSON}, set: takes(func(i *invocation) *string { return &i.output })},
	{long: "input-format", value: "<format>", oneOf: []string{"text", streamJSON}, set: takes(func(i *invocation) *string { return &i.input })},
	{long: "verbose", set: sets(func(i *invocation) *bool { return &i.verbose })},
	{long: "include-partial-messages", set: sets(func(i *invocation) *bool { return &i.partial })},
	{long: "replay-user-messages", set: sets(func(i *invocation) *bool { return &i.replay })},
	{long: "model", value: "<model>", set: takes(func(i *invocation) *string { return &i.model })},
	{long: "fallback-model", value: "<model>"},
	{long: "effort", value: "<level>"},
	{long: "max-thinking-tokens", value: "<tokens>"},
	{long: "permission-mode", value: "<mode>", oneOf: []string{"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"},
		set: takes(func(i *invocation) *string { return &i.mode })},
	{long: "permission-prompt-tool", value: "<tool>", set: takes(func(i *invocation) *string { return &i.asker })},
	{long: "dangerously-skip-permissions", set: sets(func(i *invocation) *bool { return &i.skipsAsks })},
	{long: "allow-dangerously-skip-permissions"},
	{long: "allowedTools", alias: "allowed-tools", value: "<tools...>", greedy: true, set: collects(func(i *invocation) *[]string { return &i.allowed })},
	{long: "disallowedTools", alias: "disallowed-tools", value: "<tools...>", greedy: true, set: collects(func(i *invocation) *[]string { return &i.blocked })},
	{long: "tools", value: "<tools...>", greedy: true},
	{long: "mcp-config", value: "<configs...>", greedy: true, set: collects(func(i *invocation) *[]string { return &i.mcp })},
	{long: "strict-mcp-config"},
	{long: "max-turns", value: "<turns>", set: func(i *invocation, v string) error { return number(v, &i.maxTurns) }},
	{long: "max-budget-usd", value: "<amount>", set: func(i *invocation, v string) error { i.maxBudget = v; return number(v, new(int)) }},
	{long: "forward-subagent-text", set: sets(func(i *invocation) *bool { return &i.forwards })},
	{long: "resume", short: "r", value: "[value]", optional: true, set: func(i *invocation, v string) error { i.resume = &v; return nil }},
	{long: "continue", short: "c", set: sets(func(i *invocation) *bool { return &i.goesOn })},
	{long: "fork-session", set: sets(func(i *invocation) *bool { return &i.fork })},
	{long: "session-id", value: "<uuid>", set: takes(func(i *invocation) *string { return &i.session })},
	{long: "no-session-persistence", set: sets(func(i *invocation) *bool { return &i.forgets })},
	{long: "system-prompt", value: "<prompt>"},
	{long: "append-system-prompt", value: "<prompt>"},
	{long: "json-schema", value: "<schema>", set: func(i *invocation, _ string) error { i.shaped = true; return nil }},
	{long: "add-dir", value: "<directories...>", greedy: true},
	{long: "plugin-dir", value: "<path>"},
	{long: "settings", value: "<file-or-json>"},
	{long: "setting-sources", value: "<sources>"},
	{long: "agents", value: "<json>"},
	{long: "agent", value: "<agent>", set: takes(func(i *invocation) *string { return &i.agent })},
	{long: "betas", value: "<betas...>", greedy: true},
	{long: "debug", short: "d", value: "[filter]", optional: true},
}

// number takes a number, whose whole part counts.
func number(text string, into *int) error {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) {
		return refusal("must be a number")
	}
	*into = int(n)
	return nil
}

var isUUIDForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
})

func isUUID(s string) bool { return isUUIDForm().MatchString(s) }

// parseArgs reads argv without the program.
func parseArgs(args []string, v version) (invocation, error) {
	inv := invocation{output: "text", input: "text", mode: "default"}
	var words []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			words = append(words, args...)
			args = nil
		case len(arg) > 1 && arg[0] == '-':
			var err error
			if args, err = inv.option(arg, args, v); err != nil {
				return inv, err
			}
		default:
			words = append(words, arg)
		}
	}
	if len(words) > 0 {
		inv.prompt = &words[0]
	}
	return inv, inv.check()
}

// option reads one option and what it takes of the arguments that follow.
func (inv *invocation) option(arg string, rest []string, v version) ([]string, error) {
	name, value, has := strings.Cut(arg, "=")
	i := slices.IndexFunc(flags, func(f flag) bool {
		return name == "--"+f.long || f.alias != "" && name == "--"+f.alias || f.short != "" && name == "-"+f.short
	})
	if i < 0 || flags[i].long == "max-budget-usd" && !v.budgetFlag {
		return nil, refuse("error: unknown option '%s'\n", name)
	}
	f := flags[i]
	values := []string{value}
	if f.value == "" {
		values = []string{""}
	} else if !has {
		free := func() bool { return len(rest) > 0 && !(len(rest[0]) > 1 && rest[0][0] == '-') }
		switch {
		case free() || len(rest) > 0 && !f.optional: // a value that must be there may look like an option
			values, rest = rest[:1], rest[1:]
			for f.greedy && free() {
				values, rest = append(slices.Clone(values), rest[0]), rest[1:]
			}
		case !f.optional:
			return nil, refuse("error: option '%s' argument missing\n", f.usage())
		}
	}
	for _, value := range values {
		if f.oneOf != nil && !slices.Contains(f.oneOf, value) {
			return nil, refuse("error: option '%s' argument '%s' is invalid. Allowed choices are %s.\n", f.usage(), value, strings.Join(f.oneOf, ", "))
		}
		if f.set == nil {
			continue
		}
		if err := f.set(inv, value); err != nil {
			return nil, refuse("error: option '%s' argument '%s' is invalid. %v\n", f.usage(), value, err)
		}
	}
	return rest, nil
}

func (f flag) usage() string {
	usage := "--" + f.long
	if f.alias != "" {
		usage += ", --" + f.alias
	}
	if f.short != "" {
		usage = "-" + f.short + ", " + usage
	}
	return usage + " " + f.value
}

// check refuses options that do not go together.
func (inv *invocation) check() error {
	switch {
	case inv.version || inv.help:
		return nil
	case inv.input == streamJSON && inv.output != streamJSON:
		return refusal("Error: --input-format=stream-json requires output-format=stream-json.\n")
	case inv.partial && inv.output != streamJSON:
		return refusal("Error: --include-partial-messages requires --print and --output-format=stream-json.\n")
	case inv.replay && !inv.streams():
		return refusal("Error: --replay-user-messages requires both --input-format=stream-json and --output-format=stream-json.\n")
	case inv.session != "" && !isUUID(inv.session):
		return refusal("Error: Invalid session ID. Must be a valid UUID.\n")
	case inv.session != "" && (inv.goesOn || inv.resume != nil) && !inv.fork:
		return refusal("Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.\n")
	case inv.output == streamJSON && !inv.verbose:
		return refusal("Error: When using --print, --output-format=stream-json requires --verbose\n")
	}
	if inv.skipsAsks {
		inv.mode = "bypassPermissions"
	}
	return nil
}
