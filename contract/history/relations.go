package history

// use is one block that calls a tool or answers a call.
type use struct {
	message int    // index in the history
	id      int    // index in relations.tools
	name    string // of the tool
	result  bool
}

// tool is what is known about one tool call id.
type tool struct {
	id      string
	calls   int
	results int
	// firstCall is the index of the message with the first call, -1 if none.
	firstCall int
}

// complete reports whether there is exactly one call and at least one result.
func (t tool) complete() bool { return t.calls == 1 && t.results > 0 }

// relations are the tool uses of a history, in their order, with each id stored
// once.
type relations struct {
	uses  []use
	tools []tool
	byID  map[string]int
	// message that is being walked.
	message int
}

// relationsOf walks all blocks. Roles do not matter: any message may hold calls
// and results.
func relationsOf(messages []Message) *relations {
	// Counting first costs less than growing.
	calls, results := 0, 0
	for i := range messages {
		for _, b := range messages[i].Blocks {
			if b == nil {
				continue
			}
			switch b.Type() {
			case TypeToolCall:
				calls++
			case TypeToolResult:
				results++
			}
		}
	}
	r := &relations{
		uses:  make([]use, 0, calls+results),
		tools: make([]tool, 0, calls),
		byID:  make(map[string]int, calls),
	}
	for i := range messages {
		r.message = i
		for _, b := range messages[i].Blocks {
			if b != nil {
				b.Accept(r)
			}
		}
	}
	return r
}

func (r *relations) add(id, name string, result bool) {
	n, known := r.byID[id]
	if !known {
		n = len(r.tools)
		r.byID[id] = n
		r.tools = append(r.tools, tool{id: id, firstCall: -1})
	}
	t := &r.tools[n]
	if result {
		t.results++
	} else {
		if t.calls == 0 {
			t.firstCall = r.message
		}
		t.calls++
	}
	r.uses = append(r.uses, use{r.message, n, name, result})
}

// VisitToolCall notes a call.
func (r *relations) VisitToolCall(c ToolCall) { r.add(c.ID, c.Name, false) }

// VisitToolResult notes a result.
func (r *relations) VisitToolResult(t ToolResult) { r.add(t.ToolCallID, t.ToolName, true) }

// VisitText has no part in groups, like the blocks below.
func (*relations) VisitText(Text) {}

// VisitThinking does nothing.
func (*relations) VisitThinking(Thinking) {}

// VisitImage does nothing.
func (*relations) VisitImage(Image) {}

// VisitFileReference does nothing.
func (*relations) VisitFileReference(FileReference) {}

// VisitArtifactReference does nothing.
func (*relations) VisitArtifactReference(ArtifactReference) {}

// VisitSummaryReference does nothing.
func (*relations) VisitSummaryReference(SummaryReference) {}

// VisitOpaqueProvider does nothing.
func (*relations) VisitOpaqueProvider(OpaqueProvider) {}

// first calls f once for each id that has a call (or a result), in the order in
// which those appear.
func (r *relations) first(result bool, f func(tool)) {
	done := make([]bool, len(r.tools))
	for _, u := range r.uses {
		if u.result == result && !done[u.id] {
			done[u.id] = true
			f(r.tools[u.id])
		}
	}
}
