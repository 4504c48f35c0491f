package baseline

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

func day(t *testing.T, s string) time.Time {
	t.Helper()
	d, err := ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const head = "schema: adaptercheck-baseline-v1\n"

const whole = head + `known:
  - subject: mine
    check: executor.abort.stops
    code: abort-late
    issue: "#12: it stops late"
    expires: 2027-03-31
  - {subject: mine, check: history.privacy.keys, code: key-leaked, issue: https://example.org/7, expires: "2027-01-01"}
`

func entries(t *testing.T) []Entry {
	return []Entry{
		{
			Subject: "mine", Check: "executor.abort.stops", Code: "abort-late", Issue: "#12: it stops late",
			Expires: day(t, "2027-03-31"), At: yamltree.Position{Line: 3, Col: 5},
		},
		{
			Subject: "mine", Check: "history.privacy.keys", Code: "key-leaked", Issue: "https://example.org/7",
			Expires: day(t, "2027-01-01"), At: yamltree.Position{Line: 8, Col: 5},
		},
	}
}

func TestParse(t *testing.T) {
	got, err := Parse("k.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Baseline{Path: "k.yaml", Entries: entries(t)}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if of := got.Of("mine", report.History); len(of) != 1 || of[0].Code != "key-leaked" {
		t.Errorf("of history: %v", of)
	}
	if of := got.Of("other", report.History); of != nil {
		t.Errorf("of another subject: %v", of)
	}
}

// entry is one with a key replaced.
func entry(key, value string) string {
	out := head + "known:\n  - {"
	for _, kv := range [][2]string{
		{"subject", "mine"}, {"check", "executor.abort.stops"}, {"code", "abort-late"}, {"issue", "X-1"}, {"expires", "2027-03-31"},
	} {
		if kv[0] == key {
			kv[1] = value
		}
		if kv[1] != "" {
			out += kv[0] + ": " + kv[1] + ", "
		}
	}
	return strings.TrimSuffix(out, ", ") + "}\n"
}

var refused = []struct {
	name, text, want string
	programOnly      bool
}{
	{"empty", "", `k.yaml:1:1: empty file, want a line "schema: adaptercheck-baseline-v1"`, false},
	{"other schema", "schema: adaptercheck-config-v1\n", `k.yaml:1:9: unknown schema`, false},
	{"no list", head, `k.yaml:1:1: missing known, want a list`, false},
	{"map", head + "known: {}\n", `k.yaml:2:8: known: found a map, want a list`, false},
	{"unknown key", head + "knwon: []\n", `k.yaml:2:1: file: unknown key "knwon", did you mean "known"?`, false},
	{"text in the list", head + "known: [x]\n", `k.yaml:2:9: known: found text, want a map with subject, check, code, issue, expires`, false},
	{"near key", head + "known: [{sbject: x}]\n", `k.yaml:2:10: known: unknown key "sbject", did you mean "subject"?`, false},
	{"no issue", entry("issue", ""), `k.yaml:3:5: known: missing issue`, false},
	{"no date", entry("expires", ""), `k.yaml:3:5: known: missing expires`, false},
	{"subject", entry("subject", `"a b"`), `k.yaml:3:15: subject: want 1 to 64 letters`, false},
	{"check", entry("check", "[x]"), `k.yaml:3:28: check: found a list, want text`, false},
	{"code", entry("code", `"it is late"`), `k.yaml:3:56: code: want 1 to 64 letters`, false},
	{"issue is a number", entry("issue", "12"), `k.yaml:3:75: issue: found a number 12, want text, quote it`, false},
	{"issue of two lines", entry("issue", `"a\nb"`), `k.yaml:3:75: issue: want one line`, false},
	{"no such day", entry("expires", "2027-02-30"), `k.yaml:3:89: expires: want a date, as 2027-03-31`, true},
	{"other date", entry("expires", "31.3.2027"), `k.yaml:3:89: expires: want a date`, false},
	{"twice", head + "known:\n" + strings.Repeat("  - {subject: a, check: b, code: c, issue: d, expires: 2027-01-01}\n", 2), `k.yaml:4:5: known: the same subject, check and code as at line 3`, true},
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range refused {
		if _, err := Parse("k.yaml", []byte(tt.text)); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := Parse("k.yaml", make([]byte, maxSize+1)); err == nil || !strings.Contains(err.Error(), "at most 4194304 are read") {
		t.Errorf("too large: %v", err)
	}
}

// Schema and reader take and refuse the same files, and know the same keys.
func TestSchemaAndReaderAgree(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "baseline.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		Properties map[string]struct {
			Items struct {
				Properties map[string]any `json:"properties"`
			} `json:"items"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ reader, schema []string }{
		{fileKeys, slices.Collect(maps.Keys(root.Properties))},
		{entryKeys, slices.Collect(maps.Keys(root.Properties["known"].Items.Properties))},
	} {
		if diff := cmp.Diff(slices.Sorted(slices.Values(c.reader)), slices.Sorted(slices.Values(c.schema))); diff != "" {
			t.Errorf("keys (-reader +schema):\n%s", diff)
		}
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			return err
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return schema.Validate(v)
	}
	for _, text := range []string{whole, head + "known: []\n"} {
		if err := valid(text); err != nil {
			t.Errorf("the schema refuses %s: %v", text, err)
		}
	}
	for _, tt := range refused {
		if !tt.programOnly && valid(tt.text) == nil {
			t.Errorf("%s: the schema takes it", tt.name)
		}
	}
}

// What becomes of an entry, by what became of its check.
func TestApply(t *testing.T) {
	checks := []check.Check{{ID: "executor.a.one", Case: "start", Codes: []check.Code{"late", "lost"}}}
	failed := func(codes ...check.Code) []check.Outcome {
		return []check.Outcome{{ID: "executor.a.one", State: report.Failed, Codes: codes}}
	}
	being := func(s report.State) []check.Outcome { return []check.Outcome{{ID: "executor.a.one", State: s}} }
	late := Entry{Subject: "mine", Check: "executor.a.one", Code: "late", Expires: day(t, "2027-03-31")}
	lost, old, generic, typo, other := late, late, late, late, late
	lost.Code = "lost"
	old.Expires = day(t, "2027-03-30")
	generic.Code = "start-hung"
	typo.Code = "latte"
	other.Check = "executor.a.two"
	for _, tt := range []struct {
		name     string
		entries  []Entry
		outcomes []check.Outcome
		state    report.State
		reasons  []report.MismatchReason
	}{
		{"holds", []Entry{late}, failed("late"), report.Known, nil},
		{"generic code", []Entry{generic}, failed("start-hung"), report.Known, nil},
		{"both codes", []Entry{lost, late}, failed("late", "lost"), report.Known, nil},
		{"one of two codes", []Entry{late}, failed("late", "lost"), report.Failed, nil},
		{"two of one code", []Entry{late, lost}, failed("late"), report.Known, []report.MismatchReason{report.MismatchOtherCode}},
		{"another code", []Entry{lost}, failed("late"), report.Failed, []report.MismatchReason{report.MismatchOtherCode}},
		{"passes", []Entry{late}, being(report.Passed), report.Passed, []report.MismatchReason{report.MismatchPassed}},
		{"unobserved", []Entry{late}, being(report.Unobserved), report.Unobserved, []report.MismatchReason{report.MismatchUnobserved}},
		{"no judgement", []Entry{late}, being(report.InconclusiveCheck), report.InconclusiveCheck, nil},
		{"not run", []Entry{late}, nil, "", nil},
		{"out of date", []Entry{old}, failed("late"), report.Failed, []report.MismatchReason{report.MismatchExpired}},
		{"out of date and not run", []Entry{old}, nil, "", []report.MismatchReason{report.MismatchExpired}},
		{"no such code", []Entry{typo}, failed("late"), report.Failed, []report.MismatchReason{report.MismatchUnknown}},
		{"no such check", []Entry{other}, being(report.Passed), report.Passed, []report.MismatchReason{report.MismatchUnknown}},
		{"no entry", nil, failed("late"), report.Failed, nil},
	} {
		// The last moment of the entry's last day.
		now := day(t, "2027-04-01").Add(-time.Nanosecond)
		before := slices.Clone(tt.outcomes)
		got, broken := Apply(tt.entries, checks, tt.outcomes, now)
		if diff := cmp.Diff(before, tt.outcomes, cmp.AllowUnexported(check.Outcome{})); diff != "" {
			t.Errorf("%s: the caller's outcomes are changed:\n%s", tt.name, diff)
		}
		if len(got) > 0 && got[0].State != tt.state || len(got) != len(tt.outcomes) {
			t.Errorf("%s: outcomes %+v, want %s", tt.name, got, tt.state)
		}
		var reasons []report.MismatchReason
		for _, m := range Mismatches(broken) {
			reasons = append(reasons, m.Reason)
		}
		if diff := cmp.Diff(tt.reasons, reasons); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestPropose(t *testing.T) {
	row := func(id report.Name, l report.Level, s report.State, codes ...report.Name) report.Check {
		return report.Check{ID: id, Level: l, State: s, Codes: codes}
	}
	r := report.Report{Runs: []report.Run{{
		Subject: report.Subject{Name: "mine"}, Profile: report.Executor,
		Checks: []report.Check{
			row("executor.b.new", report.Must, report.Failed, "two", "one"),
			row("executor.a.known", report.Must, report.Known, "old"),
			row("executor.c.should", report.Should, report.Failed, "x"),
			row("executor.d.fine", report.Must, report.Passed),
		},
	}}}
	old := Baseline{Entries: []Entry{
		{Subject: "mine", Check: "executor.a.known", Code: "old", Issue: "first", Expires: day(t, "2027-01-01")},
		{Subject: "mine", Check: "executor.d.fine", Code: "gone", Issue: "second", Expires: day(t, "2027-01-01")},
	}}
	b := Binding{Issue: `X-1: "slow"`, Expires: day(t, "2027-05-05")}
	now := day(t, "2026-12-01")
	got, err := Propose(r, old, b, now)
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		old.Entries[0],
		{Subject: "mine", Check: "executor.b.new", Code: "one", Issue: b.Issue, Expires: b.Expires},
		{Subject: "mine", Check: "executor.b.new", Code: "two", Issue: b.Issue, Expires: b.Expires},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// What is written is what is read.
	for _, list := range [][]Entry{got, nil} {
		text, err := Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("k.yaml", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		for i := range back.Entries {
			back.Entries[i].At = yamltree.Position{}
		}
		if diff := cmp.Diff(list, back.Entries); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
	}

	if _, err := Propose(r, old, Binding{}, now); !errors.Is(err, ErrUnbound) {
		t.Errorf("without an issue: %v", err)
	}
	if _, err := Propose(r, old, Binding{Issue: "X", Expires: day(t, "2026-11-30")}, now); !errors.Is(err, ErrUnbound) {
		t.Errorf("bound to a day that is over: %v", err)
	}
	later := day(t, "2027-01-02")
	renewed, err := Propose(r, old, b, later)
	if err != nil || renewed[0].Check != "executor.a.known" || renewed[0].Issue != b.Issue || !renewed[0].Expires.Equal(b.Expires) {
		t.Errorf("an entry whose day is over: %v, %v", renewed, err)
	}
	r.Runs[0].Breaches = map[report.Name]int{"line-garbage": 1}
	if _, err := Propose(r, old, b, now); !errors.Is(err, ErrBreached) {
		t.Errorf("breaches: %v", err)
	}
	r.Runs[0].Breaches = nil
	r.Runs[0].Partial = true
	if _, err := Propose(r, old, b, now); !errors.Is(err, ErrPartial) {
		t.Errorf("partial: %v", err)
	}
}
