package codex_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

func frames(t *testing.T, steps string) []fakes.Frame {
	t.Helper()
	if steps == "" {
		return nil
	}
	s, err := script.Parse(t.Name(), []byte("schema: adaptercheck-script-v1\nsteps:\n"+steps))
	if err != nil {
		t.Fatal(err)
	}
	return s.Frames
}

// replayed is a recording that is told again.
type replayed struct {
	fixtures.Recording
	known map[string]string // what placeholders in its input stand for
}

func load(t *testing.T, version, name string) *replayed {
	t.Helper()
	rec, err := fixtures.Load("codex-"+version, name)
	if err != nil {
		t.Fatal(err)
	}
	work, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	known := map[string]string{"<CWD>": work, "<WORK>": tmp, "<TMP>": tmp}
	if name == "resume-3-unknown" {
		known["<UUID_1>"] = "00000000-0000-7000-8000-000000000000"
	}
	if err := os.Mkdir(filepath.Join(tmp, "nogit"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tmp, "schema.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &replayed{rec, known}
}

// args are the arguments of the recording, after what the recorder had in its
// config.toml.
func (r *replayed) args() []string {
	retries := 1
	fmt.Sscanf(r.Name, "cut-retries%d", &retries)
	base := "http://127.0.0.1:4000/s/" + r.Name + "/v1"
	if r.Name == "connrefused" {
		base = "http://127.0.0.1:9/v1"
	}
	args := []string{"exec", "-c", `model_provider="fake"`, "-c", `model_providers.fake.base_url="` + base + `"`,
		"-c", fmt.Sprintf("model_providers.fake.stream_max_retries=%d", retries)}
	for _, a := range r.Args[1:] {
		args = append(args, r.given(a))
	}
	return args
}

// given gives the placeholders in a text that the process gets their values.
func (r *replayed) given(text string) string {
	for name, value := range r.known {
		text = strings.ReplaceAll(text, name, value)
	}
	return text
}

// stop is the signal that ended the recorded process; empty is none.
func (r *replayed) stop() string {
	for _, a := range r.Actions {
		if a.Signal != "" {
			return a.Signal
		}
	}
	return ""
}

// logged is a line of the real program's log, which recordings leave out.
var logged = regexp.MustCompile(`(?m)^\S+Z ERROR .*\n`)

// compare compares what a process said with what was recorded.
func (r *replayed) compare(t *testing.T, out, errs string) {
	t.Helper()
	if problem := fidelity.Differ([][]byte{[]byte(r.Stderr)}, [][]byte{[]byte(logged.ReplaceAllString(errs, ""))}, r.known); problem != "" {
		t.Errorf("stderr: %s", problem)
	}
	var lines [][]byte
	if text := strings.TrimSuffix(out, "\n"); text != "" {
		lines = bytes.Split([]byte(text), []byte("\n"))
	}
	if problem := fidelity.Differ(r.Lines(), lines, r.known); problem != "" {
		t.Error(problem)
	}
}

// play tells the story of a recording that ended by itself, and compares all that the
// process did. It returns what it said.
func (r *replayed) play(t *testing.T, story string, o codex.Options) string {
	t.Helper()
	var out, errs bytes.Buffer
	p := fakes.Play{Args: r.args(), Stdin: strings.NewReader(r.Stdin), Stdout: &out, Stderr: &errs}
	code := codex.PlayScript(t.Context(), frames(t, r.given(story)), p, o)
	if r.Exit == nil || code != *r.Exit {
		t.Errorf("exit code %d, recorded %v", code, r.Exit)
	}
	r.compare(t, out.String(), errs.String())
	return out.String()
}

// told has the stories of a version, by the recordings that it has.
func told(version string) map[string]string {
	out := map[string]string{}
	for _, name := range fixtures.Names("codex-" + version) {
		story, has := stories[name]
		if older, other := olderStories[name]; other && version != "0.171.0" {
			story = older
		}
		if has {
			out[name] = story
		}
	}
	return out
}

var recordedVersions = []string{"0.171.0", "0.144.6", "0.125.0"}

// What the fake prints is what the real CLI printed, placeholders apart. Those that
// were ended by a signal are told by [TestFidelityOfSignals].
func TestFidelity(t *testing.T) {
	for _, version := range recordedVersions {
		for name, story := range told(version) {
			t.Run(version+"/"+name, func(t *testing.T) {
				if rec := load(t, version, name); rec.stop() == "" {
					rec.play(t, story, codex.Options{Version: version, Seed: 7, Home: t.TempDir()})
				}
			})
		}
	}
}

// The threads of a home go on, with their totals.
func TestFidelityOfResumes(t *testing.T) {
	for _, version := range recordedVersions {
		t.Run(version, func(t *testing.T) {
			o := codex.Options{Version: version, Home: t.TempDir()}
			var first string
			for _, name := range resumes {
				if !slices.Contains(fixtures.Names("codex-"+version), name) {
					continue // fewer were recorded of the older ones
				}
				rec := load(t, version, name)
				for _, placeholder := range regexp.MustCompile("<UUID_[0-9]>").FindAllString(strings.Join(rec.Args, " "), -1) {
					rec.known[placeholder] = first
				}
				o.Seed++ // or another new thread has the id of the first
				out := rec.play(t, hello, o)
				if name == resumes[0] {
					first = regexp.MustCompile("[0-9a-f-]{36}").FindString(out)
				}
			}
		})
	}
}

// resumes are recordings of one home, in their order.
var resumes = []string{"resume-1-first", "resume-2-last", "resume-4-notuuid", "resume-5-id", "resume-6-sdkorder", "resume-7-jsonafter", "fork"}

// Every recording is told, or it is said why not.
func TestEveryRecordingIsAccountedFor(t *testing.T) {
	n := 0
	for _, version := range recordedVersions {
		for _, name := range fixtures.Names("codex-" + version) {
			if strings.HasPrefix(name, "app-") {
				continue // of another mode
			}
			_, tells := stories[name]
			if tells = tells || slices.Contains(resumes, name); tells == (untold[name] != "") {
				t.Errorf("%s: told %v, and not told because %q", name, tells, untold[name])
			}
			if tells {
				n++
			}
		}
	}
	t.Logf("%d recordings are told", n)
}

// The last message is in the file that was asked for, too.
func TestLastMessageFile(t *testing.T) {
	rec := load(t, "0.171.0", "text-lastmsg")
	rec.play(t, hello, codex.Options{})
	if text, err := os.ReadFile(rec.given("<TMP>/last.txt")); string(text) != "Hello from the fake provider." || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// Fields come in the recorded order, too: for the ones without placeholders the
// bytes are the same.
func TestFidelityToTheByte(t *testing.T) {
	rec, err := fixtures.Load("codex-0.171.0", "tool1")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	codex.PlayScript(t.Context(), frames(t, stories["tool1"]), fakes.Play{Stdout: &out, Stderr: &out}, codex.Options{})
	want := bytes.SplitAfterN(rec.Stdout, []byte("\n"), 2)[1]
	got := bytes.SplitAfterN(out.Bytes(), []byte("\n"), 2)[1]
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-recorded +fake):\n%s", diff)
	}
}

func TestPlayRecording(t *testing.T) {
	rec, err := fixtures.Load("codex-0.171.0", "err401")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := codex.PlayRecording(t.Context(), rec.Stdout, *rec.Exit, fakes.Play{Stdout: &out, Stderr: &errs})
	if diff := cmp.Diff(string(rec.Stdout), out.String()); diff != "" || code != 1 || errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q, stdout (-want +got):\n%s", code, &errs, diff)
	}
}

