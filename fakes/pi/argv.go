package pi

import (
	"fmt"
	"slices"
	"strings"
)

// The modes of the program.
const (
	modeText = "text"
	modeJSON = "json"
	modeRPC  = "rpc"
)

// invocation is what argv says.
type invocation struct {
	mode           string
	help, version  bool
	provider       string
	model          string
	session        string // path or id
	noSession      bool
	goesOn         bool
	sessionDir     string
	excluded       []string
	messages       []string
	unknownOptions []string
}

// valued are the options that take the next argument, whatever it is, and do not matter
// here.
var valued = []string{
	"--api-key", "--system-prompt", "--append-system-prompt", "--fork", "--models", "--tools", "-t", "--thinking", "--export",
	"--extension", "-e", "--skill", "--prompt-template", "--theme",
}

// plain are the options that stand alone and do not matter here.
var plain = []string{
	"--resume", "-r", "--no-tools", "-nt", "--no-builtin-tools", "-nbt", "--no-extensions", "-ne", "--no-skills", "-ns",
	"--no-prompt-templates", "-np", "--no-themes", "--no-context-files", "-nc", "--verbose", "--offline",
}

// parseArgs reads argv as the program does. What it does not know is an error.
func parseArgs(args []string, v version) (invocation, error) {
	inv := invocation{mode: modeText}
	next := func(i *int) (string, bool) {
		if *i+1 >= len(args) {
			return "", false
		}
		*i++
		return args[*i], true
	}
	take := func(i *int, to *string) {
		if value, ok := next(i); ok {
			*to = value
		}
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--help" || a == "-h":
			inv.help = true
		case a == "--version" || a == "-v":
			inv.version = true
		case a == "--mode":
			if mode, ok := next(&i); ok && slices.Contains([]string{modeText, modeJSON, modeRPC}, mode) {
				inv.mode = mode
			}
		case a == "--provider":
			take(&i, &inv.provider)
		case a == "--model":
			take(&i, &inv.model)
		case a == "--session":
			take(&i, &inv.session)
		case a == "--session-dir":
			take(&i, &inv.sessionDir)
		case a == "--no-session":
			inv.noSession = true
		case a == "--continue" || a == "-c":
			inv.goesOn = true
		case v.excludes && (a == "--exclude-tools" || a == "-xt"):
			if list, ok := next(&i); ok {
				inv.excluded = append(inv.excluded, strings.Split(list, ",")...)
			}
		case a == "--print" || a == "-p":
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "@") && (!strings.HasPrefix(args[i+1], "-") || strings.HasPrefix(args[i+1], "---")) {
				i++
				inv.messages = append(inv.messages, args[i])
			}
		case slices.Contains(valued, a):
			_, _ = next(&i)
		case slices.Contains(plain, a), strings.HasPrefix(a, "@"):
		case strings.HasPrefix(a, "--"):
			inv.unknownOptions = append(inv.unknownOptions, a) // an extension could know it
			if !strings.Contains(a, "=") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && !strings.HasPrefix(args[i+1], "@") {
				i++
			}
		case strings.HasPrefix(a, "-"):
			inv.unknownOptions = append(inv.unknownOptions, a)
		default:
			inv.messages = append(inv.messages, a)
		}
	}
	if len(inv.unknownOptions) > 0 {
		return inv, refused("Error: Unknown option: %s\n", inv.unknownOptions[0])
	}
	return inv, nil
}

// refusal is what the program says before it exits, in its own words.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refused(text string, args ...any) error { return &refusal{fmt.Sprintf(text, args...)} }
