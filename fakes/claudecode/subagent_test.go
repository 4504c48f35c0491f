package claudecode_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
)

// delegated is a call that a subagent carries out with a call of its own.
func delegated(background string) string {
	return head + `  - call: {id: t1, name: Agent, input: {description: "Do sub work", prompt: "SUBAGENT-WORK list files", subagent_type: general-purpose` + background + `}}
` + spent("30") + `  - call: {id: t2, name: Bash, parent: t1, input: {command: "ls -1", description: List}}
` + spent("20") + `  - result: {id: t2, parent: t1, out: "a.txt\nb.txt\nnew.txt"}
  - final: {text: "Sub answer.", parent: t1}
` + spent("9") + `  - result: {id: t1, out: "Sub answer."}
  - final: "Main done."
` + spent("9") + ok
}

// Up to the lines that tell of the end of its work, which the recorder cut, a subagent is
// told as it was.
func TestFidelityOfSubagents(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ version, name, background string }{
		{"2.1.332", "subagent-fg", ", run_in_background: false"},
		{"2.1.197", "subagent", ""},
	} {
		t.Run(c.version, func(t *testing.T) {
			rec := load(t, c.version, c.name)
			var out, errs bytes.Buffer
			play := fakes.Play{Args: rec.Args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Env: []string{"ANTHROPIC_API_KEY=x"}}
			o := claudecode.Options{Version: c.version, Home: t.TempDir()}
			if code := claudecode.PlayScript(t.Context(), frames(t, delegated(c.background)), play, o); code != 0 {
				t.Fatalf("exit code %d, %s", code, &errs)
			}
			lines := func(all [][]byte) [][]byte {
				end := slices.IndexFunc(all, func(l []byte) bool { return bytes.Contains(l, []byte(`"task_notification"`)) })
				if end < 0 {
					t.Fatalf("no end of the work in\n%s", bytes.Join(all, []byte("\n")))
				}
				return all[:end]
			}
			want := lines(rec.Lines())
			if c.version == "2.1.197" { // it counts a token more
				want[4] = bytes.Replace(want[4], []byte(`"total_tokens":152`), []byte(`"total_tokens":151`), 1)
			}
			if problem := fidelity.Differ(want, lines(bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))), rec.known); problem != "" {
				t.Error(problem)
			}
		})
	}
}

// What a subagent says is told where that was asked for, and never as the answer.
func TestSubagentText(t *testing.T) {
	for _, forward := range []bool{true, false} {
		args := []string{"-p", "go", "--output-format", "stream-json", "--verbose", "--include-partial-messages"}
		if forward {
			args = append(args, "--forward-subagent-text")
		}
		var out, errs bytes.Buffer
		play := fakes.Play{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
		if code := claudecode.PlayScript(t.Context(), frames(t, delegated("")), play, claudecode.Options{Home: t.TempDir()}); code != 0 {
			t.Fatalf("exit code %d, %s", code, &errs)
		}
		told := strings.Contains(out.String(), `"content":[{"type":"text","text":"Sub answer."}],"stop_reason":null`)
		if told != forward {
			t.Errorf("asked %t, told %t:\n%s", forward, told, &out)
		}
		for _, want := range []string{`"result":"Main done."`, `"spawned":1,"requested":{"background":0,"foreground":0,"unset":1}`, `"completed":1`, `"by_type":{"general-purpose":1}`, `"num_turns":2`} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %s in\n%s", want, &out)
			}
		}
	}
}

func TestSubagentsThatCannotBe(t *testing.T) {
	for steps, want := range map[string]string{
		"  - final: {text: x, parent: t1}\n":                                                                                                             `a subagent of call "t1", which is not open`,
		"  - call: {id: t1, name: Agent, input: 5}\n  - final: {text: x, parent: t1}\n":                                                                  `a subagent of call "t1", whose input is no task`,
		"  - call: {id: t1, name: Agent, input: {}}\n  - delta: {text: x, parent: t1}\n":                                                                 `it comes whole`,
		"  - call: {id: t1, name: Agent, input: {}}\n  - think: {text: x, parent: t1}\n  - result: {id: t1, out: x}\n  - think: {text: x, parent: t1}\n": `a word of a subagent whose call "t1" is answered`,
		"  - end: refusal\n": `a refusal before the model said anything`,
	} {
		var errs bytes.Buffer
		code := claudecode.PlayScript(t.Context(), frames(t, head+steps), fakes.Play{Stdout: &errs, Stderr: &errs}, claudecode.Options{})
		if code != 2 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, %s, want %s", fmt.Sprintf("%q", steps), code, &errs, want)
		}
	}
}