func TestPlayScriptStandsAlone(t *testing.T) {
	usage := "  - usage: {in: 1, out: 2, reasoning: 1}\n"
	for _, c := range []struct {
		name, steps, version string
		args                 []string
		stdin                string
		code                 int
		stdout, stderr       string
	}{
		{name: "version", args: []string{"--version"}, stdout: "codex-cli 0.171.0\n"},
		{name: "old version", args: []string{"-V"}, version: "0.98.0", stdout: "codex-cli 0.98.0\n"},
		{name: "unknown version", version: "0.1", code: 2, stderr: "fake codex: unknown version \"0.1\", want one of [\"0.171.0\" \"0.144.6\" \"0.125.0\" \"0.98.0\"]\n"},
		{name: "three fields of usage", version: "0.98.0", steps: usage + "  - end: ok\n",
			stdout: `{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2}}` + "\n"},
		{name: "four fields of usage", version: "0.144.6", steps: usage + "  - end: ok\n",
			stdout: `{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2,"reasoning_output_tokens":1}}` + "\n"},
		{name: "no prompt", args: []string{"exec", "--json"}, code: 1, stderr: "Reading prompt from stdin...\nNo prompt provided via stdin.\n"},
		{name: "five fields of usage", steps: "  - usage: {in: 1, out: 2, cacheRead: 3, cacheWrite: 4, reasoning: 1}\n  - end: ok\n",
			stdout: `{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":3,"cache_write_input_tokens":4,"output_tokens":2,"reasoning_output_tokens":1}}` + "\n"},
		{name: "cut", steps: "  - cut\n"},
		{name: "the script ends", steps: "  - turn: running\n", stdout: `{"type":"turn.started"}` + "\n"},
		{name: "exit code", steps: "  - exit: 9\n", code: 9},
		{name: "exit after the end", steps: "  - end: length\n  - exit: 0\n",
			stdout: `{"type":"error","message":"Incomplete response returned, reason: max_output_tokens"}` + "\n" +
				`{"type":"turn.failed","error":{"message":"Incomplete response returned, reason: max_output_tokens"}}` + "\n"},
		{name: "retries count", steps: "  - error: a\n  - turn: retry\n",
			stdout: `{"type":"error","message":"Reconnecting... 1/5 (a)"}` + "\n" + `{"type":"error","message":"Reconnecting... 2/5 (stream disconnected before completion)"}` + "\n"},
		{name: "other tools", steps: "  - call: {id: t, name: read, input: {p: a}}\n  - result: {id: t, out: \"no\", err: true}\n",
			stdout: `{"type":"item.started","item":{"id":"item_0","type":"mcp_tool_call","server":"fake","tool":"read","arguments":{"p":"a"},"result":null,"error":null,"status":"in_progress"}}` + "\n" +
				`{"type":"item.completed","item":{"id":"item_0","type":"mcp_tool_call","server":"fake","tool":"read","arguments":{"p":"a"},"result":{"content":[{"type":"text","text":"no"}],"structured_content":null},"error":null,"status":"failed"}}` + "\n"},
		{name: "native, raw, stderr", steps: "  - frame: {type: x, fields: {a: [1]}}\n  - raw: {line: \"{\", eol: crlf}\n  - raw: {base64: \"/w==\", eol: none}\n  - stderr: \"warn\\n\"\n",
			stdout: "{\"type\":\"x\",\"a\":[1]}\n{\r\n\xff", stderr: "warn\n"},
		{name: "raw line separators", steps: "  - final: \"a\\u2028b<&>\"\n",
			stdout: `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"a` + "\u2028" + `b<&>"}}` + "\n"},
		{name: "null text", steps: "  - final: null\n", stdout: `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":null}}` + "\n"},
		{name: "without json", args: []string{"exec", "go"}, steps: "  - init\n  - final: \"hi\"\n  - end: ok\n", stdout: "hi\n", stderr: "Reading additional input from stdin...\n"},
		{name: "unplayable", steps: "  - init\n  - delta: a\n", code: 2,
			stderr: "adaptercheck: frame 1 (delta): codex: text comes whole, not in deltas: unplayable: the fake's wire has no such thing\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := codex.PlayScript(t.Context(), frames(t, c.steps), fakes.Play{Args: c.args, Stdin: strings.NewReader(c.stdin), Stdout: &out, Stderr: &errs}, codex.Options{Version: c.version})
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if diff := cmp.Diff(c.stdout, out.String()); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.stderr, errs.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}
