package history

// block reads one block. The type may stand anywhere among the members, so they
// are collected first.
func (r *reader) block() (Block, error) {
	r.fields = r.fields[:0]
	err := r.object(func(name string) error {
		value, err := r.any()
		r.fields = append(r.fields, Member{name, value})
		return err
	})
	if err != nil {
		return nil, err
	}
	f := &blockFields{reader: r}
	block := f.make(BlockType(f.str("type")))
	if f.err != nil {
		return nil, f.err
	}
	return block, nil
}

// blockFields takes members out of a block and keeps the first error.
type blockFields struct {
	reader *reader
	err    error
}

// make builds the block of a type from the members. What is not taken when it
// calls rest goes into Extra.
func (f *blockFields) make(kind BlockType) Block {
	switch kind {
	case TypeText:
		return Text{f.str("text"), f.rest()}
	case TypeThinking:
		return Thinking{f.str("thinking"), f.rest()}
	case TypeToolCall:
		arguments, _ := f.take("arguments")
		return ToolCall{f.str("id"), f.str("name"), arguments, f.rest()}
	case TypeToolResult:
		return ToolResult{f.str("toolCallId"), f.str("toolName"), f.str("content"), f.boolean("isError"), f.rest()}
	case TypeImage:
		return Image{f.optionalStr("mimeType"), f.optionalStr("data"), f.rest()}
	case TypeFileReference:
		return FileReference{f.str("path"), f.rest()}
	case TypeArtifactReference:
		return ArtifactReference{f.str("artifactId"), f.rest()}
	case TypeSummaryReference:
		return SummaryReference{f.str("summaryId"), f.rest()}
	case TypeOpaqueProvider:
		value, ok := f.take("value")
		if !ok {
			f.fail("value", ProblemMissing, "any JSON value")
		}
		original, _ := f.take("originalType")
		return OpaqueProvider{Optional[string]{original}, value, f.rest()}
	}
	f.fail("type", ProblemValue, "one of the nine block types")
	return nil
}

func (f *blockFields) fail(field string, p Problem, want string) {
	if f.err == nil {
		f.err = inside(f.reader.fail(p, want), field)
	}
}

// take removes a member by emptying its value, which no member that was read has.
func (f *blockFields) take(name string) (JSON, bool) {
	for i, m := range f.reader.fields {
		if m.Name == name && m.Value != "" {
			f.reader.fields[i].Value = ""
			return m.Value, true
		}
	}
	return "", false
}

func (f *blockFields) rest() Members {
	var extra Members
	for _, m := range f.reader.fields {
		if m.Value != "" {
			extra = append(extra, m)
		}
	}
	return extra
}

func (f *blockFields) str(name string) string {
	value, ok := f.take(name)
	switch {
	case !ok:
		f.fail(name, ProblemMissing, "a string")
	case value[0] != '"':
		f.fail(name, ProblemType, "a string")
	default:
		return unquote(string(value))
	}
	return ""
}

func (f *blockFields) optionalStr(name string) Optional[string] {
	value, ok := f.take(name)
	if ok && value[0] != '"' {
		f.fail(name, ProblemType, "a string")
	}
	return Optional[string]{value}
}

func (f *blockFields) boolean(name string) bool {
	value, ok := f.take(name)
	switch {
	case !ok:
		f.fail(name, ProblemMissing, "a boolean")
	case value != "true" && value != "false":
		f.fail(name, ProblemType, "a boolean")
	}
	return value == "true"
}
