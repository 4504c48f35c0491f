package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

// processFake is a fake that can be started by hand.
type processFake struct {
	player   fakes.Player
	versions func() []string
	// runtime makes one for the suite to play.
	runtime func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error)
	// script plays frames and recording prints recorded lines; both return the exit
	// code.
	script    func(ctx context.Context, frames []fakes.Frame, p fakes.Play, version string, seed uint64) int
	recording func(ctx context.Context, lines []byte, exit int, p fakes.Play) int
}

// processFakes lists the fakes that are programs.
func processFakes() []processFake {
	return []processFake{{
		player:   codex.Player(),
		versions: codex.Versions,
		runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return codex.New(ctx, codex.Options{Version: o.Version, Seed: o.Seed})
		},
		script: func(ctx context.Context, frames []fakes.Frame, p fakes.Play, version string, seed uint64) int {
			return codex.PlayScript(ctx, frames, p, codex.Options{Version: version, Seed: seed})
		},
		recording: codex.PlayRecording,
	}, {
		player:   claudecode.Player(),
		versions: claudecode.Versions,
		runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return claudecode.New(ctx, claudecode.Options{Version: o.Version, Seed: o.Seed})
		},
		script: func(ctx context.Context, frames []fakes.Frame, p fakes.Play, version string, seed uint64) int {
			return claudecode.PlayScript(ctx, frames, p, claudecode.Options{Version: version, Seed: seed})
		},
		recording: claudecode.PlayRecording,
	}, {
		player:   hermes.Player(),
		versions: hermes.Versions,
		runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return hermes.New(ctx, hermes.Options{Version: o.Version, Seed: o.Seed})
		},
		script: func(ctx context.Context, frames []fakes.Frame, p fakes.Play, version string, seed uint64) int {
			return hermes.PlayScript(ctx, frames, p, hermes.Options{Version: version, Seed: seed})
		},
		recording: hermes.PlayRecording,
	}}
}

// inProcess are fakes without a process to start.
var inProcess = map[string]string{
	"memory": "fake memory lives in the process of its adapter: there is nothing to start, use it from Go (package fakes/memory)",
}

func (sys system) fakeCommand() *cobra.Command {
	var scriptFile, recordingFile, version string
	var seed seedFlag
	cmd := &cobra.Command{
		Use:   "fake NAME (--script FILE | --recording FILE) [-- ARGS...]",
		Short: "Act as an agent runtime",
		Long: `Act as an agent runtime: do what a script says, or print what a real one was
recorded to print. The exit code is the runtime's.

With arguments after "--" the fake reads them as the runtime would, and its stdin
too; without, it plays at once.`,
		Example: `  adaptercheck fake codex --script hello.yaml
  adaptercheck fake codex --script hello.yaml -- exec --json "say hello"
  adaptercheck fake claude-code --script hello.yaml -- -p "say hello" --output-format stream-json --verbose`,
		ValidArgsFunction: completeArgs(sys.fakeNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			own, rest := args, []string(nil)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				own, rest = args[:dash], args[dash:]
			}
			if len(own) != 1 {
				return errors.New("fake needs one NAME: the runtime to act as")
			}
			f, err := sys.fake(own[0])
			if err != nil {
				return err
			}
			if version != "" && !slices.Contains(f.versions(), version) {
				return fmt.Errorf("flag --runtime-version: %w", unknown("version", version, f.versions()))
			}
			play := fakes.Play{Args: rest, Stdin: sys.stdin, Stdout: sys.stdout, Stderr: sys.stderr, Env: os.Environ()}
			switch {
			case (scriptFile == "") == (recordingFile == ""):
				return errors.New("fake needs one of --script FILE and --recording FILE")
			case scriptFile != "":
				frames, err := readScript(scriptFile, f.player, version)
				if err != nil {
					return err
				}
				return code(f.script(cmd.Context(), frames, play, version, seed.seed()))
			default:
				lines, exit, err := readRecording(recordingFile)
				if err != nil {
					return err
				}
				return code(f.recording(cmd.Context(), lines, exit, play))
			}
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&scriptFile, "script", "", "do what the script in `FILE` says, schema "+script.Schema)
	flags.StringVar(&recordingFile, "recording", "", "print the lines of `FILE`, NAME.jsonl, and exit as NAME.meta.json beside it says, else with 0")
	flags.StringVar(&version, "runtime-version", "", "which `VERSION` of the runtime to act as")
	flags.Var(&seed, "seed", "seed of everything random (default random)")
	return cmd
}

// readScript reads the frames of a script that a version of the runtime can play.
func readScript(path string, p fakes.Player, version string) ([]fakes.Frame, error) {
	source, err := script.Open(path)
	if err != nil {
		return nil, fmt.Errorf("flag --script: %w", err)
	}
	s, err := source.Script()
	if err != nil {
		return nil, err
	}
	err = p.Playable(version, s.Frames)
	var frame *fakes.FrameError
	if !errors.As(err, &frame) {
		return s.Frames, err
	}
	c, err := source.Case() // its steps are the frames, with their places
	if err != nil {
		return nil, err
	}
	at := c.Steps[frame.Index]
	return nil, fmt.Errorf("%s:%d:%d: %s: %w", path, at.Line, at.Col, frame.Word, frame.Err)
}

// readRecording reads recorded lines and how the recorded process exited: the member
// exit of the meta file beside them, null where a signal ended it.
func readRecording(path string) (lines []byte, exit int, err error) {
	if lines, err = os.ReadFile(path); err != nil {
		return nil, 0, fmt.Errorf("flag --recording: %w", err)
	}
	meta := strings.TrimSuffix(path, ".jsonl") + ".meta.json"
	data, err := os.ReadFile(meta)
	if errors.Is(err, fs.ErrNotExist) {
		return lines, 0, nil
	}
	var recorded struct {
		Exit int `json:"exit"`
	}
	if err == nil {
		err = json.Unmarshal(data, &recorded)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("flag --recording: %s: %w", meta, err)
	}
	return lines, recorded.Exit, nil
}

func (sys system) fake(name string) (processFake, error) {
	for _, f := range sys.fakes {
		if f.player.Name == name {
			return f, nil
		}
	}
	if why, is := inProcess[name]; is {
		return processFake{}, errors.New(why)
	}
	return processFake{}, unknown("fake", name, sys.fakeNames())
}

func (sys system) fakeNames() []string {
	var names []string
	for _, f := range sys.fakes {
		names = append(names, f.player.Name)
	}
	return names
}
