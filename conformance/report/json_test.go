package report_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// canary is content that must never come back out, not even in an error.
const canary = "CANARY executor# sk-live-0 /home/u/.secret"

// samples are the reports under testdata, by name.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range []string{"conforms", "mixed", "empty"} {
		out[name] = sample(t, name)
	}
	return out
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

func TestRoundTripIsByteExact(t *testing.T) {
	for name, data := range samples(t) {
		r, err := report.Unmarshal(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// Maps have a random order: once would prove little.
		for range 20 {
			again, err := report.Marshal(r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(string(data), string(again)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	data := sample(t, "catalog")
	c, err := report.UnmarshalCatalog(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := report.MarshalCatalog(c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(data), string(again)); diff != "" {
		t.Errorf("catalog (-want +got):\n%s", diff)
	}
}

func TestMarshalWritesEmptyListsAndNoHTMLEscapes(t *testing.T) {
	r := report.Report{Schema: report.Schema, Tool: report.Tool{Name: "a", Version: "1"}}
	got, err := report.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(got), `"runs": []`) {
		t.Errorf("a nil list is not written as an empty one:\n%s", got)
	}
	if !strings.Contains(string(sample(t, "conforms")), `"<1ms"`) {
		t.Error("a bucket is not written as it reads")
	}
}

func TestMarshalRefusesWhatDoesNotValidate(t *testing.T) {
	r, err := report.Unmarshal(sample(t, "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	r.Runs[1].Checks[2].Codes[1] = canary
	out, err := report.Marshal(r)
	if out != nil {
		t.Error("wrote it all the same")
	}
	want := &report.FieldError{Document: "report", Field: "runs[1].checks[2].codes[1]", Problem: report.ProblemOutside}
	e, _ := errors.AsType[*report.FieldError](err)
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

// Every refusal names field, line and column, and says nothing of the value.
func TestUnmarshalErrors(t *testing.T) {
	data := string(sample(t, "mixed"))
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown member", `"seed": 18446744073709551615,`, `"seed": 1, "` + canary + `": 1,`, `report:7:14: document has an unknown member`},
		{"unknown member deep down", `"version": "0.1.0-dev"`, `"version": "0.1.0-dev", "` + canary + `": {}`, `report:5:29: field tool has an unknown member`},
		{"case of a name", `"seed"`, `"Seed"`, `report:7:3: document has an unknown member`},
		{"duplicate member", `"name": "memory",`, `"name": "memory", "name": "x",`, `report:11:27: field runs[0].subject has a member twice`},
		{"duplicate key of a map", `"held": 20000`, `"held": 1, "held": 2`, `field runs[1].checks[10].counts has a member twice`},
		{"missing member", `"seed": 18446744073709551615,`, ``, `report:1:1: field seed is missing`},
		{"missing flag", "\"partial\": false,\n      \"tally\"", `"tally"`, `report:9:5: field runs[0].partial is missing`},
		{"null for a list", `"features": []`, `"features": null`, `field runs[3].subject.features is null`},
		{"null for an optional block", "\"cut\": {\n        \"reason\": \"not-started\"\n      }", `"cut": null`, `field runs[4].cut is null`},
		{"wrong type", `"name": "memory"`, `"name": {"` + canary + `": 1}`, `report:11:17: field runs[0].subject.name has the wrong type or is out of range`},
		{"fraction", `"held": 20000`, `"held": 1.5`, `field runs[1].checks[10].counts has the wrong type`},
		{"too large", `"seed": 18446744073709551615`, `"seed": 18446744073709551616`, `report:7:11: field seed has the wrong type or is out of range`},
		{"negative", `"held": 20000`, `"held": -1`, `field runs[1].checks[10].counts holds a value outside its closed set`},
		{"free text in a code", `"seq-missing"`, `"` + canary + `"`, `field runs[1].checks[2].codes[0] holds a value outside its closed set`},
		{"free text as a key", `"held"`, `"` + canary + `"`, `field runs[1].checks[10].counts holds a value outside its closed set`},
		{"unknown state", `"state": "known"`, `"state": "flaky"`, `field runs[1].checks[5].state holds a value outside its closed set`},
		{"empty optional word", `"during": "history.rebuild.torn-tail"`, `"during": ""`, `field runs[2].cut.during holds a value outside its closed set`},
		{"other schema", `-report-v1"`, `-report-v2"`, `report:2:13: field schema holds a value outside its closed set`},
		{"broken", `"seed":`, `"seed" ` + canary, `is not well-formed JSON`},
		{"column in characters", `"name": "memory"`, `"näme": 1`, `report:11:9: field runs[0].subject has an unknown member`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(data, c.old) {
				t.Fatalf("the sample has no %s", c.old)
			}
			refused(t, strings.Replace(data, c.old, c.new, 1), c.want)
		})
	}
	for _, c := range []struct{ name, data, want string }{
		{"nothing", "", `report:1:1: document ends too early`},
		{"cut off", data[:len(data)/2], `ends too early`},
		{"more behind", data + `{"a":"` + canary + `"}`, `is not well-formed JSON`},
		{"null", "null", `report:1:1: document is null`},
		{"a list", "\n [1]", `report:2:2: document has the wrong type or is out of range`},
		{"bad UTF-8", "{\"schema\":\"\xff\"}", `is not well-formed JSON`},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, c.data, c.want) })
	}
}

func refused(t *testing.T, data, want string) {
	t.Helper()
	r, err := report.Unmarshal([]byte(data))
	e, ok := errors.AsType[*report.FieldError](err)
	if !ok {
		t.Fatalf("error is %T %v, want a FieldError", err, err)
	}
	if !strings.Contains(e.Error(), want) {
		t.Errorf("error\n got %s\nwant %s", e, want)
	}
	if e.Line < 1 || e.Column < 1 {
		t.Errorf("no position: %+v", e)
	}
	if strings.Contains(e.Error(), "CANARY") || strings.Contains(e.Error(), "sk-live") {
		t.Errorf("the error quotes content: %s", e)
	}
	if diff := cmp.Diff(report.Report{}, r); diff != "" {
		t.Errorf("something was returned beside the error:\n%s", diff)
	}
}

func TestUnmarshalCatalogErrors(t *testing.T) {
	data := string(sample(t, "catalog"))
	for _, c := range []struct{ old, new, want string }{
		{`"executor#seq"`, `"` + canary + `"`, `catalog:8:17: field checks[0].clause holds a value outside its closed set`},
		{`upward"`, `upward\u001b[2J"`, `catalog:18:16: field checks[0].title holds a value outside its closed set`},
		{`"needs": []`, `"needs": [""]`, `field checks[1].needs[0] holds a value outside its closed set`},
		{`"level": "MUST"`, `"level": "must"`, `field checks[0].level holds a value outside its closed set`},
		{`"title"`, `"titel"`, `field checks[0] has an unknown member`},
	} {
		_, err := report.UnmarshalCatalog([]byte(strings.Replace(data, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.old, err, c.want)
		}
	}
}
