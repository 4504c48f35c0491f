package main

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var rewriteProviderPage = flag.Bool("rewrite-provider-page", false, "write what the commands of docs/provider.md print into it")

// startFake starts the program as a fake that listens, and returns its address.
func startFake(t *testing.T, dir string, args ...string) (url string, stop func() (exit int, stderr string)) {
	t.Helper()
	cmd := exec.Command("adaptercheck", append([]string{"fake"}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() (int, string) {
		if !stopped {
			stopped = true
			_ = cmd.Process.Signal(os.Interrupt) // it may have ended
			_ = cmd.Wait()
		}
		return cmd.ProcessState.ExitCode(), stderr.String()
	}
	t.Cleanup(func() { stop() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_, said := stop()
		t.Fatalf("no address: %v; it said %s", err, said)
	}
	return strings.TrimSpace(line), stop
}

// The page's file is served, its commands are typed, and print what it shows.
func TestProviderPage(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl here: the commands of the page were not typed")
	}
	path := filepath.Join("..", "..", "docs", "provider.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rules, _ := strings.Cut(string(page), "```yaml rules.yaml\n")
	rules, _, _ = strings.Cut(rules, "```")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	url, stop := startFake(t, dir, "provider", "--seed", "1", "--script", "rules.yaml")
	const shown = "http://127.0.0.1:8080"
	var got strings.Builder
	console, commands := false, 0
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "```") {
			console = line == "```console\n"
		}
		command, is := strings.CutPrefix(line, "$ ")
		if !console || is || strings.HasPrefix(line, "```") {
			got.WriteString(line)
		}
		if !console || !is {
			continue
		}
		commands++
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command, shown, url))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("$ %s: %v", command, err)
		}
		text := strings.ReplaceAll(string(out), url, shown)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		got.WriteString(text)
	}
	if commands < 10 {
		t.Errorf("%d commands on the page", commands)
	}
	if exit, said := stop(); exit != 1 || !strings.Contains(said, "matches none of 4 rules") {
		t.Errorf("exit code %d after a request that no rule was for; it said %s", exit, said)
	}
	if *rewriteProviderPage {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for want, is := strings.Split(string(page), "\n"), strings.Split(got.String(), "\n"); ; want, is = want[1:], is[1:] {
		switch {
		case len(want) == 0 && len(is) == 0:
			return
		case len(want) == 0 || len(is) == 0 || want[0] != is[0]:
			t.Fatalf("the page shows\n%.300s\nand what comes is\n%.300s", strings.Join(want, "\n"), strings.Join(is, "\n"))
		}
	}
}
