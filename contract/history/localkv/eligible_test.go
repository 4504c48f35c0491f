package localkv

import (
	"math"
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

// baseline is the request of the published vector.
func baseline() Input {
	return Input{
		Enabled: true, CapabilityEnabled: true, CapabilityVersion: "v", Destination: history.Local,
		RuntimeID: "rt", RuntimeRevision: "rr", Provider: "ollama", Model: "m", ModelRevision: "mr",
		PrivacyPolicyVersion: "pp", PromptPrefix: "prefix",
		SystemOptions: OptionsOf(object{}), ToolOptions: OptionsOf(list{}),
		PrefixTokenCount: 1, ContextTokenCount: 2,
	}
}

func TestPublishedKey(t *testing.T) {
	got, refusal := Eligible(baseline())
	want := history.LocalKVKey{
		Version:           "local-kv-eligibility-v1",
		Fingerprint:       "718b0b150199838ce37c94c33793fdc18a8b9554de4c5fadf800b9bb9d8580d6",
		PrefixHash:        "e7a2e8b216e5aec3facf743962d3997f2e7d70088ef257de472d6a258049832e",
		ProviderModelHash: "a91d435e94b38092e4b7d3f68959167c592ad735a79fc984e75680dcad84ae74",
		OptionsHash:       "3af4fcc258c22406d4374a8d4234989f305286e26ede912f87adfb7ceb85455f",
		PrivacyHash:       "f2e613fadd4c5662f869cc596f62ece5613588e83d1bab9ce21c899e37f3fb61",
		RuntimeHash:       "9e6ae27cfd25eb461d12f87f627980adb336e469690eab874f64c0aaa424c1bc",
	}
	if diff := cmp.Diff(want, got); diff != "" || refusal != "" {
		t.Errorf("refusal %q (-want +got):\n%s", refusal, diff)
	}
}

// The fingerprints that the original gives, where it tells inputs apart.
func TestPublishedFingerprints(t *testing.T) {
	shared := object{"a": 1}
	for _, c := range []struct {
		name string
		edit func(*Input)
		want string
	}{
		{"string that looks like undefined", func(in *Input) { in.SystemOptions = OptionsOf(object{"a": "[undefined]"}) }, "3ad28d679c76"},
		{"zero", func(in *Input) { in.SystemOptions = OptionsOf(object{"t": 0}) }, "5145e354a9d3"},
		{"minus zero is zero", func(in *Input) { in.SystemOptions = OptionsOf(object{"t": math.Copysign(0, -1)}) }, "5145e354a9d3"},
		{"null in a list", func(in *Input) { in.ToolOptions = OptionsOf(list{nil}) }, "3494aa724e5c"},
		{"string in a list", func(in *Input) { in.ToolOptions = OptionsOf(list{"[undefined]"}) }, "f100da17f973"},
		{"replacement character", func(in *Input) { in.PromptPrefix = "\ufffd" }, "1fed218145b1"},
		{"bytes and text agree", func(in *Input) { in.PromptPrefix = string([]byte{0xC3, 0xA9}) }, "1e250ec5f980"},
		{"other object", func(in *Input) { in.ToolOptions = OptionsOf(object{}) }, "f4feb8237b70"},
		{"string as options", func(in *Input) { in.ToolOptions = OptionsOf("[undefined]") }, "e5975517898d"},
		{"shared parts", func(in *Input) { in.SystemOptions = OptionsOf(list{shared, shared}) }, "9432fafd9ad1"},
		{"token counts are not hashed", func(in *Input) { in.PrefixTokenCount, in.ContextTokenCount = 0, maxSafeInteger }, "718b0b150199"},
	} {
		in := baseline()
		c.edit(&in)
		if key, refusal := Eligible(in); !strings.HasPrefix(key.Fingerprint, c.want) || refusal != "" {
			t.Errorf("%s: %.12s, refusal %q, want %s", c.name, key.Fingerprint, refusal, c.want)
		}
	}
}

// Everything in this table is another input, so every fingerprint is another one.
// The original joins some of them: what is absent with the string that stands for
// it, a field named __proto__ with none, text that is broken in two ways.
func TestFingerprintsTellInputsApart(t *testing.T) {
	system := func(v any) func(*Input) { return func(in *Input) { in.SystemOptions = OptionsOf(v) } }
	seen := map[string]string{}
	for _, c := range []struct {
		name string
		edit func(*Input)
	}{
		{"baseline", func(*Input) {}},
		{"capability version", func(in *Input) { in.CapabilityVersion = "w" }},
		{"runtime", func(in *Input) { in.RuntimeID = "rt2" }},
		{"runtime revision", func(in *Input) { in.RuntimeRevision = "rr2" }},
		{"provider", func(in *Input) { in.Provider = "Ollama" }},
		{"model", func(in *Input) { in.Model = "M" }},
		{"model revision", func(in *Input) { in.ModelRevision = "mr2" }},
		{"model and revision swapped", func(in *Input) { in.Model, in.ModelRevision = "mr", "m" }},
		{"policy", func(in *Input) { in.PrivacyPolicyVersion = "pp2" }},
		{"prefix", func(in *Input) { in.PromptPrefix = "prefix " }},
		{"broken prefix (D15)", func(in *Input) { in.PromptPrefix = "\xed\xa0\x80" }},
		{"prefix broken otherwise (D15)", func(in *Input) { in.PromptPrefix = "\xed\xa0\x81" }},
		{"prefix that mends the break (D15)", func(in *Input) { in.PromptPrefix = "\ufffd" }},
		{"system absent", func(in *Input) { in.SystemOptions = Options{} }},
		{"tools absent", func(in *Input) { in.ToolOptions = Options{} }},
		{"both absent", func(in *Input) { in.SystemOptions, in.ToolOptions = Options{}, Options{} }},
		{"null", system(nil)},
		{"the string null", system("null")},
		{"the string of absence (D15)", system("[undefined]")},
		{"empty string", system("")},
		{"the string of an object", system("{}")},
		{"empty list", system(list{})},
		{"list with null (D15)", system(list{nil})},
		{"list with two", system(list{nil, nil})},
		{"list with a list", system(list{list{}})},
		{"false", system(false)},
		{"zero", system(0)},
		{"the string zero", system("0")},
		{"field of null", system(object{"a": nil})},
		{"field of the string null", system(object{"a": "null"})},
		{"field of the string of absence (D15)", system(object{"a": "[undefined]"})},
		{"another field", system(object{"b": nil})},
		{"upper case", system(object{"A": nil})},
		{"__proto__ (D15)", system(object{"__proto__": object{"a": nil}})},
		{"__proto__ with another value (D15)", system(object{"__proto__": object{"b": nil}})},
		{"quotes", system(object{`a":null,"b`: nil})},
		{"two fields", system(object{"a": nil, "b": nil})},
		{"large number", system(uint64(1<<53 + 1))},
		{"a number beside it", system(uint64(1 << 53))},
		{"the same on the other side", func(in *Input) { in.SystemOptions, in.ToolOptions = OptionsOf(list{}), OptionsOf(object{}) }},
	} {
		in := baseline()
		c.edit(&in)
		key, refusal := Eligible(in)
		if refusal != "" {
			t.Errorf("%s: refused, %s", c.name, refusal)
			continue
		}
		if other, again := seen[key.Fingerprint]; again {
			t.Errorf("%s has the fingerprint of %s", c.name, other)
		}
		seen[key.Fingerprint] = c.name
	}
}

// Numbers are what they count, whatever Go type holds them.
func TestEqualOptionsAreOne(t *testing.T) {
	hash := func(v any) string {
		h, ok := hashOptions(OptionsOf(v), Options{})
		if !ok {
			t.Fatalf("%T is refused", v)
		}
		return h
	}
	for _, group := range []list{
		{1, int8(1), int16(1), int32(1), int64(1), uint(1), uint8(1), uint16(1), uint32(1), uint64(1), float32(1), 1.0},
		{0, math.Copysign(0, -1)},
		{1e3, 1000},
		{list(nil), list{}},
		{object(nil), object{}},
	} {
		for _, v := range group {
			if hash(v) != hash(group[0]) {
				t.Errorf("%T(%v) and %T(%v) differ", v, v, group[0], group[0])
			}
		}
	}
}

func TestCanonicalText(t *testing.T) {
	for _, c := range []struct {
		in   any
		want string
	}{
		{object{"b": 1, "a": 1, "10": 1, "9": 1, "B": 1, "é": 1}, `{"9":1,"10":1,"B":1,"a":1,"b":1,"é":1}`},
		{object{"\U00010000": 1, "\uffff": 2}, "{\"\U00010000\":1,\"\uffff\":2}"},
		{object{"01": 1, "1": 2, "4294967294": 3, "4294967295": 4, "-1": 5, "": 6, "0": 7},
			`{"0":7,"1":2,"4294967294":3,"":6,"-1":5,"01":1,"4294967295":4}`},
		{object{"k": "\u2028<>&/é\x01\n\"\\\x7f"}, "{\"k\":\"\u2028<>&/é\\u0001\\n\\\"\\\\\x7f\"}"},
		{list{1e21, 1e-7, 0.1, -1.5, 1e20, true, nil}, `[1e+21,1e-7,0.1,-1.5,100000000000000000000,true,null]`},
	} {
		var got canonical
		if !got.value(c.in, 0) {
			t.Errorf("%v is refused", c.in)
		}
		if diff := cmp.Diff(c.want, string(got.text)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// The refusals, in the order of the tests. What Go's types rule out, such as a
// number for a revision, needs none.
func TestRefusals(t *testing.T) {
	long := strings.Repeat("x", 257)
	astral := strings.Repeat("\U0001F600", 128) // 256 units
	cases := []struct {
		name string
		edit func(*Input)
		want Refusal
	}{
		{"disabled", func(in *Input) { in.Enabled = false }, Disabled},
		{"capability", func(in *Input) { in.CapabilityEnabled = false }, CapabilityUnsupported},
		{"remote", func(in *Input) { in.Destination = history.Remote }, NonLocalDestination},
		{"nowhere", func(in *Input) { in.Destination = "" }, NonLocalDestination},
		{"empty provider", func(in *Input) { in.Provider = "" }, InvalidProvider},
		{"padded provider", func(in *Input) { in.Provider = " ollama" }, InvalidProvider},
		{"tab", func(in *Input) { in.Provider = "a\tb" }, InvalidProvider},
		{"long provider", func(in *Input) { in.Provider = long }, InvalidProvider},
		{"256 units", func(in *Input) { in.Provider = astral }, ""},
		{"257 units", func(in *Input) { in.Provider = astral + "x" }, InvalidProvider},
		{"257 units in few bytes", func(in *Input) { in.Provider = strings.Repeat("x", 257) }, InvalidProvider},
		{"not UTF-8", func(in *Input) { in.Provider = "a\xff" }, InvalidProvider},
		{"padded model", func(in *Input) { in.Model = " m" }, InvalidModel},
		{"byte order mark", func(in *Input) { in.Model = "m\ufeff" }, InvalidModel},
		{"next line is no white space here", func(in *Input) { in.Model = "m\u0085" }, ""},
		{"inner space", func(in *Input) { in.Model = "my model" }, ""},
		{"empty model revision", func(in *Input) { in.ModelRevision = "" }, InvalidModelRevision},
		{"NUL", func(in *Input) { in.RuntimeID = "a\x00b" }, InvalidRuntimeIdentity},
		{"delete", func(in *Input) { in.RuntimeID = "a\x7f" }, InvalidRuntimeIdentity},
		{"empty runtime revision", func(in *Input) { in.RuntimeRevision = "" }, InvalidRuntimeRevision},
		{"64 units", func(in *Input) { in.CapabilityVersion = long[:64] }, ""},
		{"65 units", func(in *Input) { in.CapabilityVersion = long[:65] }, InvalidCapabilityVersion},
		{"policy", func(in *Input) { in.PrivacyPolicyVersion = "\n" }, InvalidPrivacyPolicyVersion},
		{"empty prefix", func(in *Input) { in.PromptPrefix = "" }, InvalidPromptPrefix},
		{"prefix over context", func(in *Input) { in.PrefixTokenCount = 3 }, InvalidTokenCount},
		{"prefix is the context", func(in *Input) { in.PrefixTokenCount = 2 }, ""},
		{"negative", func(in *Input) { in.PrefixTokenCount = -1 }, InvalidTokenCount},
		{"unsafe", func(in *Input) { in.ContextTokenCount = maxSafeInteger + 1 }, InvalidTokenCount},
		{"bad tokens and bad options", func(in *Input) {
			in.PrefixTokenCount, in.SystemOptions = -1, OptionsOf(math.NaN())
		}, InvalidTokenCount},
	}
	for _, c := range cases {
		in := baseline()
		c.edit(&in)
		if key, got := Eligible(in); got != c.want || (got != "") != (key == history.LocalKVKey{}) {
			t.Errorf("%s: refusal %q, want %q; key %+v", c.name, got, c.want, key)
		}
	}
}

// With everything wrong the first refusal is given; mending it uncovers the next.
func TestOrderOfRefusals(t *testing.T) {
	good := baseline()
	in := Input{PrefixTokenCount: -1, SystemOptions: OptionsOf(math.NaN())}
	mend := []func(){
		func() { in.Enabled = true },
		func() { in.CapabilityEnabled = true },
		func() { in.Destination = good.Destination },
		func() { in.Provider = good.Provider },
		func() { in.Model = good.Model },
		func() { in.ModelRevision = good.ModelRevision },
		func() { in.RuntimeID = good.RuntimeID },
		func() { in.RuntimeRevision = good.RuntimeRevision },
		func() { in.CapabilityVersion = good.CapabilityVersion },
		func() { in.PrivacyPolicyVersion = good.PrivacyPolicyVersion },
		func() { in.PromptPrefix = good.PromptPrefix },
		func() { in.PrefixTokenCount = 0 },
		func() { in.SystemOptions = good.SystemOptions },
	}
	for i, want := range Refusals() {
		if _, got := Eligible(in); got != want {
			t.Fatalf("refusal %d: %q, want %q", i, got, want)
		}
		mend[i]()
	}
	if _, got := Eligible(in); got != "" || len(mend) != len(Refusals()) {
		t.Errorf("with all mended: %q", got)
	}
}

type named string

func TestOptionsThatAreNotPlain(t *testing.T) {
	cycle := object{}
	cycle["self"] = cycle
	ring := make(list, 2)
	ring[0], ring[1] = ring, ring
	var deep, fits any = "x", "x"
	for range 201 {
		deep = list{deep}
	}
	for range 200 {
		fits = list{fits}
	}
	var bomb any = "x"
	for range 60 {
		bomb = list{bomb, bomb}
	}
	text := "x"
	for name, v := range map[string]any{
		"not a number": math.NaN(), "infinite": math.Inf(-1), "infinite float32": float32(math.Inf(1)), "complex": 1i,
		"function": func() {}, "channel": make(chan int), "bytes": []byte("x"), "time": time.Unix(0, 0), "struct": struct{}{},
		"pointer": &text, "named string": named("x"), "typed list": []string{"x"}, "typed map": map[string]string{"a": "x"},
		"map with other keys": map[any]any{"a": 1}, "cycle": cycle, "ring": ring, "201 levels": deep, "2^60 values": bomb,
		"text that is not UTF-8": "\xff", "name that is not UTF-8": object{"\xff": 1}, "inside": object{"a": list{1, func() {}}},
		"4 MiB": strings.Repeat("x", maxOptionBytes+1), "options in options": OptionsOf(nil),
	} {
		for _, edit := range []func(*Input){
			func(in *Input) { in.SystemOptions = OptionsOf(v) },
			func(in *Input) { in.ToolOptions = OptionsOf(v) },
		} {
			in := baseline()
			edit(&in)
			if key, got := Eligible(in); got != InvalidOptions || key != (history.LocalKVKey{}) {
				t.Errorf("%s: refusal %q, key %+v", name, got, key)
			}
		}
	}
	in := baseline()
	in.SystemOptions = OptionsOf(fits)
	if _, got := Eligible(in); got != "" {
		t.Errorf("200 levels: %q", got)
	}
}

func BenchmarkEligible(b *testing.B) {
	tools := list{}
	for range 50 {
		tools = append(tools, object{"name": "read", "description": strings.Repeat("words ", 20), "parameters": object{"type": "object", "required": list{"path"}}})
	}
	for name, size := range map[string]int{"prefix=1KiB": 1 << 10, "prefix=1MiB": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			in := baseline()
			in.PromptPrefix, in.ToolOptions = strings.Repeat("x", size), OptionsOf(tools)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, refusal := Eligible(in); refusal != "" {
					b.Fatal(refusal)
				}
			}
		})
	}
}
