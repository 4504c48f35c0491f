package arrows_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const module = "github.com/adaptercheck/adaptercheck"

// arrow says what a package may import of this tree. Patterns are paths below the
// module; one that ends in /** covers everything below, and the path itself.
type arrow struct {
	from string
	to   []string
}

// table is read from the top: the first line that covers a package is its rule.
var table = []arrow{
	{"contract/**", []string{"contract/**"}},
	{"docs/contract", []string{"conformance/report"}},
	{"bridges", nil},
	{"fixtures", nil},
	{"fakes", []string{"contract/**"}},
	{"fakes/script", []string{"fakes", "internal/nearest", "internal/yamltree"}},
	{"fakes/wire", []string{"fakes"}},
	{"fakes/child", []string{"fakes", "fakes/script", "fakes/wire"}},
	{"fakes/fidelity", nil},
	{"fakes/child/childtest", []string{"fakes"}},
	{"fakes/provider/puppet", []string{"fakes", "fakes/provider"}},
	{"fakes/codex/**", []string{"fakes", "fakes/script", "fakes/wire", "fakes/child", "fakes/codex/thread", "fakes/codex/tool", "fixtures", "internal/**"}},
	{"fakes/**", []string{"fakes", "fakes/script", "fakes/wire", "fakes/child", "fixtures", "internal/**"}},
	{"adapters/memory", []string{"contract/**", "internal/**", "fakes", "fakes/memory"}},
	{"adapters/native/files", []string{"adapters/native/tool"}},
	{"adapters/native/team/**", []string{"contract/history", "adapters/native/tool", "adapters/native/files", "adapters/native/team/**", "reference/embedding", "reference/privacy"}},
	{"adapters/native/**", []string{"contract/**", "internal/**", "adapters/native/**"}},
	{"adapters/**", []string{"contract/**", "internal/**"}},
	{"reference/**", []string{"contract/**", "internal/**", "reference/**"}},
	{"conformance/report", []string{"contract/**"}},
	{"conformance/report/render", []string{"conformance/report"}},
	{"conformance/report/compare", []string{"conformance/report"}},
	{"conformance/check", []string{"contract/**", "fakes", "conformance/report"}},
	{"conformance/match", []string{"contract/**"}},
	{"conformance/executortest", []string{"contract/**", "fakes", "fixtures", "conformance/check", "conformance/match"}},
	{"conformance/historytest", []string{"contract/**", "fakes", "fixtures", "conformance/check", "conformance/match"}},
	{"conformance/hosttest", []string{"fakes", "conformance/check"}},
	{"conformance/remote", []string{"contract/**", "fakes", "fakes/script", "conformance/check", "internal/**"}},
	{"conformance/merge", []string{"conformance/check", "conformance/report"}},
	{"conformance/baseline", []string{"conformance/check", "conformance/report", "internal/nearest", "internal/yamltree"}},
	{"conformance/supervise", []string{"fakes", "conformance", "conformance/check", "conformance/hosttest", "conformance/remote", "conformance/report", "internal/**"}},
	{"conformance/example", nil},
	{"conformance", []string{"conformance/**"}},
	{"property", []string{"contract/**", "fakes", "fakes/script", "conformance/check", "conformance/report", "fixtures"}},
	{"golden", []string{"conformance", "conformance/**", "contract/**", "fakes", "fakes/script", "internal/config"}},
	{"subjects", []string{"contract/**", "adapters/**", "fakes", "fakes/**", "reference/**", "conformance/check"}},
	{"realruntimes/codex", []string{"fakes", "fakes/child", "fakes/provider", "subjects", "conformance/check"}},
	{"realruntimes/claudecode", []string{"contract/executor", "contract/executor/verify", "adapters/claudecode", "fakes", "fakes/provider"}},
	{"realruntimes", []string{"fakes", "realruntimes/**", "conformance", "conformance/**"}},
	{"mutants/**", []string{"mutants/**", "subjects", "adapters/**", "fakes/**", "reference/**", "conformance/**", "contract/**"}},
	{"bench/**", []string{"fakes", "fakes/provider"}},
	{"internal/gendocs", []string{"conformance", "conformance/check", "conformance/report", "docs/contract"}},
	{"internal/config", []string{"conformance/check", "conformance/report", "internal/**"}},
	{"internal/**", []string{"contract/**", "internal/**"}},
	{"cmd/**", []string{"**"}},
}

