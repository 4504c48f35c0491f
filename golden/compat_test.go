package golden

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// line is a field in one line.
func line(f Field) string {
	s := f.Name + "("
	for i, t := range f.Types {
		if i > 0 {
			s += "|"
		}
		s += t
	}
	s += ")"
	if !f.Required {
		s += "?"
	}
	if len(f.Values) > 0 {
		s += fmt.Sprint(f.Values)
	}
	for _, inner := range f.Fields {
		s += " ." + line(inner)
	}
	return s
}

func lines(fields []Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, line(f))
	}
	return out
}

func shape(t *testing.T, shapes []Shape, kind string) []string {
	t.Helper()
	for _, s := range shapes {
		if s.Kind == kind {
			return lines(s.Fields)
		}
	}
	t.Fatalf("no %s", kind)
	return nil
}

var envelope = []string{"runId(string)", "sessionId(null|string)", "ts(integer)", "seq(integer)", "kind(string)"}

// The forms are found by asking the readers; these are some that are known.
func TestForms(t *testing.T) {
	d := Compat()
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"text-delta", shape(t, d.Executor.Events, "text-delta"), append(slices.Clone(envelope), "text(string)", "channel(string)?[assistant reasoning]")},
		{"tool-call", shape(t, d.Executor.Events, "tool-call"), append(slices.Clone(envelope), "toolCallId(string)", "name(string)", "input(any)", "partial(boolean)")},
		{"cost", shape(t, d.Executor.Events, "cost"), append(slices.Clone(envelope), "costUsd(null|number)",
			"usage(object) .inputTokens(integer) .outputTokens(integer) .cachedInputTokens(integer)?", "model(null|string)", "estimated(boolean)?")},
		{"done", shape(t, d.Executor.Events, "done"), append(slices.Clone(envelope), "reason(string)[success max_turns aborted error]", "summary(string)",
			"usage(object)? .inputTokens(integer) .outputTokens(integer) .cachedInputTokens(integer)?", "costUsd(null|number)?")},
		{"group", lines(d.History.Group), []string{"id(string)", "messageIds(array)", "toolCallIds(array)", "complete(boolean)"}},
		{"toolCall", shape(t, d.History.Blocks, "toolCall"), []string{"type(string)", "id(string)", "name(string)", "arguments(any)?"}},
		{"image", shape(t, d.History.Blocks, "image"), []string{"type(string)", "mimeType(string)?", "data(string)?"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Nothing that the code lists is left out.
func TestCompatIsWhole(t *testing.T) {
	d := Compat()
	if got, want := len(d.Executor.Events), len(executor.Kinds()); got != want {
		t.Errorf("%d kinds of event, want %d: samples lacks one", got, want)
	}
	if got, want := len(d.History.Blocks), len(history.BlockTypes()); got != want {
		t.Errorf("%d types of block, want %d: sampleBlocks lacks one", got, want)
	}
	if got, want := len(d.Suite.Checks), len(conformance.Catalog().Checks); got != want || want == 0 {
		t.Errorf("%d checks, want %d", got, want)
	}
	for _, v := range d.Versions {
		if v.Version == "" {
			t.Errorf("%s has no version", v.Of)
		}
	}
	for _, s := range slices.Concat(d.Executor.Events, d.History.Blocks) {
		if len(s.Fields) < 2 {
			t.Errorf("%s has %d fields", s.Kind, len(s.Fields))
		}
	}
}

// A sample with a field that is not set would hide the field.
func TestSamplesAreFull(t *testing.T) {
	full := func(name string, v reflect.Value) {
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Name != "Extra" && f.Name != "Blocks" && v.Field(i).IsZero() {
				t.Errorf("%s: field %s is not set", name, f.Name)
			}
		}
	}
	for _, e := range samples() {
		full(string(e.Kind()), reflect.ValueOf(e))
		full(string(e.Kind()), reflect.ValueOf(e.Head()))
	}
	for _, b := range sampleBlocks() {
		full(string(b.Type()), reflect.ValueOf(b))
	}
	m := sampleMessage()
	full("message", reflect.ValueOf(m))
	full("provenance", reflect.ValueOf(m.Provenance))
	full("flags", reflect.ValueOf(m.Flags))
}
