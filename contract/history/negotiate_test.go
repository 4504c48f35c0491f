package history_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestParseVersion(t *testing.T) {
	tests := []struct{ in, want string }{
		{"a", "a"},
		{strings.Repeat("a", 64), strings.Repeat("a", 64)},
		{strings.Repeat("a", 65), ""},
		{" " + strings.Repeat("a", 64) + "\n", strings.Repeat("a", 64)},
		{".a", ""},
		{"-a", ""},
		{"_a", ""},
		{"a b", ""},
		{" v1 ", "v1"},
		{"V1", "V1"},
		{"v1\n", "v1"},
		{"v1\n\n", "v1"},
		{"v\n1", ""},
		{"v+1", ""},
		{"v/1", ""},
		{"1", "1"},
		{"\u017f1", "\u017f1"},
		{"a\u017f", "a\u017f"},
		{"\u212a1", "\u212a1"},
		{strings.Repeat("\u212a", 64), strings.Repeat("\u212a", 64)},
		{"\u00e91", ""},
		{"", ""},
		{"   ", ""},
		{"v1..", "v1.."},
		{"v1-", "v1-"},
		{"\ufeffv1\u3000", "v1"},
		{"\u0085v1", ""},
		{"\u200bv1", ""},
		{"v\xff1", ""},
	}
	for _, tt := range tests {
		if got := history.ParseVersion(tt.in); got != tt.want {
			t.Errorf("ParseVersion(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestBoundReason(t *testing.T) {
	long := strings.Repeat("x", 239)
	tests := []struct{ name, in, want string }{
		{"folds and trims", " \t a \r\n\v\f b\u00a0", "a b"},
		{"no-break space", "\u00a0a\u00a0b", "a b"},
		{"next line is not white space", "a\u0085b", "a\u0085b"},
		{"byte order mark", "\ufeffa\ufeffb", "a b"},
		{"zero width space is not", "a\u200bb", "a\u200bb"},
		{"line separators", "a\u2028\u2029b", "a b"},
		{"ogham space", "a\u1680b", "a b"},
		{"mongolian vowel separator is not", "a\u180eb", "a\u180eb"},
		{"ideographic space", "a\u3000b", "a b"},
		{"en quad to hair space", "a\u2000\u2005\u200ab", "a b"},
		{"narrow no-break and mathematical space", "a\u202f\u205fb", "a b"},
		{"blank", "\ufeff \u2003", ""},
		{"empty", "", ""},
		{"300 units", strings.Repeat("y", 300), strings.Repeat("y", 240)},
		{"240 units", long + "y", long + "y"},
		{"cut leaves a space", long + " tail", long + " "},
		{"two-byte characters count once", strings.Repeat("é", 241), strings.Repeat("é", 240)},
		{"surrogate pairs count twice", strings.Repeat("𐀀", 121), strings.Repeat("𐀀", 120)},
		// JavaScript would keep half of the last character here.
		{"half a pair is left out", long + "😀", long},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := history.BoundReason(tt.in)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if n := len(utf16.Encode([]rune(got))); n > history.MaxReasonUnits || !utf8.ValidString(got) {
				t.Errorf("%d units, valid %v", n, utf8.ValidString(got))
			}
		})
	}
}

// wants is the status of compaction and its diagnostic.
type wants struct {
	Supported, Enabled bool
	Version            string
	// Reason "*" is one that negotiation gives by itself.
	Reason   string
	Code     history.DiagnosticCode
	Severity history.Severity
}

func TestNegotiateDecides(t *testing.T) {
	const id = history.Compaction
	yes, no := history.Some(true), history.Some(false)
	var garbage history.Optional[bool]
	if err := json.Unmarshal([]byte(`"true"`), &garbage); err != nil {
		t.Fatal(err)
	}
	optional := []history.Request{{ID: id}}
	required := []history.Request{{ID: id, Required: true}}
	invalid, unsupported := history.CodeDeclarationInvalid, history.CodeCapabilityUnsupported

	tests := []struct {
		name     string
		declared []history.Declaration
		request  []history.Request
		want     wants
	}{
		{"1 duplicate, supported then not", []history.Declaration{history.Supports(id, "v1"), history.Lacks(id, "no")}, optional,
			wants{Version: "v1", Reason: "*", Code: invalid, Severity: history.Info}},
		{"1 duplicate, twice the same", []history.Declaration{history.Supports(id, "v1"), history.Supports(id, "v1")}, required,
			wants{Version: "v1", Reason: "*", Code: invalid, Severity: history.Warning}},
		{"1 duplicate, first has no version", []history.Declaration{history.Lacks(id, "no"), history.Supports(id, "v1")}, optional,
			wants{Reason: "*", Code: invalid, Severity: history.Info}},
		{"1 duplicate, not requested", []history.Declaration{history.Supports(id, "v1"), history.Lacks(id, "no")}, nil,
			wants{Version: "v1", Reason: "*"}},
		{"2 supported without version", []history.Declaration{{ID: id, Supported: yes}}, optional,
			wants{Reason: "*", Code: invalid, Severity: history.Info}},
		{"2 supported with blank version", []history.Declaration{{ID: id, Supported: yes, Version: " \ufeff"}}, optional,
			wants{Reason: "*", Code: invalid, Severity: history.Info}},
		{"2 supported with bad version, reason ignored", []history.Declaration{{ID: id, Supported: yes, Version: "v 1", Reason: "beta"}}, required,
			wants{Reason: "*", Code: invalid, Severity: history.Warning}},
		{"3 unsupported without reason", []history.Declaration{{ID: id, Supported: no}}, optional,
			wants{Reason: "*", Code: invalid, Severity: history.Info}},
		{"3 unsupported with blank reason shows version", []history.Declaration{{ID: id, Supported: no, Version: "v9", Reason: "\u2003 "}}, optional,
			wants{Version: "v9", Reason: "*", Code: invalid, Severity: history.Info}},
		{"3 a reason of U+0085 is one", []history.Declaration{history.Lacks(id, "\u0085")}, optional,
			wants{Reason: "\u0085", Code: unsupported, Severity: history.Info}},
		{"4 unsupported with reason", []history.Declaration{history.Lacks(id, " not \n here ")}, required,
			wants{Reason: "not here", Code: unsupported, Severity: history.Warning}},
		{"4 unsupported with version", []history.Declaration{{ID: id, Supported: no, Version: "v9", Reason: "no"}}, optional,
			wants{Version: "v9", Reason: "no", Code: unsupported, Severity: history.Info}},
		{"4 unsupported with bad version", []history.Declaration{{ID: id, Supported: no, Version: "v/9", Reason: "no"}}, optional,
			wants{Reason: "no", Code: unsupported, Severity: history.Info}},
		{"5 missing", nil, optional,
			wants{Reason: "*", Code: unsupported, Severity: history.Info}},
		{"5 missing but required", nil, required,
			wants{Reason: "*", Code: unsupported, Severity: history.Warning}},
		{"5 missing, not requested", nil, nil,
			wants{Reason: "*"}},
		{"6 supported absent", []history.Declaration{{ID: id}}, optional,
			wants{Reason: "*", Code: unsupported, Severity: history.Info}},
		{"6 supported null, version shown", []history.Declaration{{ID: id, Supported: history.Null[bool](), Version: "v1"}}, optional,
			wants{Version: "v1", Reason: "*", Code: unsupported, Severity: history.Info}},
		{"6 supported is a string", []history.Declaration{{ID: id, Supported: garbage, Version: "v1", Reason: "r"}}, optional,
			wants{Version: "v1", Reason: "r", Code: unsupported, Severity: history.Info}},
		{"7 supported", []history.Declaration{history.Supports(id, " v1\n")}, optional,
			wants{Supported: true, Enabled: true, Version: "v1"}},
		{"7 supported with a reason", []history.Declaration{{ID: id, Supported: yes, Version: "v1", Reason: " beta  only "}}, required,
			wants{Supported: true, Enabled: true, Version: "v1", Reason: "beta only"}},
		{"7 supported, not requested", []history.Declaration{history.Supports(id, "v1")}, nil,
			wants{Supported: true, Version: "v1"}},
		{"another's fault does not matter", []history.Declaration{{ID: history.Embeddings, Supported: yes}, history.Supports(id, "v1")}, optional,
			wants{Supported: true, Enabled: true, Version: "v1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := history.Negotiate(tt.declared, tt.request)
			s := n.Statuses[0]
			if s.ID != id || len(n.Statuses) != 4 {
				t.Fatalf("first of %d statuses is %s", len(n.Statuses), s.ID)
			}
			got := wants{Supported: s.Supported, Enabled: s.Enabled, Version: s.Version, Reason: s.Reason}
			if tt.want.Reason == "*" && s.Reason != "" {
				got.Reason = "*"
			}
			if s.Requested != (len(tt.request) > 0) || s.Required != (len(tt.request) > 0 && tt.request[0].Required) {
				t.Errorf("requested %v, required %v", s.Requested, s.Required)
			}
			if len(n.Diagnostics) > 0 {
				d := n.Diagnostics[0]
				got.Code, got.Severity = d.Code, d.Severity
				kind := map[bool]string{true: "Required", false: "Optional"}[s.Required]
				for _, part := range []string{kind, string(id), s.Reason} {
					if !strings.Contains(d.Message, part) {
						t.Errorf("message %q does not hold %q", d.Message, part)
					}
				}
				if d.Capability != id || len(n.Diagnostics) != 1 {
					t.Errorf("%d diagnostics, first about %q", len(n.Diagnostics), d.Capability)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNegotiateLists(t *testing.T) {
	declared := []history.Declaration{
		history.Supports("flying", "v1"),
		history.Supports(history.LocalKVReuse, "v1"),
		history.Supports(history.Embeddings, "v1"),
	}
	requested := []history.Request{
		{ID: "flying", Required: true},
		{ID: history.LocalKVReuse}, {ID: history.ProviderContinuation}, {ID: history.Compaction},
		{ID: history.Compaction, Required: true}, {ID: history.Compaction},
	}
	n := history.Negotiate(declared, requested)
	type lists struct {
		Statuses, Enabled, Disabled, Diagnosed []history.Capability
		Required                               []bool
	}
	got := lists{Enabled: n.Enabled, Disabled: n.Disabled}
	for _, s := range n.Statuses {
		got.Statuses = append(got.Statuses, s.ID)
		got.Required = append(got.Required, s.Required)
	}
	for _, d := range n.Diagnostics {
		got.Diagnosed = append(got.Diagnosed, d.Capability)
	}
	want := lists{
		Statuses:  history.Capabilities(),
		Enabled:   []history.Capability{history.LocalKVReuse},
		Disabled:  []history.Capability{history.Compaction, history.ProviderContinuation},
		Diagnosed: []history.Capability{history.Compaction, history.ProviderContinuation},
		Required:  []bool{true, false, false, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n.Diagnostics[0].Severity != history.Warning || n.Diagnostics[1].Severity != history.Info {
		t.Error("severity does not follow the request")
	}
}

func TestNegotiationHasNoNullLists(t *testing.T) {
	got, err := json.Marshal(history.Negotiate([]history.Declaration{history.Supports("x", "v1")}, []history.Request{{ID: "x"}}))
	if err != nil {
		t.Fatal(err)
	}
	want := `"enabled":[],"disabled":[],"diagnostics":[]}`
	if !strings.HasPrefix(string(got), `{"contractVersion":"runtime-adapter-v1","statuses":[{"id":"compaction",`) || !strings.HasSuffix(string(got), want) {
		t.Errorf("got %s", got)
	}
}

func TestMessageOfADiagnosticMayExceedTheBound(t *testing.T) {
	n := history.Negotiate([]history.Declaration{history.Lacks(history.Compaction, strings.Repeat("r", 500))}, []history.Request{{ID: history.Compaction}})
	if len(n.Statuses[0].Reason) != 240 || len(n.Diagnostics[0].Message) <= 240 {
		t.Errorf("reason %d, message %d", len(n.Statuses[0].Reason), len(n.Diagnostics[0].Message))
	}
}

func TestDeclarationsAndRequestsReadLeniently(t *testing.T) {
	var declared []history.Declaration
	text := `[null, 5, {"id":7,"supported":true}, {"id":"compaction","supported":true,"version":5,"reason":[1],"more":1},
		{"id":"embeddings","supported":null,"reason":"r"}, {"id":"local-kv-reuse","supported":"true"}]`
	if err := json.Unmarshal([]byte(text), &declared); err != nil {
		t.Fatal(err)
	}
	want := []history.Declaration{
		{}, {}, {Supported: history.Some(true)}, {ID: history.Compaction, Supported: history.Some(true)},
		{ID: history.Embeddings, Supported: history.Null[bool](), Reason: "r"}, {ID: history.LocalKVReuse, Supported: declared[5].Supported},
	}
	if diff := cmp.Diff(want, declared); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := declared[5].Supported.Text(); got != `"true"` {
		t.Errorf("supported is %s", got)
	}
	var requests []history.Request
	if err := json.Unmarshal([]byte(`[{"id":"a","required":1},{"id":"b","required":"yes"},{"id":"c","required":true},{"id":"d"},null]`), &requests); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]history.Request{{ID: "a"}, {ID: "b"}, {ID: "c", Required: true}, {ID: "d"}, {}}, requests); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDeclarationRoundTrip(t *testing.T) {
	for _, want := range []history.Declaration{
		{ID: "a"}, {ID: "a", Supported: history.Null[bool]()}, history.Supports("a", "v1"), history.Lacks("a", "no"),
	} {
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got history.Declaration
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", b, diff)
		}
	}
}
