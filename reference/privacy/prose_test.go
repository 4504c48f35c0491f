package privacy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// prose reads the corpus of ordinary lines, by file.
func prose(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "fixtures", "prose", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	lines := 0
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		out[name] = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		lines += len(out[name])
	}
	if lines < 500 {
		t.Fatalf("the corpus has %d lines", lines)
	}
	return out
}

// Code, configuration, documents and prose that name secrets without holding one
// keep every character: line by line, as a whole, inside a JSON string, and where
// the line is the value of a field.
func TestNoSecretInTheCorpus(t *testing.T) {
	for name, lines := range prose(t) {
		for i, line := range lines {
			for _, form := range []string{line, strings.ReplaceAll(line, `"`, `\"`)} {
				if got, n := redactSecrets(form, "content"); n != 0 || got != form {
					t.Errorf("%s:%d: %d secrets\n\t%s\n\t%s", name, i+1, n, form, got)
				}
			}
		}
		for _, join := range []string{"\n", "\r\n", `\n`, " "} {
			whole := strings.Join(lines, join)
			if got, n := redactSecrets(whole, "content"); n != 0 {
				at := 0
				for at < len(got) && got[at] == whole[at] {
					at++
				}
				t.Errorf("%s joined with %q: %d secrets, the first at %q", name, join, n, whole[max(0, at-60):min(len(whole), at+60)])
			}
		}
	}
}

// The corpus passes the engine of the default policy as it is.
func TestCorpusPassesTheEngine(t *testing.T) {
	e := engine(t, Config{})
	for name, lines := range prose(t) {
		messages := list{}
		for _, line := range lines {
			messages = append(messages, object{"role": "user", "content": list{object{"type": "text", "text": line}}})
		}
		res, err := e.Sanitize("openai", object{"model": "m", "system": strings.Join(lines, "\n"), "messages": messages})
		if err != nil || res.Changed || res.Blocked != 0 || res.Secrets != 0 {
			t.Errorf("%s: changed %t, %d blocked, %d secrets, error %v", name, res.Changed, res.Blocked, res.Secrets, err)
		}
	}
}
