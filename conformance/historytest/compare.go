package historytest

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// ids lists the ids of messages in their order.
func ids(messages []history.Message) []string {
	out := make([]string, len(messages))
	for i, m := range messages {
		out[i] = m.ID
	}
	return out
}

func equalIDs(want, got []history.Message) bool { return slices.Equal(ids(want), ids(got)) }

// pair calls f for every message of the fixture that the snapshot has too; what is
// lost, added or in another order is the finding of another check, but a snapshot
// that shares no message with the fixture ends this one.
func (t *T) pair(got []history.Message, f func(want, got history.Message)) {
	byID := make(map[string]history.Message, len(got))
	for _, m := range got {
		byID[m.ID] = m
	}
	n := 0
	for _, want := range t.Fixture.Messages {
		if m, ok := byID[want.ID]; ok {
			n++
			f(want, m)
		}
	}
	t.require(n > 0, "the snapshot holds no message of the fixture")
}

// sameJSON compares two texts by what they say: order of members, white space and
// the way a number is written are free.
func sameJSON(a, b history.JSON) bool {
	if a == b {
		return true
	}
	x, y := jsontext.Value(a), jsontext.Value(b)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && string(x) == string(y)
}

// same compares two optional fields by value.
func same[V bool | float64 | string](a, b history.Optional[V]) bool {
	return a.Present() == b.Present() && sameJSON(a.Text(), b.Text())
}

// keeps reports whether every member of want is in got.
func keeps(want, got history.Members) bool {
	for _, m := range want {
		if v, ok := got.Get(m.Name); !ok || !sameJSON(m.Value, v) {
			return false
		}
	}
	return true
}

// blockJudge names what is wrong with got, given what it should be. Fields that
// the contract does not know are not looked at.
type blockJudge struct {
	got  history.Block
	code check.Code
}

// blockCodes are what a blockJudge can say.
var blockCodes = codes("block-type-changed", "text-changed", "thinking-changed", "tool-call-changed", "tool-arguments-changed",
	"tool-result-changed", "tool-error-flag-changed", "image-changed", "reference-changed", "opaque-changed")

// judge compares one block with what it should be; an empty code is none.
func judge(want, got history.Block) check.Code {
	j := &blockJudge{got: got}
	if got == nil || got.Type() != want.Type() {
		return "block-type-changed"
	}
	want.Accept(j)
	return j.code
}

func (j *blockJudge) unless(ok bool, code check.Code) {
	if !ok && j.code == "" {
		j.code = code
	}
}

// got has the same type as want when the visitor is called.
func as[B history.Block](j *blockJudge) B {
	b, ok := j.got.(B)
	j.unless(ok, "block-type-changed")
	return b
}

func (j *blockJudge) VisitText(want history.Text) {
	j.unless(as[history.Text](j).Text == want.Text, "text-changed")
}

func (j *blockJudge) VisitThinking(want history.Thinking) {
	j.unless(as[history.Thinking](j).Thinking == want.Thinking, "thinking-changed")
}

func (j *blockJudge) VisitToolCall(want history.ToolCall) {
	got := as[history.ToolCall](j)
	j.unless(got.ID == want.ID && got.Name == want.Name, "tool-call-changed")
	j.unless(sameJSON(got.Arguments, want.Arguments), "tool-arguments-changed")
}

func (j *blockJudge) VisitToolResult(want history.ToolResult) {
	got := as[history.ToolResult](j)
	j.unless(got.ToolCallID == want.ToolCallID && got.ToolName == want.ToolName && got.Content == want.Content, "tool-result-changed")
	j.unless(got.IsError == want.IsError, "tool-error-flag-changed")
}

func (j *blockJudge) VisitImage(want history.Image) {
	got := as[history.Image](j)
	j.unless(same(got.MimeType, want.MimeType) && same(got.Data, want.Data), "image-changed")
}

func (j *blockJudge) VisitFileReference(want history.FileReference) {
	j.unless(as[history.FileReference](j).Path == want.Path, "reference-changed")
}

func (j *blockJudge) VisitArtifactReference(want history.ArtifactReference) {
	j.unless(as[history.ArtifactReference](j).ArtifactID == want.ArtifactID, "reference-changed")
}

func (j *blockJudge) VisitSummaryReference(want history.SummaryReference) {
	j.unless(as[history.SummaryReference](j).SummaryID == want.SummaryID, "reference-changed")
}

func (j *blockJudge) VisitOpaqueProvider(want history.OpaqueProvider) {
	got := as[history.OpaqueProvider](j)
	j.unless(same(got.OriginalType, want.OriginalType) && sameJSON(got.Value, want.Value), "opaque-changed")
}

// sameContent reports whether two lists of messages say the same, in the same
// order.
func sameContent(want, got []history.Message) bool {
	if !equalIDs(want, got) {
		return false
	}
	for i, w := range want {
		g := got[i]
		if w.Role != g.Role || len(w.Blocks) != len(g.Blocks) || w.SourceEntryID != g.SourceEntryID ||
			w.Provenance.EntryID != g.Provenance.EntryID || w.Provenance.SessionID != g.Provenance.SessionID {
			return false
		}
		for k, b := range w.Blocks {
			if judge(b, g.Blocks[k]) != "" {
				return false
			}
		}
	}
	return true
}

// sameGroups compares groups as a set by everything that is in them.
func sameGroups(a, b []history.AtomicGroup) bool {
	key := func(g history.AtomicGroup) string {
		complete := "open"
		if g.Complete {
			complete = "complete"
		}
		return strings.Join([]string{g.ID, complete, strings.Join(g.MessageIDs, "\x01"), strings.Join(g.ToolCallIDs, "\x01")}, "\x00")
	}
	keys := func(groups []history.AtomicGroup) []string {
		out := []string{}
		for _, g := range groups {
			out = append(out, key(g))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(keys(a), keys(b))
}

// blank reports whether nothing can be seen of a string.
func blank(s string) bool { return strings.Trim(s, " \t\r\n\v\f\u00a0\ufeff") == "" }
