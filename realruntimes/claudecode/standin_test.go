//go:build unix

package claudecode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// envStandIn makes this test binary a stand-in for the program, and says what it does
// wrong.
const envStandIn = "STAND_IN"

func TestMain(m *testing.M) {
	if fault := os.Getenv(envStandIn); fault != "" {
		os.Exit((&standIn{fault: fault, stdin: bufio.NewReader(os.Stdin)}).main())
	}
	os.Exit(m.Run())
}

// standInProgram is a stand-in with a fault as a file that can be started.
func standInProgram(t *testing.T, fault string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "claude")
	text := fmt.Sprintf("#!/bin/sh\nGORACE=atexit_sleep_ms=0 %s=%s exec '%s' \"$@\"\n", envStandIn, fault, self)
	syscall.ForkLock.RLock() // whoever forks while the file is open for writing hands it on
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// standIn does of claude -p what the stories need, in a conversation that it keeps in a
// file.
type standIn struct {
	fault    string
	stdin    *bufio.Reader
	messages []any
}

type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

type usage struct {
	In     int64 `json:"input_tokens"`
	Out    int64 `json:"output_tokens"`
	Cached int64 `json:"cache_read_input_tokens"`
}

func (s *standIn) print(line map[string]any) {
	line["session_id"] = "11111111-1111-4111-8111-111111111111"
	out, _ := json.Marshal(line)
	fmt.Printf("%s\n", out)
}

func (s *standIn) main() int {
	if os.Args[1] == "--version" {
		fmt.Println("0.0.0 (Stand-in)")
		return 0
	}
	kept := filepath.Join(os.Getenv("CLAUDE_CONFIG_DIR"), "conversation.json")
	if data, err := os.ReadFile(kept); err == nil && s.fault != "forgets" {
		_ = json.Unmarshal(data, &s.messages)
	}
	var asked struct{ Message any }
	line, _ := s.stdin.ReadBytes('\n')
	_ = json.Unmarshal(line, &asked)
	s.messages = append(s.messages, asked.Message)
	s.print(map[string]any{"type": "system", "subtype": "init", "model": "m", "tools": []string{"Bash"}})
	if s.fault == "curious" {
		_, _ = (&http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}}).Get("http://example.invalid/")
	}
	text, spent, failed := s.turn()
	data, _ := json.Marshal(s.messages)
	_ = os.WriteFile(kept, data, 0o600)
	s.print(map[string]any{"type": "result", "subtype": "success", "is_error": failed, "result": text, "num_turns": 1, "total_cost_usd": 0.5, "usage": spent})
	_, _ = io.Copy(io.Discard, s.stdin) // stdin ends when the host has the result
	return 0
}

// turn asks until there is an answer without a call.
func (s *standIn) turn() (text string, spent usage, failed bool) {
	for {
		body, _ := json.Marshal(map[string]any{"model": "m", "max_tokens": 100, "messages": s.messages})
		r, _ := http.NewRequest(http.MethodPost, os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", bytes.NewReader(body))
		r.Header.Set("X-Api-Key", os.Getenv("ANTHROPIC_API_KEY"))
		r.Header.Set("Anthropic-Version", "2023-06-01")
		answer, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
		if err != nil {
			return err.Error(), spent, true
		}
		data, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode == 529 {
			if s.fault == "gives-up" {
				return "Overloaded", spent, true
			}
			s.print(map[string]any{"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "retry_delay_ms": 1, "error_status": 529, "error": "overloaded"})
			continue
		}
		if answer.StatusCode != http.StatusOK && s.fault != "hopeful" {
			return "API Error: " + string(data), spent, true
		}
		var said struct {
			Content []block `json:"content"`
			Usage   usage   `json:"usage"`
		}
		_ = json.Unmarshal(data, &said)
		spent = said.Usage
		s.messages = append(s.messages, map[string]any{"role": "assistant", "content": said.Content})
		if s.fault == "boastful" {
			said.Content[0].Text += " I am good at this."
		}
		s.print(map[string]any{"type": "assistant", "message": map[string]any{"id": "msg_1", "role": "assistant", "content": said.Content}})
		var result map[string]any
		for _, b := range said.Content {
			text = b.Text
			if b.Type == "tool_use" {
				result = s.use(b)
			}
		}
		if result == nil {
			return text, spent, false
		}
		message := map[string]any{"role": "user", "content": []any{result}}
		s.messages = append(s.messages, message)
		s.print(map[string]any{"type": "user", "message": message})
	}
}

// use asks whether a tool may run, and runs it.
func (s *standIn) use(b block) map[string]any {
	s.print(map[string]any{"type": "control_request", "request_id": "q1", "request": map[string]any{"subtype": "can_use_tool", "tool_name": b.Name, "tool_use_id": b.ID, "input": b.Input}})
	line, _ := s.stdin.ReadString('\n')
	var input struct{ Command string }
	_ = json.Unmarshal(b.Input, &input)
	out := []byte("denied")
	if strings.Contains(line, `"behavior":"allow"`) {
		out = []byte("it is made\n")
		if s.fault != "pretends" {
			out, _ = exec.Command("sh", "-c", input.Command).Output()
		}
	}
	return map[string]any{"type": "tool_result", "tool_use_id": b.ID, "content": string(out)}
}

// The stories are content with a program that does what it should, and find what one does
// wrong.
func TestStories(t *testing.T) {
	faults := map[string]struct{ fault, want string }{
		"chat":       {"forgets", "the session does not go on: "},
		"tool":       {"pretends", "the tool has not run: "},
		"overloaded": {"gives-up", "done error, want success, after "},
		"refused":    {"hopeful", "done success, want an error"},
	}
	for _, s := range Stories() {
		t.Run(s.Name, func(t *testing.T) {
			told, err := s.Play(t.Context(), standInProgram(t, "none"))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(told, "; done ") {
				t.Errorf("told %q", told)
			}
			bad := faults[s.Name]
			if _, err := s.Play(t.Context(), standInProgram(t, bad.fault)); err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("with a program that %s: error %v, want %q", bad.fault, err, bad.want)
			}
		})
	}
	chat := Stories()[0]
	for fault, want := range map[string]string{
		"curious":  "times for something outside",
		"boastful": `the text is "Hello, ñandú 🦜. I am good at this.", want "Hello, ñandú 🦜."`,
	} {
		if _, err := chat.Play(t.Context(), standInProgram(t, fault)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with a program that is %s: error %v, want %q", fault, err, want)
		}
	}
	if _, err := chat.Play(t.Context(), "/none/claude"); err == nil {
		t.Error("a program that there is not has played")
	}
}