// banned are things that a package must not compile in, however they get there.
var banned = []struct {
	what string
	from []string
	not  []string
}{
	{
		"a provider, agent or MCP SDK, a database, a browser driver or a test runner",
		[]string{"contract/**", "fakes"},
		[]string{"github.com/anthropics/", "github.com/openai/", "github.com/coder/acp-go-sdk", "github.com/modelcontextprotocol/", "modernc.org/sqlite", "github.com/chromedp/", "github.com/onsi/", "pgregory.net/rapid", "testing"},
	},
	{
		"a provider, agent or MCP SDK",
		[]string{"reference/**", "conformance/**", "property"},
		[]string{"github.com/anthropics/", "github.com/openai/", "github.com/coder/acp-go-sdk", "github.com/modelcontextprotocol/"},
	},
	{
		"a provider SDK, which judges the fake from its tests",
		[]string{"fakes/**"},
		[]string{"github.com/anthropics/", "github.com/openai/"},
	},
	{
		"Ginkgo",
		[]string{"conformance/check", "conformance/executortest", "conformance/historytest", "conformance/hosttest", "conformance/report/**", "mutants/executormutants", "mutants/historymutants", "mutants/hostmutants", "mutants/pimutants", "mutants/rawmutants", "subjects", "property"},
		[]string{"github.com/onsi/ginkgo"},
	},
}

// pkg is what go list says of a package.
type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	dec := jsontext.NewDecoder(strings.NewReader(string(out)))
	for dec.PeekKind() == '{' {
		var p pkg
		if err := json.UnmarshalDecode(dec, &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list found %d packages", len(all))
	}
	return all
}

func covers(pattern, path string) bool {
	if pattern == "**" {
		return true
	}
	if base, ok := strings.CutSuffix(pattern, "/**"); ok {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return pattern == path
}

func below(importPath string) (string, bool) { return strings.CutPrefix(importPath, module+"/") }

func TestArrows(t *testing.T) {
	for _, p := range packages(t) {
		from, _ := below(p.ImportPath)
		i := slices.IndexFunc(table, func(a arrow) bool { return covers(a.from, from) })
		if i < 0 {
			t.Errorf("%s is in no line of the arrow table", from)
			continue
		}
		for _, imported := range p.Imports {
			to, ours := below(imported)
			if ours && !slices.ContainsFunc(table[i].to, func(pattern string) bool { return covers(pattern, to) }) {
				t.Errorf("%s may not import %s: its line allows %v", from, to, table[i].to)
			}
		}
	}
}

func TestBanned(t *testing.T) {
	for _, p := range packages(t) {
		from, _ := below(p.ImportPath)
		for _, b := range banned {
			if !slices.ContainsFunc(b.from, func(pattern string) bool { return covers(pattern, from) }) {
				continue
			}
			for _, dep := range p.Deps {
				for _, not := range b.not {
					if dep == not || (strings.HasSuffix(not, "/") || strings.Count(not, "/") > 0) && strings.HasPrefix(dep, not) {
						t.Errorf("%s compiles in %s: it must not have %s", from, dep, b.what)
					}
				}
			}
		}
	}
}

// The rule must be able to fail.
func TestCovers(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"contract/**", "contract/executor", true},
		{"contract/**", "contract", true},
		{"contract/**", "contracts", false},
		{"fakes", "fakes/codex", false},
		{"fakes", "fakes", true},
		{"**", "anything", true},
	} {
		if got := covers(c.pattern, c.path); got != c.want {
			t.Errorf("covers(%q, %q) = %t", c.pattern, c.path, got)
		}
	}
}
