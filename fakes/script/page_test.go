package script_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes/script"
)

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "scripts.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// examples are the first cells of the tables that list words, by the word above them.
func examples(text string) map[string][]string {
	out := map[string][]string{}
	under := ""
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "## What the runtime says"), strings.HasPrefix(line, "## Cases"):
			under = "steps"
		case strings.HasPrefix(line, "## What shall come of it"):
			under = "expect"
		case strings.HasPrefix(line, "### "):
			under = strings.TrimSpace(line[4:])
		case strings.HasPrefix(line, "#"):
			under = ""
		case under != "" && strings.HasPrefix(line, "| `"):
			step, _, _ := strings.Cut(line[3:], "` |")
			out[under] = append(out[under], step)
		}
	}
	return out
}

// The page has every word with an example that can be read, and names every field.
func TestPageHasTheWords(t *testing.T) {
	text := page(t)
	listed := map[string]int{}
	for under, steps := range examples(text) {
		for _, step := range steps {
			word, _, _ := strings.Cut(step, ":")
			listed[under+" "+word]++
			source := head + "  - " + step + "\n"
			switch under {
			case "expect":
				source = head + "  - cut\nexpect:\n  - " + step + "\n"
			case "host", "file":
				if strings.Contains(step, ":") {
					step = "{" + step + "}"
				}
				source = head + "  - " + under + ": " + step + "\n"
			}
			if _, err := (script.Source{Name: step, Data: []byte(source)}).Case(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, w := range script.Words() {
		if w.Name != "host" && w.Name != "file" && listed[w.Under+" "+w.Name] == 0 {
			t.Errorf("the page does not list %s under %s", w.Name, w.Under)
		}
		for _, f := range w.Fields {
			if !regexp.MustCompile("`" + f + "`|[{ ]" + f + ": ").MatchString(text) {
				t.Errorf("the page does not name the field %s of %s", f, w.Name)
			}
		}
	}
}

// What the page shows whole can be read.
func TestPageShowsScripts(t *testing.T) {
	seen := 0
	for _, fence := range []string{"```yaml\n", "```txtar\n"} {
		for _, block := range strings.Split(page(t), fence)[1:] {
			text, _, _ := strings.Cut(block, "```")
			seen++
			ext := ".yaml"
			if fence == "```txtar\n" {
				ext = ".txtar"
			}
			source, err := script.Open(write(t, t.TempDir(), "page"+ext, text))
			if err == nil {
				_, err = source.Case()
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d scripts on the page", seen)
	}
}
