//go:build unix

package codex

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// envStandIn makes this test binary a stand-in for the program.
const envStandIn = "STAND_IN"

func TestMain(m *testing.M) {
	if os.Getenv(envStandIn) != "" {
		os.Exit((&standIn{calls: map[int]*command{}}).main())
	}
	os.Exit(fakes.Main(m, Player()))
}

// standInProgram is the stand-in as a file that can be started.
func standInProgram(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "codex")
	text := "#!/bin/sh\nGORACE=atexit_sleep_ms=0 " + envStandIn + "=1 exec " + quote(self) + " \"$@\"\n"
	syscall.ForkLock.RLock() // whoever forks while the file is open for writing hands it on
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// standIn does of `codex exec --json` what a provider can bring about, so that the
// runtime is tested without the program.
type standIn struct {
	thread, prompt, model string
	input                 []any
	items, tries          int
	used                  used
	calls                 map[int]*command // by the number of their session
}

// command is a tool that runs.
type command struct {
	item, text string
	out        bytes.Buffer
	exited     chan int
}

func (s *standIn) main() int {
	args := os.Args[1:]
	if slices.Contains(args, "--version") {
		fmt.Println("codex-cli 0.0.0")
		return 0
	}
	s.thread = "01a230e1-0000-7000-8000-" + fmt.Sprintf("%012x", os.Getpid())
	s.model = "stand-in"
	for i, a := range args {
		switch a {
		case "resume":
			s.thread = args[i+1]
		case "--model":
			s.model = args[i+1]
		}
	}
	s.prompt = args[len(args)-1]
	s.print(`{"type":"thread.started","thread_id":%q}`, s.thread)
	s.print(`{"type":"turn.started"}`)
	s.input = append(s.input, map[string]any{"role": "user", "content": s.prompt})
	further := make(chan os.Signal, 1)
	signal.Notify(further, syscall.SIGUSR1)
	for {
		ctx, drop := context.WithCancel(context.Background())
		go func() {
			select {
			case <-further:
				s.input = append(s.input, map[string]any{"role": "user", "content": "further input"})
				drop()
			case <-ctx.Done():
			}
		}()
		code, over, err := s.turn(ctx)
		dropped := ctx.Err() != nil
		drop()
		switch {
		case err == nil && over:
			return code
		case err != nil && !dropped:
			s.print(`{"type":"error","message":"Reconnecting... 1/5 (%v)"}`, "stream closed")
		}
	}
}

