package appserver

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
	cmdServe   command = "app-server"
	cmdTUI     command = "" // the terminal interface, which needs a terminal
)

// usageError is a mistake in argv, as the program prints it. The exit code is 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// Options with a value and without one. The first ones may also stand before the
// command.
var (
	settings = []string{"-c", "--config", "--enable", "--disable"}
	switches = []string{"--strict-config"}
	ofServer = []string{"--listen", "--session-source"}
	bare     = []string{"--analytics-default-enabled", "--stdio"}
)

// parseArgs reads argv without the program.
func parseArgs(args []string) (command, error) {
	var words []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "-V" || arg == "--version" {
			return cmdVersion, nil
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			if words = append(words, arg); !known(words) {
				return "", unexpected(arg)
			}
			continue
		}
		serves := len(words) > 0 && words[0] == string(cmdServe)
		name, _, has := strings.Cut(arg, "=")
		switch {
		case slices.Contains(settings, name) || serves && slices.Contains(ofServer, name):
			if has {
				continue
			}
			if len(args) == 0 {
				return "", &usageError{fmt.Sprintf("error: a value is required for '%s' but none was supplied\n\nFor more information, try '--help'.\n", name)}
			}
			args = args[1:]
		case !has && (slices.Contains(switches, name) || serves && slices.Contains(bare, name)):
		default:
			return "", unexpected(name)
		}
	}
	return command(strings.Join(words, " ")), nil
}

// known reports whether the words are a command, or the beginning of one.
func known(words []string) bool {
	said := strings.Join(words, " ")
	return said == string(cmdServe) || said == "login" || said == string(cmdLogin)
}

func unexpected(arg string) error {
	return &usageError{fmt.Sprintf("error: unexpected argument '%s' found\n\nUsage: codex [OPTIONS] [PROMPT]\n       codex [OPTIONS] <COMMAND> [ARGS]\n\n"+
		"For more information, try '--help'.\n", arg)}
}
