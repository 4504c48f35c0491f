package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// block is a file that a page shows.
func block(t *testing.T, page, begin string) string {
	t.Helper()
	_, text, found := strings.Cut(page, "```"+begin+"\n")
	text, _, ended := strings.Cut(text, "```")
	if !found || !ended {
		t.Fatalf("the page has no %s", begin)
	}
	return text
}

// The page's client chats with the page's gateway, and prints what the page shows.
func TestOpenClawPage(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "openclaw.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, dir := string(data), t.TempDir()
	for _, begin := range []string{"yaml hello.yaml", "js client.mjs"} {
		_, name, _ := strings.Cut(begin, " ")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(block(t, page, begin)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	url, stop := startFake(t, dir, "openclaw", "--script", "hello.yaml")
	if !strings.HasPrefix(url, "ws://127.0.0.1:") {
		t.Errorf("address %q", url)
	}
	if node, err := exec.LookPath("node"); err != nil {
		t.Log("no node here: the client of the page was not run")
	} else {
		client := exec.CommandContext(t.Context(), node, "--experimental-websocket", "client.mjs", url, "adaptercheck-openclaw-token", "say hello")
		client.Dir = dir
		client.Env = append(os.Environ(), "NODE_NO_WARNINGS=1")
		said, err := client.CombinedOutput()
		_, shown, _ := strings.Cut(page, "$ node client.mjs")
		_, shown, _ = strings.Cut(shown, "\n")
		shown, _, _ = strings.Cut(shown, "```")
		if diff := cmp.Diff(shown, string(said)); diff != "" || err != nil {
			t.Errorf("%v (-page +client):\n%s", err, diff)
		}
	}
	if exit, stderr := stop(); exit != 0 || stderr != "" {
		t.Errorf("exit code %d, stderr %q", exit, stderr)
	}
}
