package contract_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/executortest"
	"github.com/adaptercheck/adaptercheck/conformance/historytest"
	"github.com/adaptercheck/adaptercheck/conformance/hosttest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	contract "github.com/adaptercheck/adaptercheck/docs/contract"
)

// profiles lists the pages with the checks that enforce them.
var profiles = []struct {
	profile report.Profile
	checks  []check.Check
	// weaker lists the checks that enforce a sentence of a clause whose level or
	// provenance is weaker than the clause's own, with the word in the brackets
	// that mark the sentence.
	weaker map[string]string
}{
	{report.Executor, executortest.Checks(), map[string]string{
		"executor.capabilities.owned":             string(report.Implied),
		"executor.capabilities.steerable-claimed": string(report.Should),
		"executor.capabilities.streaming-claimed": string(report.Should),
		"executor.start.distinct-handles":         string(report.Implied),
		"executor.binding.native-after-text":      string(report.Should),
		"executor.cost.second-run":                string(report.Decided),
		"executor.cost.restated":                  string(report.Should),
		"executor.codec.totals":                   string(report.Decided),
		"executor.abort.deaf-runtime":             string(report.Implied),
		"executor.terminal.fatal-is-final":        string(report.Decided),
		"executor.terminal.late-frames":           string(report.Implied),
	}},
	{report.History, historytest.Checks(), nil},
	{report.Host, hosttest.Checks(), nil},
}

func load(t *testing.T, p report.Profile) map[string]contract.Clause {
	t.Helper()
	clauses, err := contract.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	byRef := map[string]contract.Clause{}
	for _, c := range clauses {
		byRef[c.Ref()] = c
	}
	return byRef
}

func TestChecksAndClausesAgree(t *testing.T) {
	for _, p := range profiles {
		t.Run(string(p.profile), func(t *testing.T) {
			clauses := load(t, p.profile)
			enforced := map[string]bool{}
			weaker := maps.Clone(p.weaker)
			for _, ch := range p.checks {
				c, ok := clauses[ch.Clause]
				if !ok {
					t.Errorf("check %s cites %s, which is no clause", ch.ID, ch.Clause)
					continue
				}
				enforced[ch.Clause] = true
				level, origin := c.Level, c.Provenance
				if word, ok := weaker[ch.ID]; ok {
					delete(weaker, ch.ID)
					if word == string(report.Should) {
						level = report.Should
					} else {
						origin = report.Provenance(word)
					}
					if level == c.Level && origin == c.Provenance {
						t.Errorf("check %s is listed as weaker than its clause %s and is not", ch.ID, ch.Clause)
					}
					if !strings.Contains(c.Text, "("+word) {
						t.Errorf("clause %s has no sentence marked as %s, which check %s enforces", ch.Clause, word, ch.ID)
					}
				}
				if ch.Level != level || ch.Provenance != origin {
					t.Errorf("check %s is %s and %s, its clause %s is %s and %s", ch.ID, ch.Level, ch.Provenance, ch.Clause, c.Level, c.Provenance)
				}
			}
			for id := range weaker {
				t.Errorf("%s is listed as weaker than its clause and is no check", id)
			}
			for ref, c := range clauses {
				switch {
				case enforced[ref] && c.Unchecked != "":
					t.Errorf("clause %s has a check and a row that says why it has none", ref)
				case !enforced[ref] && c.Unchecked == "":
					t.Errorf("clause %s has no check and no row that says why", ref)
				}
			}
		})
	}
}

// What this project decides is MUST only where the clause names the harm.
func TestDecisionsNameTheHarm(t *testing.T) {
	for _, p := range profiles {
		for ref, c := range load(t, p.profile) {
			decided := c.Provenance == report.Decided || strings.Contains(c.Text, "("+string(report.Decided))
			if c.Level == report.Must && decided && !strings.Contains(c.Text, "\nHarm: ") {
				t.Errorf("clause %s is decided and MUST, and names no harm", ref)
			}
		}
	}
}

