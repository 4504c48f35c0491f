package historytest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// mixed is a fixture with everything in it, cut to a format.
func mixed(format check.Format) check.Fixture {
	t := &T{C: &check.C{Subject: check.Subject{Format: format}, Rand: rand.New(rand.NewPCG(1, 2))}, used: map[string]bool{}}
	f := t.four("root", "dir")
	rich(t, &f)
	unknown(t, &f)
	parallel(t, &f)
	return f
}

func jsonOf(t *testing.T, f check.Fixture) []string {
	t.Helper()
	out := []string{}
	for _, m := range f.Messages {
		b, err := history.MarshalMessage(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

func TestFitOfEverything(t *testing.T) {
	f := mixed(check.Format{})
	before := jsonOf(t, f)
	fit(check.Format{}, &f)
	if diff := cmp.Diff(before, jsonOf(t, f)); diff != "" {
		t.Errorf("a format that holds everything changed the fixture (-before +after):\n%s", diff)
	}
}

func TestFit(t *testing.T) {
	format := check.Format{
		RuntimeID: "small", Source: history.PiSession, Roles: map[history.Role]string{history.Tool: "toolResult"},
		Blocks:    []history.BlockType{history.TypeText, history.TypeToolCall, history.TypeToolResult},
		OneResult: true, Converted: true,
	}
	f := mixed(format)
	whole := len(f.Messages)
	fit(format, &f)
	if f.RuntimeID != "small" {
		t.Errorf("runtime %q", f.RuntimeID)
	}
	if len(f.Messages) != whole+1 {
		t.Errorf("%d messages, want one more than %d: there is one with two results", len(f.Messages), whole)
	}
	for _, m := range f.Messages {
		results, tools := 0, false
		for _, b := range m.Blocks {
			if !slices.Contains(format.Blocks, b.Type()) {
				t.Errorf("%s: a block of type %s", m.ID, b.Type())
			}
			if b.Type() == history.TypeToolResult {
				results++
			}
			tools = tools || b.Type() != history.TypeText
		}
		if results > 1 {
			t.Errorf("%s: %d results", m.ID, results)
		}
		p := m.Provenance
		if p.Source != history.PiSession || p.RuntimeID.Present() || p.Extra != nil || m.TokenEstimate.Present() {
			t.Errorf("%s: provenance %+v, estimate %s", m.ID, p, m.TokenEstimate.Text())
		}
		if role := p.OriginalRole.Or(""); m.Role == history.Tool && role != "toolResult" || m.Role == history.User && role != "" {
			t.Errorf("%s: role %s is %q", m.ID, m.Role, role)
		}
		if got := marks(m.Flags); !slices.Equal(got, []bool{false, tools, false, false}) || m.Flags.Extra != nil {
			t.Errorf("%s: marks %v, tools %t", m.ID, got, tools)
		}
	}
	s := history.Snapshot{
		SchemaVersion: history.SchemaVersion, RuntimeID: f.RuntimeID, SessionID: f.SessionID, Revision: "r", ProjectRoot: f.Root,
		Messages: f.Messages, ToolAtomicGroups: history.AtomicGroups(f.Messages),
	}
	if issues := history.Validate(s); len(issues) > 0 {
		t.Errorf("the fixture is not valid: %v", issues)
	}
	if f.Messages[0].Extra == nil {
		t.Error("unknown fields of messages are lost")
	}
	// What is cut already fits.
	once := jsonOf(t, f)
	fit(format, &f)
	if diff := cmp.Diff(once, jsonOf(t, f)); diff != "" {
		t.Errorf("fitting twice changed the fixture (-once +twice):\n%s", diff)
	}
}

// Nothing that was said is lost where there is no block for it.
func TestInWords(t *testing.T) {
	for _, b := range []history.Block{
		history.Text{Text: "word"}, history.Thinking{Thinking: "word"}, history.ToolCall{Name: "x", Arguments: `"word"`},
		history.ToolResult{Content: "word"}, history.Image{Data: history.Some("word")}, history.FileReference{Path: "word"},
		history.ArtifactReference{ArtifactID: "word"}, history.SummaryReference{SummaryID: "word"}, history.OpaqueProvider{Value: `"word"`},
	} {
		if _, ok := found([]string{inWords(b)}, []string{"word"}); !ok {
			t.Errorf("%s: %q", b.Type(), inWords(b))
		}
	}
}

// What is above the bound is the end of a history.
func TestFitBounds(t *testing.T) {
	whole := jsonOf(t, mixed(check.Format{}))
	for _, most := range []int{0, 5, len(whole), len(whole) + 1} {
		format := check.Format{MaxMessages: most}
		f := mixed(format)
		fit(format, &f)
		want := whole
		if most > 0 {
			want = whole[:min(most, len(whole))]
		}
		if diff := cmp.Diff(want, jsonOf(t, f)); diff != "" {
			t.Errorf("at most %d (-want +got):\n%s", most, diff)
		}
	}
}
