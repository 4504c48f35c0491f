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
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
	"github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

// processFake is a fake that can be started by hand.
type processFake struct {
	player   fakes.Player
	versions func() []string
	// runtime makes one for the suite to play.
	runtime func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error)
	// script plays frames and recording prints recorded lines; both return the exit
	// code. A fake that listens has no recording.
	script    func(ctx context.Context, frames []fakes.Frame, p fakes.Play, version string, seed uint64) int
	recording func(ctx context.Context, lines []byte, exit int, p fakes.Play) int
}

// fakeOf puts a fake's parts together; options says how one of a version and a seed is
// made.
func fakeOf[O any, R fakes.Runtime](player fakes.Player, versions func() []string, options func(version string, seed uint64) O,
	runtime func(context.Context, O) (R, error), script func(context.Context, []fakes.Frame, fakes.Play, O) int,
	recording func(ctx context.Context, lines []byte, exit int, p fakes.Play) int,
) processFake {
	return processFake{
		player:   player,
		versions: versions,
		runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			rt, err := runtime(ctx, options(o.Version, o.Seed))
			if err != nil {
				return nil, err
			}
			return rt, nil
		},
		script: func(ctx context.Context, frames []fakes.Frame, p fakes.Play, version string, seed uint64) int {
			return script(ctx, frames, p, options(version, seed))
		},
		recording: recording,
	}
}

// processFakes lists the fakes that are programs.
func processFakes() []processFake {
	return []processFake{
		fakeOf(codex.Player(), codex.Versions, func(version string, seed uint64) codex.Options {
			return codex.Options{Version: version, Seed: seed}
		}, codex.New, codex.PlayScript, codex.PlayRecording),
		fakeOf(appserver.Player(), appserver.Versions, func(version string, seed uint64) appserver.Options {
			return appserver.Options{Version: version, Seed: seed}
		}, appserver.New, appserver.PlayScript, appserver.PlayRecording),
		fakeOf(acp.Player(), acp.Versions, func(version string, seed uint64) acp.Options {
			return acp.Options{Version: version, Seed: seed}
		}, acp.New, acp.PlayScript, acp.PlayRecording),
		fakeOf(claudecode.Player(), claudecode.Versions, func(version string, seed uint64) claudecode.Options {
			return claudecode.Options{Version: version, Seed: seed}
		}, claudecode.New, claudecode.PlayScript, claudecode.PlayRecording),
		fakeOf(hermes.Player(), hermes.Versions, func(version string, seed uint64) hermes.Options {
			return hermes.Options{Version: version, Seed: seed}
		}, hermes.New, hermes.PlayScript, hermes.PlayRecording),
		fakeOf(pi.Player(), pi.Versions, func(version string, seed uint64) pi.Options {
			return pi.Options{Version: version, Seed: seed}
		}, pi.New, pi.PlayScript, pi.PlayRecording),
		fakeOf(openclaw.Player(), openclaw.Versions, func(version string, seed uint64) openclaw.Options {
			return openclaw.Options{Version: version, Seed: seed}
		}, openclaw.New, playOpenClaw, nil),
	}
}

// playOpenClaw listens where the first argument says, with the token of the environment.
func playOpenClaw(ctx context.Context, frames []fakes.Frame, p fakes.Play, o openclaw.Options) int {
	o.Token = p.Getenv(openclaw.EnvToken)
	if len(p.Args) > 0 {
		o.Listen = p.Args[0]
	}
	return openclaw.PlayScript(ctx, frames, p, o)
}

// listens reports whether the fake is a server that clients connect to.
func (f processFake) listens() bool { return f.recording == nil }

// serving reports what a fake cannot be told to do: listen, where it is a program; take
// arguments or print a recording, where it listens.
func (f processFake) serving(address, recording string, args []string) error {
	switch name := f.player.Name; {
	case !f.listens() && address != "":
		return fmt.Errorf("flag --listen: fake %s is a program, it does not listen", name)
	case f.listens() && recording != "":
		return fmt.Errorf("flag --recording: fake %s listens, and plays scripts only", name)
	case f.listens() && len(args) > 0:
		return fmt.Errorf("fake %s listens, it takes no arguments", name)
	}
	return nil
}

// inProcess are fakes without a process to start.
var inProcess = map[string]string{
	providerName: "fake provider is what a runtime asks for answers, no runtime: start it by fake provider",
	"memory":     "fake memory lives in the process of its adapter: there is nothing to start, use it from Go (package fakes/memory)",
}

func (sys system) fakeCommand() *cobra.Command {
	var scriptFile, recordingFile, version, address string
	var seed seedFlag
	var only providerFlags
	cmd := &cobra.Command{
		Use:   "fake NAME (--script FILE | --recording FILE) [-- ARGS...]",
		Short: "Act as an agent runtime",
		Long: `Act as an agent runtime: do what a script says, or print what a real one was
recorded to print. The exit code is the runtime's.

With arguments after "--" the fake reads them as the runtime would, and its stdin
too; without, it plays at once.

A runtime that listens prints its URL and its token, and plays the script to who
connects, until it is interrupted. $OPENCLAW_GATEWAY_TOKEN gives openclaw a token of
yours, which is not printed.

The fake "provider" is what runtimes ask for answers: the APIs of Anthropic and
OpenAI. Its script may also be a file of rules. It prints its URL, and serves until
it is interrupted; the exit code is 1 if a request came that no rule was for.`,
		Example: `  adaptercheck fake codex --script hello.yaml
  adaptercheck fake codex --script hello.yaml -- exec --json "say hello"
  adaptercheck fake claude-code --script hello.yaml -- -p "say hello" --output-format stream-json --verbose
  adaptercheck fake openclaw --listen 127.0.0.1:0 --script hello.yaml
  adaptercheck fake provider --listen 127.0.0.1:0 --script hello.yaml`,
		ValidArgsFunction: completeArgs(sys.fakeNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			own, rest := args, []string(nil)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				own, rest = args[:dash], args[dash:]
			}
			if len(own) != 1 {
				return errors.New("fake needs one NAME: the runtime to act as")
			}
			if err := only.check(own[0], scriptFile, recordingFile, version, rest); err != nil {
				return err
			}
			if own[0] == providerName {
				return sys.serveProvider(scriptFile, address, seed.seed(), only)
			}
			f, err := sys.fake(own[0])
			if err != nil {
				return err
			}
			if version != "" && !slices.Contains(f.versions(), version) {
				return fmt.Errorf("flag --runtime-version: %w", unknown("version", version, f.versions()))
			}
			if err := f.serving(address, recordingFile, rest); err != nil {
				return err
			}
			ctx := cmd.Context()
			if f.listens() {
				interrupted, _, stop := interrupts()
				defer stop()
				ctx = interrupted
				if address != "" {
					rest = []string{address}
				}
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
				return code(f.script(ctx, frames, play, version, seed.seed()))
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
	only.register(flags)
	flags.StringVar(&scriptFile, "script", "", "do what the script in `FILE` says, schema "+script.Schema)
	flags.StringVar(&recordingFile, "recording", "", "print the lines of `FILE`, NAME.jsonl, and exit as NAME.meta.json beside it says, else with 0")
	flags.StringVar(&address, "listen", "", "where a runtime that listens does: an `ADDRESS` of the loopback (default a free port)")
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
