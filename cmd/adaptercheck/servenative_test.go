package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// native starts the program as a host in a home of its own, which looks for its providers
// at the URL. Its log goes to a file. The test ends it.
func native(t *testing.T, providers string) (url, home, log string) {
	t.Helper()
	dir := t.TempDir()
	home, log = filepath.Join(dir, "home"), filepath.Join(dir, "log")
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program(t), "serve", "native", "--listen", "127.0.0.1:0", "--home", home, "--providers", providers)
	for _, v := range os.Environ() {
		if !strings.Contains(v, "_API_KEY=") && !strings.HasPrefix(v, "OLLAMA_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Stderr = file
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		// Wait says that the context ended it; how it ended is in the state.
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 0 {
			text, _ := os.ReadFile(log)
			t.Errorf("the host ended with %v\n%s", cmd.ProcessState, text)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		text, _ := os.ReadFile(log)
		t.Fatalf("the host says nothing: %v\n%s", err, text)
	}
	return strings.TrimSpace(line), home, log
}

// program is the test binary under its own name, where it is the program.
func program(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("adaptercheck")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func needsSignals(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a host is told to end by a signal")
	}
}

// Whoever started a host can have it judged: all that can be seen of one.
func TestJudgeHost(t *testing.T) {
	needsSignals(t)
	outbound := nobodys(t)
	url, home, log := native(t, "http://"+outbound)
	cmd := exec.CommandContext(t.Context(), program(t), "run", "--profile", "host", "--url", url, "--outbound", outbound,
		"--vault", filepath.Join(home, "vault"), "--log", log, "--timeout", "5",
		// It takes the host's own eight seconds; the package hosttest has a host with fewer.
		"--label-filter", "!host.healthcheck.bounded")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text := string(out); !strings.Contains(text, "conforms (partial)  host host  MUST 44 passed") || !strings.Contains(text, "1 unobserved") {
		t.Errorf("%s", text)
	}
	// The same host, of which less can be seen; and nobody.
	out, err = exec.CommandContext(t.Context(), program(t), "run", "--url", url, "--check", "host.run.*").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "MUST 3 passed") {
		t.Errorf("%v\n%s", err, out)
	}
	// One that holds a key keeps it.
	keep, err := http.Post(url+"/api/runtimes/clawboo-native/connect", "application/json", strings.NewReader(`{"apiKey":"sk-ant-of-somebody"}`))
	if err != nil {
		t.Fatal(err)
	}
	keep.Body.Close()
	for range 2 {
		out, err = exec.CommandContext(t.Context(), program(t), "run", "--url", url, "--check", "host.run.*").CombinedOutput()
		if cmdExit(err) != exitUsage || !strings.Contains(string(out), "the host holds keys") {
			t.Errorf("%v\n%s", err, out)
		}
	}
	out, err = exec.CommandContext(t.Context(), program(t), "run", "--url", url, "--discard-keys", "--check", "host.run.*").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = exec.CommandContext(t.Context(), program(t), "run", "--url", "http://"+nobodys(t), "--check", "host.run.*").CombinedOutput()
	if code := cmdExit(err); code != exitFails && code != exitInconclusive {
		t.Errorf("nobody there: %v\n%s", err, out)
	}
}

func cmdExit(err error) int {
	if exit, is := err.(*exec.ExitError); is {
		return exit.ExitCode()
	}
	return -1
}

// nobodys is an address of the loopback interface at which nobody listens. On Linux all
// of 127 is that, so that it stays nobody's.
func nobodys(t *testing.T) string {
	t.Helper()
	ip := "127.0.0.1"
	if runtime.GOOS == "linux" {
		ip = fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(250), rand.IntN(250), 1+rand.IntN(250))
	}
	l, err := net.Listen("tcp", ip+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The lines of the README do what stands beside them.
func TestReadmeCurls(t *testing.T) {
	needsSignals(t)
	for _, name := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s here: the lines of the README are not tried", name)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "curl ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) != 4 {
		t.Fatalf("%d lines with curl in the README, want 4", len(lines))
	}
	asked := make(chan string, 1)
	providers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path + " " + r.Header.Get("X-Api-Key")
		_, _ = io.WriteString(w, `{"data":[]}`)
	}))
	defer providers.Close()
	url, _, log := native(t, providers.URL)
	for i, want := range []string{`"ok":true`, `"connectionState":"ready"`, `"ok":true`, `"leaderAgentId":"native-team-lead-`} {
		line := lines[i]
		if !strings.Contains(line, "http://"+defaultListen) {
			t.Fatalf("%s: is for another host", line)
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "http://"+defaultListen, url))
		cmd.Env = append(os.Environ(), "ANTHROPIC_API_KEY=sk-canary-anthropic-0123456789", "OPENROUTER_API_KEY=sk-canary-openrouter-0123456789", "NO_PROXY=*")
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s\n%s %v, want %s", line, out, err, want)
		}
	}
	if got := <-asked; got != "/anthropic/v1/models sk-canary-anthropic-0123456789" {
		t.Errorf("asked %s", got)
	}
	if text, _ := os.ReadFile(log); strings.Contains(string(text), "canary") {
		t.Error("a key is in the log")
	}
}
