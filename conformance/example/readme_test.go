package example

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The test in the README is the one that is compiled and run here.
func TestReadmeShowsThisTest(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("my_adapter_test.go")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(readme)
	if block == nil {
		t.Fatal("the README has no Go code")
	}
	if !strings.Contains(string(source), string(block[1])) {
		t.Error("the README's test differs from my_adapter_test.go")
	}
}
