package pimutants

import (
	"os"
	"slices"

	"github.com/adaptercheck/adaptercheck/adapters/pi"
	"github.com/adaptercheck/adaptercheck/conformance/check"
)

func branchMutants() []Mutant {
	return []Mutant{
		{ID: "pi-all-branches", Note: "reads the file from top to bottom, whatever branch an entry is on",
			Check: "history.canonical.messages", Code: "message-added", Subject: misread(straighten)},
		{ID: "pi-first-branch", Note: "follows the first way on at every fork",
			Check: "history.canonical.messages", Code: "message-missing", Subject: misread(firstWay)},
		{ID: "pi-whole-fork", Note: "puts abandoned messages below those that took their place",
			Check: "history.canonical.messages-rich", Code: "message-added", Subject: misread(func(lines []line) []line { return straighten(toBack(lines, "d0000001", "d0000002")) })},
		{ID: "pi-leaf-kept", Note: "stays at the leaf that the session had when it was opened",
			Check: "history.canonical.follows-source", Code: "append-unseen", Subject: staying()},
		{ID: "pi-leaf-before-last", Note: "takes the entry before the last one for the leaf",
			Check: "history.canonical.messages", Code: "message-missing", Subject: misread(func(lines []line) []line { return lines[:len(lines)-1] })},
		{ID: "pi-leaf-up", Note: "gives the branch from its leaf up",
			Check: "history.canonical.messages", Code: "message-order", Subject: misread(upward)},
		{ID: "pi-branch-cut", Note: "begins at the last label and not at the root",
			Check: "history.canonical.messages", Code: "message-missing", Subject: misread(fromLabel)},
	}
}

// straighten puts every entry below the one before it.
func straighten(lines []line) []line {
	last := ""
	for i, l := range lines {
		if l.entry != nil && !l.entry.header() {
			lines[i] = of(l.entry.below(last))
			last = l.entry.text("id")
		}
	}
	return lines
}

// firstWay leaves the entries that are reached by going on with the first child.
func firstWay(lines []line) []line {
	at, out := "", []line(nil)
	for _, l := range lines {
		switch {
		case l.entry == nil || l.entry.header():
			out = append(out, l)
		case l.entry.text("parentId") == at:
			out, at = append(out, l), l.entry.text("id")
		}
	}
	return out
}

// toBack moves entries behind all others but the last.
func toBack(lines []line, ids ...string) []line {
	var moved, out []line
	for _, l := range lines {
		if slices.Contains(ids, l.entry.text("id")) {
			moved = append(moved, l)
			continue
		}
		out = append(out, l)
	}
	return slices.Insert(out, len(out)-1, moved...)
}

// upward turns the branch of the last entry round; nothing else is left.
func upward(lines []line) []line {
	at := map[string]line{}
	for _, l := range lines[1:] {
		at[l.entry.text("id")] = l
	}
	out := lines[:1:1]
	for _, id := range wayUp(lines) {
		out = append(out, at[id])
	}
	return straighten(out)
}

// fromLabel makes a root of the label.
func fromLabel(lines []line) []line {
	for i, l := range lines {
		if l.entry.kind() == "label" {
			lines[i] = of(l.entry.below(""))
		}
	}
	return lines
}

// staying looks for the leaf once, when it is opened.
func staying() func() check.Subject {
	return opened(func(b built) func(o *pi.Options) {
		leaf := ""
		if data, err := os.ReadFile(b.path); err == nil {
			if lines := split(data); isSession(lines) {
				leaf = lines[len(lines)-1].entry.text("id")
			}
		}
		return func(o *pi.Options) { o.Leaf = leaf }
	})
}
