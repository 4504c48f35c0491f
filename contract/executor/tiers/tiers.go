// Package tiers puts a prompt together so that its front stays the same from
// turn to turn and a provider's prompt cache keeps hitting: what never changes
// first, then what changes with the task, then what changes every turn.
//
//	p := tiers.Assemble(tiers.Tiers{Stable: role, Context: repo, Volatile: memory})
//
// It imports the standard library only.
package tiers

import "strings"

// Separator stands between two tiers.
const Separator = "\n\n"

// Tiers are the parts of a prompt, from the most to the least lasting. An empty
// one is skipped; one of white space only is not empty.
type Tiers struct {
	Stable   string
	Context  string
	Volatile string
}

// Label names the tier that ends at a breakpoint.
type Label string

// The closed set of labels.
const (
	Stable  Label = "stable"
	Context Label = "context"
)

// Breakpoint is a place where a prompt cache may end.
type Breakpoint struct {
	// Offset counts the bytes of the prompt's text before the breakpoint.
	Offset int   `json:"offset"`
	Label  Label `json:"label"`
}

// Prompt is an assembled prompt.
type Prompt struct {
	// Text is the whole prompt, valid UTF-8.
	Text string
	// StablePrefix is the front of Text without the volatile tier and without the
	// separator before it; empty if there is nothing but a volatile tier.
	StablePrefix string
	// StablePrefixBytes is the length of StablePrefix in bytes of UTF-8.
	StablePrefixBytes int
	// Breakpoints holds one for each lasting tier that is there, in order.
	Breakpoints []Breakpoint
}

// Assemble joins the tiers. A tier that is empty leaves no separator and no
// breakpoint behind (executor#pure-helpers). Bytes that are not UTF-8 become the
// replacement character, as they would on the way to the provider, so that the
// offsets hold there as well.
func Assemble(t Tiers) Prompt {
	var p Prompt
	for _, tier := range []struct {
		text  string
		label Label
	}{{t.Stable, Stable}, {t.Context, Context}} {
		if tier.text == "" {
			continue
		}
		p.StablePrefix = join(p.StablePrefix, tier.text)
		p.Breakpoints = append(p.Breakpoints, Breakpoint{Offset: len(p.StablePrefix), Label: tier.label})
	}
	p.StablePrefixBytes = len(p.StablePrefix)
	p.Text = join(p.StablePrefix, t.Volatile)
	return p
}

// join puts the separator between two texts if there are two. The first is
// already valid.
func join(front, back string) string {
	back = strings.ToValidUTF8(back, "\uFFFD")
	if front == "" || back == "" {
		return front + back
	}
	return front + Separator + back
}