// The doc comments of a contract package cite clauses that exist.
func TestCitationsExist(t *testing.T) {
	for _, p := range profiles {
		if p.profile == report.Host {
			continue // it has no package: its form is HTTP
		}
		clauses := load(t, p.profile)
		cited := regexp.MustCompile(`\b` + string(p.profile) + `#[a-z0-9-]+`)
		n := 0
		root := os.DirFS("../..")
		err := fs.WalkDir(root, path.Join("contract", string(p.profile)), func(name string, _ fs.DirEntry, err error) error {
			if err != nil || path.Ext(name) != ".go" {
				return err
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			for _, ref := range cited.FindAllString(string(text), -1) {
				if strings.HasSuffix(ref, "#anchor") {
					continue // stands for any anchor
				}
				n++
				if _, ok := clauses[ref]; !ok {
					t.Errorf("%s cites %s, which is no clause", name, ref)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if n == 0 {
			t.Errorf("contract/%s cites nothing", p.profile)
		}
	}
}

// Every link within a page leads somewhere, and the table of contents misses no
// clause.
func TestLinksLead(t *testing.T) {
	inside := regexp.MustCompile(`\]\(([a-zA-Z]*\.md)?#([a-z0-9-]+)\)`)
	notSlug := regexp.MustCompile(`[^a-z0-9 -]`)
	targets := func(t *testing.T, page string) map[string]bool {
		t.Helper()
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		last := ""
		add := func(name string) {
			// A topic may share its name with its first clause alone: there a
			// link leads to the right place.
			if found[name] && name != last {
				t.Errorf("%s: two places are called %s", page, name)
			}
			found[name], last = true, name
		}
		for line := range strings.Lines(string(text)) {
			if title, ok := strings.CutPrefix(line, "## "); ok {
				add(strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-"))
			}
			if _, rest, ok := strings.Cut(line, `<a id="`); ok && strings.HasPrefix(line, "### ") {
				anchor, _, _ := strings.Cut(rest, `"`)
				add(anchor)
			}
		}
		return found
	}
	for _, p := range profiles {
		page := string(p.profile) + ".md"
		there := targets(t, page)
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inside.FindAllStringSubmatch(string(text), -1) {
			if m[1] == "" && !there[m[2]] {
				t.Errorf("%s links to #%s, which is nowhere", page, m[2])
			}
		}
		_, contents, _ := strings.Cut(string(text), "\n## Contents\n")
		contents, _, _ = strings.Cut(contents, "\n## ")
		for name := range there {
			if name != "contents" && !strings.Contains(contents, "](#"+name+")") {
				t.Errorf("%s: the contents miss #%s", page, name)
			}
		}
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range inside.FindAllStringSubmatch(string(readme), -1) {
		if !targets(t, m[1])[m[2]] {
			t.Errorf("README.md links to %s#%s, which is nowhere", m[1], m[2])
		}
	}
}

// The page lists the codes of the package, each with its meaning.
func TestExecutorCodesAreListed(t *testing.T) {
	want := map[string][]string{"Code": nil, "Detail": nil}
	file, err := parser.ParseFile(token.NewFileSet(), "../../contract/executor/errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		for prefix := range want {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && strings.HasPrefix(spec.Names[0].Name, prefix) {
				value, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				want[prefix] = append(want[prefix], value)
			}
		}
		return true
	})
	for prefix, anchor := range map[string]string{"Code": "executor#error-codes", "Detail": "executor#detail-codes"} {
		if d := cmp.Diff(want[prefix], firstCells(t, anchor)); d != "" || len(want[prefix]) == 0 {
			t.Errorf("%s (-package +page):\n%s", anchor, d)
		}
	}
}

// The page lists the kinds in the order of the package.
func TestExecutorKindsAreListed(t *testing.T) {
	var want []string
	for _, k := range executor.Kinds() {
		want = append(want, string(k))
	}
	if d := cmp.Diff(want, firstCells(t, "executor#kinds")); d != "" {
		t.Errorf("(-package +page):\n%s", d)
	}
}

// firstCells returns the code words in the first column of a clause's table.
func firstCells(t *testing.T, ref string) []string {
	t.Helper()
	c, err := contract.Find(ref)
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for line := range strings.Lines(c.Text) {
		if rest, ok := strings.CutPrefix(line, "| `"); ok {
			cell, _, _ := strings.Cut(rest, "`")
			cells = append(cells, cell)
		}
	}
	return cells
}

func TestFind(t *testing.T) {
	c, err := contract.Find("executor#seq")
	if err != nil {
		t.Fatal(err)
	}
	if c.Level != report.Must || c.Provenance != report.Stated || c.Title == "" || !strings.Contains(c.Text, "strictly") {
		t.Errorf("%+v", c)
	}
	for _, ref := range []string{"", "executor", "executor#", "executor#sequence", "host#seq", "README#seq", "../executor#seq"} {
		if c, err := contract.Find(ref); err == nil {
			t.Errorf("%q is %v", ref, c)
		}
	}
}

func TestLoadGivesEachCallerItsOwn(t *testing.T) {
	first, err := contract.Load(report.Executor)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(first)
	clear(first)
	again, err := contract.Load(report.Executor)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, again); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func ExampleFind() {
	c, err := contract.Find("executor#health-in-time")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s (%s, %s)\n", c.Ref(), c.Title, c.Level, c.Provenance)
	// Output: executor#health-in-time: an answer within two seconds (MUST, stated)
}
