package remote_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/fakes"
)

const schemaFile = "../../docs/subject-protocol.schema.json"

// schemas compiles the schema's root, or a part of it.
func schemas(t *testing.T) func(pointer string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("protocol.json", doc); err != nil {
		t.Fatal(err)
	}
	return func(pointer string) *jsonschema.Schema {
		s, err := c.Compile("protocol.json" + pointer)
		if err != nil {
			t.Fatalf("%s: %v", pointer, err)
		}
		return s
	}
}

func valid(s *jsonschema.Schema, data []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

// What a suite and a right subject say to each other keeps the schema, each answer
// that of its method.
func TestTrafficKeepsTheSchema(t *testing.T) {
	t.Parallel()
	part := schemas(t)
	line := part("")
	seen := map[string]bool{}
	for _, test := range []struct {
		name    string
		profile report.Profile
		topics  []string
	}{
		{"memory", report.Executor, []string{"identity", "capabilities", "health", "start", "abort", "approval", "codec", "dispose", "set-model", "write-context", "stream"}},
		{"jsonl-reference", report.History, []string{"identity", "capabilities", "completion", "privacy", "lifecycle", "source", "canonical"}},
	} {
		var wire bytes.Buffer
		o := self(test.name)
		o.Trace = &wire
		s, p, err := remote.Subject(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range conformance.Checks(test.profile) {
			for _, topic := range test.topics {
				if ch.Topic() == topic && !ch.Flood && !strings.Contains(ch.ID, "any-size") {
					judge(t, test.profile, s, append(conformance.Checks(test.profile)[:0:0], ch))
				}
			}
		}
		if err := p.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		methods := map[string]string{}
		for text := range strings.Lines(wire.String()) {
			way, data := text[:1], strings.TrimSuffix(text[2:], "\n")
			if len(data) >= 64<<10 {
				continue // a trace cuts it
			}
			if err := valid(line, []byte(data)); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			var m struct {
				ID     jsontext.Value `json:"id"`
				Method string         `json:"method"`
				Result jsontext.Value `json:"result"`
			}
			if err := json.Unmarshal([]byte(data), &m); err != nil {
				t.Fatal(err)
			}
			back := map[string]string{">": "<", "<": ">"}[way]
			switch method := methods[back+string(m.ID)]; {
			case m.Method != "":
				methods[way+string(m.ID)] = m.Method
			case m.Result != nil && method != "": // else its request was cut
				seen[method] = true
				where := "#/$defs/results/"
				if way == ">" {
					where = "#/$defs/callbackResults/"
				}
				if err := valid(part(where+strings.ReplaceAll(method, "/", "~1")), m.Result); err != nil {
					t.Errorf("%s: %v", method, err)
				}
			}
		}
	}
	for _, method := range []string{
		"initialize", "instance/create", "instance/close", "adapter/id", "adapter/capabilities", "adapter/health", "adapter/start",
		"adapter/abort", "adapter/setModel", "adapter/writeContext", "adapter/approve", "codec/serialize",
		"codec/restore", "handle/get", "stream/open", "stream/next", "stream/close", "harness/emit", "harness/fault", "harness/calls",
		"history/declarations", "history/negotiate", "history/snapshot", "history/rebuild", "history/model", "history/root",
		"history/enforcePrivacy", "history/complete", "history/diagnostics", "history/append", "history/shutdown",
		"history/embeddingIdentity", "history/embed", "history/localKvDiagnostics",
		"transport/complete", "port/shutdown",
	} {
		if !seen[method] {
			t.Errorf("nothing was seen of %s", method)
		}
	}
}

// The schema refuses what the protocol does not have.
func TestSchemaRefuses(t *testing.T) {
	line := schemas(t)("")
	good := `{"jsonrpc":"2.0","id":1,"method":"adapter/start","params":{"instance":"i1","task":{},"opts":{"agentId":"a","sessionKey":"s","message":"m"}}}`
	if err := valid(line, []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new string }{
		{"another version", `"2.0"`, `"1.0"`},
		{"no id", `"id":1,`, ``},
		{"unknown method", `adapter/start`, `adapter/stop`},
		{"missing parameter", `"instance":"i1",`, ``},
		{"missing option", `"agentId":"a",`, ``},
		{"unknown parameter", `"task":{}`, `"task":{},"more":1`},
		{"wrong type", `"message":"m"`, `"message":7`},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if bad == good {
			t.Fatalf("%s: nothing was changed", c.name)
		}
		if valid(line, []byte(bad)) == nil {
			t.Errorf("%s: accepted", c.name)
		}
	}
	for _, bad := range []string{
		`[]`, `{}`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"result":{"$adaptercheck":"unheard-of"}}`,
		`{"jsonrpc":"2.0","method":"adapter/start","params":{}}`,
	} {
		if valid(line, []byte(bad)) == nil {
			t.Errorf("%s: accepted", bad)
		}
	}
}

// The closed lists of the schema are those of the code.
func TestSchemaLists(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	_, features, _ := bytes.Cut(data, []byte(`"features":`))
	features, _, _ = bytes.Cut(features, []byte("]"))
	for _, f := range fakes.AllFeatures() {
		named := f != fakes.InProcess && f != fakes.OwnTools && !fakes.HostFeatures().Has(f) // not for such a subject to say
		if bytes.Contains(features, fmt.Appendf(nil, "%q", f)) != named {
			t.Errorf("feature %s: in the schema %t, want %t", f, !named, named)
		}
	}
	if !bytes.Contains(data, []byte(remote.Version)) {
		t.Error("the schema has another version")
	}
}
