package acp

import "fmt"

// command is what a process was asked to do.
type command int

const (
	cmdServe command = iota
	cmdVersion
)

// parseArgs reads argv without the program. Agents are started with one of a few words,
// or with none.
func parseArgs(args []string) (command, error) {
	does := cmdServe
	for _, arg := range args {
		switch arg {
		case "acp", "--acp", "--experimental-acp":
		case "-v", "--version":
			does = cmdVersion
		default:
			return 0, fmt.Errorf("error: unexpected argument '%s'", arg)
		}
	}
	return does, nil
}
