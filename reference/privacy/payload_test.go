package privacy

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

type (
	object = map[string]any
	list   = []any
)

const (
	key       = "sk-abcdefgh12345"
	redacted  = placeholderCredential
	localOnly = "[DS4 local-only content excluded by privacy policy]"
	sensitive = "[DS4 sensitive content excluded by privacy policy]"
)

func engine(t *testing.T, cfg Config) *Engine {
	t.Helper()
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func messages(content any) object {
	return object{"messages": list{object{"content": content}}}
}

// outcome is a result in a form that reads well in a table.
type outcome struct {
	Payload  any
	Class    Class
	Changed  bool
	Blocked  int
	Secrets  int
	Provider string // empty is a remote one
	Config   Config
}

func TestSanitize(t *testing.T) {
	for _, c := range []struct {
		name string
		in   any
		want outcome
	}{
		// Where the original leaves a secret in, the decision wins: every string and
		// every key is searched.
		{"bare string payload (D2)", key, outcome{redacted, Normal, true, 0, 1, "", Config{}}},
		{"bare array payload (D2)", list{key}, outcome{list{redacted}, Normal, true, 0, 1, "", Config{}}},
		{"non-content key (D2)",
			object{"user": key, "headers": object{"authorization": "Bearer " + key}},
			outcome{object{"user": redacted, "headers": object{"authorization": "Bearer " + redacted}}, Normal, true, 0, 2, "", Config{}}},
		{"structural key under content (D3)",
			object{"messages": list{object{"role": "user", "name": key, "id": key, "content": key}}},
			outcome{object{"messages": list{object{"role": "user", "name": redacted, "id": redacted, "content": redacted}}}, Normal, true, 0, 3, "", Config{}}},
		{"secret as top key (D2)", object{key: 1}, outcome{object{redacted: 1}, Normal, true, 0, 1, "", Config{}}},
		{"object key holding secret", messages(object{key: 1}), outcome{messages(object{redacted: 1}), Normal, true, 0, 1, "", Config{}}},
		{"JSON text inside a string (D7)", messages(`{"password":"hunter22"}`),
			outcome{messages(`{"password":"[DS4 REDACTED SECRET]"}`), Normal, true, 0, 1, "", Config{}}},
		{"password field", messages(object{"password": "hunter22"}),
			outcome{messages(object{"password": placeholderSecret}), Normal, true, 0, 1, "", Config{}}},
		{"password fields in a list", messages(object{"api_key": list{"abcd1", "abcd2"}}),
			outcome{messages(object{"api_key": list{placeholderSecret, placeholderSecret}}), Normal, true, 0, 2, "", Config{}}},

		// Markers.
		{"long-s class is no class and never normal (D6)", messages("[ds4:\u017Fensitive]LEAK[/ds4:\u017Fensitive]"),
			outcome{messages(localOnly), LocalOnly, true, 1, 0, "", Config{}}},
		{"long-s namespace", messages("[d\u017F4:local-only]X[/d\u017F4:local-only]"),
			outcome{messages(localOnly), LocalOnly, true, 1, 0, "", Config{}}},
		{"unknown class", messages("[ds4:localonly]X[/ds4:localonly]"), outcome{messages(localOnly), LocalOnly, true, 1, 0, "", Config{}}},
		{"cut marker", messages("X [ds4:local-on"), outcome{messages(localOnly), LocalOnly, true, 1, 0, "", Config{}}},
		{"upper-case marker", messages("[DS4:LOCAL-ONLY]X[/Ds4:Local-Only]"), outcome{messages(localOnly), LocalOnly, true, 1, 0, "", Config{}}},
		{"unclosed prefix marker",
			object{"model": "m", "temperature": 1.0, "messages": list{
				object{"role": "user", "content": "[ds4:local-only] a"}, object{"role": "user", "content": "b"}}, "user": "u1"},
			outcome{object{"model": "m", "temperature": 1.0, "messages": list{
				object{"role": "user", "content": localOnly}, object{"role": "user", "content": localOnly}}, "user": "u1"},
				LocalOnly, true, 2, 0, "", Config{}}},
		{"mid-text unclosed marker", object{"messages": list{object{"content": "a [ds4:sensitive] b"}, object{"content": "c"}}},
			outcome{object{"messages": list{object{"content": sensitive}, object{"content": sensitive}}}, Sensitive, true, 2, 0, "", Config{}}},
		{"allowed unclosed prefix marker", messages(" [ds4:internal] a"), outcome{messages("a"), Internal, true, 0, 0, "", Config{}}},
		{"stray close leaves no tag (8.20)", messages("a [/ds4:internal] b"), outcome{messages("a  b"), Internal, true, 0, 0, "", Config{}}},
		{"nested internal>local-only", messages("[ds4:internal]a[ds4:local-only]b[/ds4:local-only]c[/ds4:internal]"),
			outcome{messages(localOnly), LocalOnly, true, 1, 0, "", Config{}}},
		{"nested raises the whole payload",
			object{"messages": list{"x", "[ds4:internal]a[ds4:sensitive]b[/ds4:sensitive][/ds4:internal]"}},
			outcome{object{"messages": list{sensitive, sensitive}}, Sensitive, true, 2, 0, "", Config{}}},
		{"nested allowed leaves no tag (8.20)", messages("a [ds4:internal][ds4:normal]N[/ds4:normal] z[/ds4:internal]"),
			outcome{messages("a N z"), Internal, true, 0, 0, "", Config{}}},
		{"siblings", messages("[ds4:internal]a[/ds4:internal] b [ds4:sensitive]c[/ds4:sensitive]"),
			outcome{messages("a b " + sensitive), Sensitive, true, 1, 0, "", Config{}}},
		{"spans that cross", messages("[ds4:internal]a[ds4:normal]b[/ds4:internal]c[/ds4:normal]"),
			outcome{messages("abc"), Internal, true, 0, 0, "", Config{}}},
		{"escaped open, real close", messages(`\[ds4:local-only]X[/ds4:local-only]`), outcome{messages(localOnly), LocalOnly, true, 1, 0, "", Config{}}},
		{"escaped pair is text", messages(`\[ds4:local-only]X\[/ds4:local-only]`),
			outcome{messages(`\[ds4:local-only]X\[/ds4:local-only]`), Normal, false, 0, 0, "", Config{}}},
		{"double backslash", messages(`\\[ds4:local-only]X\\[/ds4:local-only]`),
			outcome{messages(`\\[ds4:local-only]X\\[/ds4:local-only]`), Normal, false, 0, 0, "", Config{}}},
		{"span split over strings blocks everything", object{"messages": list{"[ds4:local-only]a", "b", "c[/ds4:local-only]"}},
			outcome{object{"messages": list{localOnly, localOnly, localOnly}}, LocalOnly, true, 3, 0, "", Config{}}},
		{"tags that make a marker when taken out", messages("[[ds4:normal][/ds4:normal]ds4:local-only]X"),
			outcome{messages(localOnly), LocalOnly, true, 1, 0, "", Config{}}},
		{"marker in non-content string", object{"user": "[ds4:local-only]X[/ds4:local-only]"}, outcome{object{"user": localOnly}, LocalOnly, true, 1, 0, "", Config{}}},
		{"marker under structural key", object{"messages": list{object{"name": "[ds4:local-only]X[/ds4:local-only]", "content": "c"}}},
			outcome{object{"messages": list{object{"name": localOnly, "content": "c"}}}, LocalOnly, true, 1, 0, "", Config{}}},
		{"marker in key", object{"[ds4:local-only]X[/ds4:local-only]": 1, "a": 2}, outcome{object{localOnly: 1, "a": 2}, LocalOnly, true, 1, 0, "", Config{}}},
		{"two blocked keys collide",
			messages(object{"[ds4:local-only]A[/ds4:local-only]": 1, "[ds4:local-only]B[/ds4:local-only]": 2}),
			outcome{messages(object{localOnly: 1, localOnly + "_1": 2}), LocalOnly, true, 2, 0, "", Config{}}},
		{"a renamed key gives way to one that stays", messages(object{"[ds4:internal]b[/ds4:internal]": 1, "b": 2}),
			outcome{messages(object{"b": 2, "b_0": 1}), Internal, true, 0, 0, "", Config{}}},
		{"keys of another language's prototypes stay", messages(object{"constructor": 1, "toString": 2, "__proto__": object{"x": "y"}}),
			outcome{messages(object{"constructor": 1, "toString": 2, "__proto__": object{"x": "y"}}), Normal, false, 0, 0, "", Config{}}},
		{"empty marked span", messages("[ds4:local-only][/ds4:local-only]"), outcome{messages(localOnly), LocalOnly, true, 1, 0, "", Config{}}},
		{"markers in a bare string", "a [ds4:local-only]b[/ds4:local-only]", outcome{"a " + localOnly, LocalOnly, true, 1, 0, "", Config{}}},
		{"secret put together by taking tags out", messages("sk-abcd[ds4:normal]efgh12345[/ds4:normal]"),
			outcome{messages(redacted), Normal, true, 0, 1, "", Config{}}},

		// Destinations.
		{"local provider keeps all but the tags", messages("[ds4:local-only]X[/ds4:local-only] " + key),
			outcome{messages("X " + key), LocalOnly, true, 0, 0, "ollama", Config{}}},
		{"local provider in other case", messages(key), outcome{messages(key), Normal, false, 0, 0, " OLLAMA ", Config{}}},
		{"local provider keeps what it cannot read", messages("[ds4:nope]X"), outcome{messages("[ds4:nope]X"), LocalOnly, false, 0, 0, "ollama", Config{}}},
		{"exact local names only", messages("[ds4:local-only]X[/ds4:local-only]"), outcome{messages(localOnly), LocalOnly, true, 1, 0, "ollama/x", Config{}}},
		{"a look-alike of a local name is remote", messages("[ds4:local-only]X[/ds4:local-only]"), outcome{messages(localOnly), LocalOnly, true, 1, 0, "lm\u017Ftudio", Config{}}},

		// Policies.
		{"default sensitive",
			object{"model": "m", "messages": list{object{"role": "user",
				"content": "a [ds4:normal]b[/ds4:normal] c", "score": 5, "other": ""}}},
			outcome{object{"model": "m", "messages": list{object{"role": "user",
				"content": sensitive + sensitive + sensitive, sensitive: "", sensitive + "_3": 5}}},
				Sensitive, true, 5, 0, "", Config{DefaultClass: Sensitive}}},
		{"default sensitive, unknown shape", object{"conversation": list{object{"body": "x"}}},
			outcome{object{"conversation": list{object{sensitive: sensitive}}}, Sensitive, true, 2, 0, "", Config{DefaultClass: Sensitive}}},
		{"default sensitive, prose under a structural key", messages(object{"name": "Ada Lovelace", "id": "u1"}),
			outcome{messages(object{"name": sensitive, "id": "u1"}), Sensitive, true, 1, 0, "", Config{DefaultClass: Sensitive}}},
		{"rule for one provider", messages("[ds4:sensitive]a[/ds4:sensitive][ds4:internal]b[/ds4:internal]"),
			outcome{messages("a[DS4 internal content excluded by privacy policy]"), Sensitive, true, 1, 0, " Acme",
				Config{RemoteProviders: map[string][]Class{"acme": {Normal, Sensitive}}}}},
		{"nothing allowed by default", messages("a"), outcome{messages("[DS4 normal content excluded by privacy policy]"), Normal, true, 1, 0, "",
			Config{RemoteDefaultAllowed: []Class{}}}},
		{"secrets kept", messages(key), outcome{messages(key), Normal, false, 0, 0, "", Config{KeepSecrets: true}}},
		{"disabled", messages("[ds4:local-only]X[/ds4:local-only] " + key),
			outcome{messages("[ds4:local-only]X[/ds4:local-only] " + key), Normal, false, 0, 0, "", Config{Disabled: true}}},
		{"golden",
			object{"model": "m", "system": "[ds4:internal]Rules.[/ds4:internal]", "messages": list{object{"role": "user",
				"content": "see [ds4:local-only]vault[/ds4:local-only] and " + key}}},
			outcome{object{"model": "m", "system": "Rules.", "messages": list{object{"role": "user",
				"content": "see " + localOnly + " and " + redacted}}}, LocalOnly, true, 1, 1, "", Config{}}},
		{"values without text", object{"a": nil, "b": list(nil), "c": object(nil), "d": true, "e": 1.5, "f": int64(2)},
			outcome{object{"a": nil, "b": list(nil), "c": object(nil), "d": true, "e": 1.5, "f": int64(2)}, Normal, false, 0, 0, "", Config{}}},
		{"empty content stays", messages(""), outcome{messages(""), Normal, false, 0, 0, "", Config{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := engine(t, c.want.Config)
			provider := c.want.Provider
			if provider == "" {
				provider = "openai"
			}
			before, err := new(copier).copy(c.in, 0)
			if err != nil {
				t.Fatal(err)
			}
			res, err := e.Sanitize(provider, c.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, c.in); diff != "" {
				t.Errorf("the caller's payload was changed (-before +after):\n%s", diff)
			}
			got := outcome{res.Payload, res.Class, res.Changed, res.Blocked, res.Secrets, c.want.Provider, c.want.Config}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := e.Sanitize(provider, res.Payload)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(res.Payload, again.Payload); diff != "" || again.Changed || again.Blocked != 0 || again.Secrets != 0 {
				t.Errorf("sanitising again: %+v (-once +twice):\n%s", again, diff)
			}
		})
	}
}

// The traversal cache of the original gives back an object as it looked where it
// was met first. Ours has none.
func TestSharedObjectsAreSanitisedEverywhere(t *testing.T) {
	shared := object{"note": key}
	res, err := engine(t, Config{}).Sanitize("openai", object{"extra": shared, "messages": list{shared}})
	if err != nil {
		t.Fatal(err)
	}
	want := object{"extra": object{"note": redacted}, "messages": list{object{"note": redacted}}}
	if diff := cmp.Diff(want, res.Payload); diff != "" || res.Secrets != 2 {
		t.Errorf("D1: %d secrets (-want +got):\n%s", res.Secrets, diff)
	}
	res.Payload.(object)["extra"].(object)["note"] = "changed"
	if shared["note"] != key || res.Payload.(object)["messages"].(list)[0].(object)["note"] != redacted {
		t.Error("the result shares an object with the payload or with itself")
	}
}

// named values with methods: an encoder would write what the method says.
type sly struct{ calls *int }

func (s sly) MarshalJSON() ([]byte, error) { *s.calls++; return []byte(`"` + key + `"`), nil }

type slyText string

func (slyText) MarshalText() ([]byte, error) { return []byte(key), nil }

func TestSanitizeRefusesWhatItCannotLookThrough(t *testing.T) {
	deep := func(levels int) any {
		var v any = "x"
		for range levels {
			v = list{v}
		}
		return v
	}
	cyclicMap := object{}
	cyclicMap["self"] = cyclicMap
	cyclicList := make(list, 1)
	cyclicList[0] = cyclicList
	var bomb any = "x"
	for range 60 {
		bomb = list{bomb, bomb}
	}
	calls := 0
	text := "x"
	for _, c := range []struct {
		name string
		in   any
	}{
		{"201 levels", deep(201)}, {"20,000 levels", deep(20_000)},
		{"cyclic object", cyclicMap}, {"cyclic list", cyclicList}, {"2^60 values", bomb},
		{"function (D5)", object{"toJSON": func() string { return key }}},
		{"channel", list{make(chan int)}},
		{"bytes (D4)", messages([]byte(key))},
		{"time", messages(time.Unix(0, 0))},
		{"struct", messages(struct{ A string }{key})},
		{"typed map", messages(map[string]string{"a": key})},
		{"map with other keys", messages(map[int]any{1: key})},
		{"typed list", messages([]string{key})},
		{"pointer", messages(&text)},
		{"marshaler", messages(sly{&calls})},
		{"nil marshaler", messages((*sly)(nil))},
		{"named string", messages(slyText("x"))},
		{"not a number", messages(math.NaN())}, {"infinite", messages(float32(math.Inf(1)))},
		{"complex", messages(1i)},
		{"text that is not UTF-8", messages("sk-\xffabcdefgh")}, {"key that is not UTF-8", object{"\xff": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for provider, cfg := range map[string]Config{"openai": {}, "ollama": {Disabled: true}} {
				res, err := engine(t, cfg).Sanitize(provider, c.in)
				if !errors.Is(err, ErrPayload) {
					t.Fatalf("error %v, want ErrPayload", err)
				}
				if diff := cmp.Diff(Result{}, res); diff != "" {
					t.Errorf("a result beside the error (-want +got):\n%s", diff)
				}
				if strings.Contains(err.Error(), key) {
					t.Errorf("content in the error: %v", err)
				}
			}
		})
	}
	if calls != 0 {
		t.Errorf("a marshaler was called %d times", calls)
	}
	if _, err := engine(t, Config{}).Sanitize("openai", deep(200)); err != nil {
		t.Errorf("200 levels: %v", err)
	}
	if _, err := engine(t, Config{}).Sanitize(" \ufeff", "x"); !errors.Is(err, ErrProvider) {
		t.Errorf("blank provider: error %v, want ErrProvider", err)
	}
}

func TestDestination(t *testing.T) {
	e := engine(t, Config{LocalProviders: []string{" Mine "}})
	for provider, want := range map[string]history.Destination{
		"mine": history.Local, "MINE\n": history.Local, "mine2": history.Remote, "ollama": history.Remote, "": history.Remote,
	} {
		if got := e.Destination(provider); got != want {
			t.Errorf("%q: %s, want %s", provider, got, want)
		}
	}
}

// A policy that is switched off still says where a payload goes.
func TestDestinationOfADisabledPolicy(t *testing.T) {
	e := engine(t, Config{Disabled: true})
	for provider, want := range map[string]history.Destination{"openai": history.Remote, "ollama": history.Local} {
		if res, err := e.Sanitize(provider, key); err != nil || res.Destination != want || res.Payload != key {
			t.Errorf("%s: %+v, error %v", provider, res, err)
		}
	}
}

func BenchmarkSanitize(b *testing.B) {
	e, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1_000, 10_000, 100_000} {
		msgs := make(list, n)
		for i := range msgs {
			msgs[i] = object{"role": "user", "content": strings.Repeat("some words of a message ", 8)}
		}
		payload := object{"messages": msgs}
		b.Run("messages="+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Sanitize("openai", payload); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/message")
		})
	}
}
