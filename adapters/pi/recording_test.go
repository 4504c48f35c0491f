package pi_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// What Pi wrote, as canonical history.
func TestRecordings(t *testing.T) {
	names := fixtures.Names("pi-sessions")
	if len(names) != 3 {
		t.Fatalf("%d recordings: %v", len(names), names)
	}
	g := goldie.New(t, goldie.WithFixtureDir("testdata"), goldie.WithNameSuffix(".golden.json"))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			data, err := fs.ReadFile(fixtures.Recordings("pi-sessions"), name+".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			p := newPlace(t)
			p.write(t, strings.Replace(string(data), `"/srv/project"`, quoted(p.root), 1))
			s := snapshot(t, p.adapter(t))
			if issues := history.Validate(s); len(issues) > 0 {
				t.Errorf("issues: %v", issues)
			}
			if advice := history.Advise(s.Messages); len(advice) > 0 {
				t.Errorf("advice: %v", advice)
			}
			s.ProjectRoot = "/srv/project"
			got, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			text := jsontext.Value(got)
			if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
				t.Fatal(err)
			}
			g.Assert(t, name, append(text, '\n'))
		})
	}
}

// The words of the two versions of Pi are the same words.
func TestRecordingsAgree(t *testing.T) {
	said := func(name string) []string {
		data, err := os.ReadFile("testdata/" + name + ".golden.json")
		if err != nil {
			t.Fatal(err)
		}
		s, err := history.ParseSnapshot(data)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range s.Messages {
			if m.Role == history.System {
				continue // only the newer one writes it
			}
			for _, b := range m.Blocks {
				switch b := b.(type) {
				case history.Text:
					out = append(out, string(m.Role)+" says "+b.Text)
				case history.ToolCall:
					out = append(out, string(m.Role)+" calls "+b.Name+" "+string(b.Arguments))
				case history.ToolResult:
					out = append(out, string(m.Role)+" gives "+b.Content)
				}
			}
		}
		return out
	}
	if diff := cmp.Diff(said("0.73.1-tool"), said("1.6.0-tool")); diff != "" {
		t.Errorf("(-0.73.1 +1.6.0):\n%s", diff)
	}
}
