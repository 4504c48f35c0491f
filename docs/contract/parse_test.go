package contract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

const page = `# A page

Words before the first clause.

## A topic

### <a id="seq"></a>seq — numbers rise

Level: MUST · Provenance: stated

First paragraph.

` + "```\n# not a heading\n```" + `

### <a id="late-words"></a>late-words — two — dashes
Level: SHOULD · Provenance: decided
Text at once.

## Clauses without a check

Words before the table.

| clause | reason |
|---|---|
| [late-words](#late-words) | Nothing to see \| or hear. |
`

func TestParse(t *testing.T) {
	want := []Clause{
		{Profile: report.Host, Anchor: "seq", Title: "numbers rise", Level: report.Must, Provenance: report.Stated,
			Text: "First paragraph.\n\n```\n# not a heading\n```"},
		{Profile: report.Host, Anchor: "late-words", Title: "two — dashes", Level: report.Should, Provenance: report.Decided,
			Text: "Text at once.", Unchecked: `Nothing to see \| or hear.`},
	}
	for name, text := range map[string]string{
		"lines":         page,
		"windows lines": strings.ReplaceAll(page, "\n", "\r\n"),
		"code anchor":   strings.Replace(page, "[late-words](#late-words)", "`late-words`", 1),
		"whole anchor":  strings.Replace(page, "[late-words](#late-words)", "host#late-words", 1),
		"plain anchor":  strings.Replace(page, "[late-words](#late-words)", "late-words", 1),
		"linked code":   strings.Replace(page, "[late-words](#late-words)", "[`late-words`](#late-words)", 1),
	} {
		got, err := parse(report.Host, "host.md", text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	replace := func(old, by string) string {
		if !strings.Contains(page, old) {
			t.Fatalf("the page has no %q", old)
		}
		return strings.Replace(page, old, by, 1)
	}
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":           {"", "host.md: the page has no clause"},
		"plain heading":     {replace(`### <a id="seq"></a>seq — numbers rise`, "### seq"), `host.md:7: the heading of a clause is not <a id="anchor"></a>anchor — title`},
		"no title":          {replace("seq — numbers rise", "seq —  "), `host.md:7: the heading of a clause is not <a id="anchor"></a>anchor — title`},
		"bad anchor":        {replace(`"seq"`, `"Seq_1"`), `host.md:7: the anchor "Seq_1" is not lower-case words with hyphens`},
		"two names":         {replace(`"seq"`, `"sequence"`), `host.md:7: the heading links to "sequence" and shows "seq"`},
		"taken":             {replace(`"late-words"></a>late-words`, `"seq"></a>seq`), `host.md:17: the anchor "seq" is taken`},
		"no level":          {replace("Level: MUST · Provenance: stated\n\n", ""), `host.md:7: clause seq: the first line is not Level: MUST · Provenance: stated`},
		"unknown level":     {replace("MUST", "MAY"), `host.md:7: clause seq: level "MAY" is neither MUST nor SHOULD`},
		"unknown origin":    {replace("stated", "guessed"), `host.md:7: clause seq: provenance "guessed" is none of stated, implied and decided`},
		"words after":       {replace("stated", "stated, more or less"), `host.md:7: clause seq: provenance "stated, more or less" is none of stated, implied and decided`},
		"no text":           {replace("Text at once.", ""), `host.md:17: clause late-words: no text`},
		"nothing below":     {replace("Level: SHOULD · Provenance: decided\nText at once.", ""), `host.md:17: clause late-words: no level and no text`},
		"unknown row":       {replace("[late-words](#late-words)", "later"), `host.md:27: the row for "later" names no clause of the page`},
		"no reason":         {replace(`Nothing to see \| or hear.`, " "), `host.md:27: the row for "late-words" gives no reason`},
		"blank row":         {replace("[late-words](#late-words)", " "), `host.md:27: a row names no clause`},
		"row twice":         {page + "| late-words | again |\n", `host.md:28: the row for "late-words" is there twice`},
		"open code block":   {page + "```\n", `host.md:29: a code block is not closed`},
		"table as a clause": {replace("## Clauses without", "### Clauses without"), `host.md:21: the heading of a clause is not <a id="anchor"></a>anchor — title`},
	} {
		clauses, err := parse(report.Host, "host.md", tt.text)
		if err == nil {
			t.Errorf("%s: %v", name, clauses)
			continue
		}
		if err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", name, err, tt.want)
		}
	}
}