func (s *standIn) print(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (s *standIn) item(id, kind string, fields map[string]any) string {
	if id == "" {
		id = "item_" + strconv.Itoa(s.items)
		s.items++
	}
	fields["id"] = id
	text, _ := json.Marshal(map[string]any{"type": kind, "item": fields})
	s.print("%s", text)
	return id
}

// turn asks once, and does what the answer says.
func (s *standIn) turn(ctx context.Context) (code int, over bool, err error) {
	config, err := os.ReadFile(filepath.Join(os.Getenv("CODEX_HOME"), "config.toml"))
	if err != nil {
		return 1, true, nil
	}
	base := regexp.MustCompile(`base_url = "(.*)"`).FindSubmatch(config)[1]
	body, err := json.Marshal(map[string]any{"model": s.model, "stream": true, "prompt_cache_key": s.thread, "input": s.input})
	if err != nil {
		return 1, true, nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, string(base)+"/responses", bytes.NewReader(body))
	if err != nil {
		return 1, true, nil
	}
	r.Header.Set(keyHeader, os.Getenv(envKey))
	r.Header.Set("Authorization", "Bearer none")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, false, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		s.print(`{"type":"turn.failed","error":{"message":%q}}`, "unexpected status "+answer.Status)
		return 1, true, nil
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<24)
	var outputs []any
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var e struct {
			Type     string
			Item     standInItem
			Response struct {
				Usage struct {
					Input  int64 `json:"input_tokens"`
					Output int64 `json:"output_tokens"`
				}
				Error      struct{ Message string }
				Incomplete struct{ Reason string } `json:"incomplete_details"`
			}
		}
		if err := json.Unmarshal(data, &e, json.MatchCaseInsensitiveNames(true)); err != nil {
			return 1, true, nil
		}
		switch e.Type {
		case "response.output_item.done":
			if out := s.done(e.Item); out != "" {
				outputs = append(outputs,
					map[string]any{"type": "function_call", "call_id": e.Item.Call, "name": e.Item.Name, "arguments": e.Item.Arguments},
					map[string]any{"type": "function_call_output", "call_id": e.Item.Call, "output": out})
			}
		case "response.completed":
			s.used.input += e.Response.Usage.Input
			s.used.output += e.Response.Usage.Output
			if len(outputs) > 0 {
				s.input = append(s.input, outputs...)
				return 0, false, nil
			}
			s.print(`{"type":"turn.completed","usage":{"input_tokens":%d,"cached_input_tokens":0,"output_tokens":%d}}`, s.used.input, s.used.output)
			return 0, true, nil
		case "response.failed", "response.incomplete":
			if e.Response.Incomplete.Reason == "content_filter" && s.tries == 0 {
				s.tries++
				return 0, false, errors.New("a refusal")
			}
			s.print(`{"type":"turn.failed","error":{"message":%q}}`, e.Type+" "+e.Response.Error.Message)
			return 1, true, nil
		}
	}
	return 0, false, errors.Join(lines.Err(), io.ErrUnexpectedEOF)
}

type standInItem struct {
	Type             string
	Name             string
	Call             string `json:"call_id"`
	Arguments        string
	Content, Summary []struct{ Text string }
}

// done is a whole item of an answer. What it gives for the provider is not empty.
func (s *standIn) done(it standInItem) string {
	switch it.Type {
	case "message":
		s.item("", "item.completed", map[string]any{"type": "agent_message", "text": it.Content[0].Text})
	case "reasoning":
		s.item("", "item.completed", map[string]any{"type": "reasoning", "text": it.Summary[0].Text})
	case "function_call":
		return s.call(it)
	}
	return ""
}

func (s *standIn) call(it standInItem) string {
	var a struct {
		Cmd     string `json:"cmd"`
		Session int    `json:"session_id"`
		Yield   int    `json:"yield_time_ms"`
		Sandbox string `json:"sandbox_permissions"`
	}
	if err := json.Unmarshal([]byte(it.Arguments), &a); err != nil {
		return err.Error()
	}
	switch it.Name {
	case "exec_command":
		if a.Sandbox != "" {
			return map[bool]string{true: "Process exited with code 0\n", false: "rejected by user"}[strings.Contains(s.prompt, "allow")]
		}
		c := &command{text: a.Cmd, exited: make(chan int, 1)}
		c.item = s.item("", "item.started", map[string]any{"type": "command_execution", "command": a.Cmd, "aggregated_output": "", "exit_code": nil, "status": "in_progress"})
		cmd := exec.Command("/bin/sh", "-c", a.Cmd)
		cmd.Stdout = &c.out
		if err := cmd.Start(); err != nil {
			return err.Error()
		}
		go func() {
			_ = cmd.Wait() // the exit code tells
			c.exited <- cmd.ProcessState.ExitCode()
		}()
		session := 100 + len(s.calls)
		s.calls[session] = c
		return fmt.Sprintf("Wall time: 0.25 seconds\nProcess running with session ID %d\nOutput:\n", session)
	case "write_stdin":
		c := s.calls[a.Session]
		code := <-c.exited
		status := map[bool]string{true: "completed", false: "failed"}[code == 0]
		s.item(c.item, "item.completed", map[string]any{"type": "command_execution", "command": c.text, "aggregated_output": c.out.String(), "exit_code": code, "status": status})
		return fmt.Sprintf("Process exited with code %d\nOutput:\n", code)
	}
	return "unsupported call: " + it.Name
}
