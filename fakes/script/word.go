package script

// word is one word of the language: what it means, its fields and what it builds.
type word struct {
	name string
	// doc says what the word means, in one sentence.
	doc string
	// scalar is the field that a plain value stands for; empty is none.
	scalar string
	// bare words may stand without fields.
	bare   bool
	fields []field
	// oneOf: exactly one of these fields is given.
	oneOf []string
	// atMostOne: these fields exclude each other.
	atMostOne []string
	// of are the words that stand under this one, in place of fields.
	of []word
	// build makes what the word stands for. A word without it stands for its fields.
	build func(values) any
}

type field struct {
	name     string
	is       fieldKind
	required bool
	words    []string // of a fieldWord
}

// fieldKind is the type of a field. The Go type of its value stands beside it.
type fieldKind int

const (
	fieldText     fieldKind = iota // string
	fieldNullable                  // string, or nil for null
	fieldWord                      // string, one of a closed set
	fieldFlag                      // bool
	fieldInt                       // int
	fieldCount                     // int64
	fieldAmount                    // float64
	fieldJSON                      // string: any value, as JSON text
	fieldObject                    // string: a map, as JSON text
	fieldJSONText                  // string: JSON text written out in a string
	fieldBase64                    // []byte
	fieldFile                      // beside: a file beside the script
	fieldTexts                     // []string
	fieldTextMap                   // map[string]string
	fieldDuration                  // time.Duration, from 0 up
	fieldShift                     // time.Duration of any sign
	fieldMode                      // fs.FileMode, permissions
	fieldCalls                     // []fakes.ToolCall
)

func text(name string) field                 { return field{name: name} }
func oneWord(name string, of []string) field { return field{name: name, is: fieldWord, words: of} }
func typed(is fieldKind, name string) field  { return field{name: name, is: is} }
func must(f field) field                     { f.required = true; return f }

// values are the fields that a step has, each of its kind's Go type.
type values map[string]any

func get[T any](v values, name string) T {
	x, _ := v[name].(T)
	return x
}

func opt[T any](v values, name string) *T {
	if x, ok := v[name].(T); ok {
		return &x
	}
	return nil
}

// text returns a string field, or the bytes that stand for it.
func (v values) text(name string) string {
	if raw, ok := v["base64"].([]byte); ok {
		return string(raw)
	}
	if f, ok := v["file"].(beside); ok {
		return string(f.data)
	}
	return get[string](v, name)
}

// beside is a file that lies beside a script.
type beside struct {
	name string
	data []byte
}

// json returns a JSON value under either of its two spellings.
func (v values) json(name string) string {
	if s, ok := v["json"].(string); ok {
		return s
	}
	return get[string](v, name)
}

func (w word) fieldNames() []string {
	names := []string{}
	for _, f := range w.fields {
		names = append(names, f.name)
	}
	return names
}

func (w word) field(name string) (field, bool) {
	for _, f := range w.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func find(name string, words []word) (word, bool) {
	for _, w := range words {
		if w.name == name {
			return w, true
		}
	}
	return word{}, false
}

// Word describes a word of the language.
type Word struct {
	// Under is where the word stands: "steps", "host", "file" or "expect".
	Under string
	// Name of the word, and what it means in one sentence.
	Name, Doc string
	// Fields that it takes, in their order.
	Fields []string
}

// Words lists the language: the words of fakes, in the order of the frames, then
// those of cases. "expect" is the list beside the steps.
func Words() []Word {
	var out []Word
	add := func(under string, words []word) {
		for _, w := range words {
			out = append(out, Word{under, w.name, w.doc, w.fieldNames()})
		}
	}
	add("steps", frameWords)
	add("steps", caseWords)
	add("host", hostWords)
	add("file", fileWords)
	add("expect", expectWords)
	return out
}
