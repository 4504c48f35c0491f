package history

import "slices"

// Validate lists what is wrong with a snapshot; a valid one gives nothing. The
// issues stand in the order of the tests: the snapshot's own fields, messages in
// the order of the history, calls, results, the given groups, and then the groups
// against those of [AtomicGroups]. Issues about calls are given once per id. The
// time is linear in the size of the snapshot, but for sorting inside groups
// (history#validation).
//
// It does not look at the ids and the order of groups, nor at the order of what
// they list, nor whether a result comes after its call: see [Advise].
func Validate(s Snapshot) []Issue {
	v := &validator{snapshot: s}
	v.header()
	v.messages()
	tools := relationsOf(s.Messages)
	v.tools(tools)
	v.groups(tools)
	return v.issues
}

type validator struct {
	snapshot Snapshot
	issues   []Issue
	// grouped holds every message id, and whether a group named it.
	grouped map[string]bool
}

func (v *validator) add(code IssueCode, message, call string) {
	v.issues = append(v.issues, Issue{code, message, call})
}

func (v *validator) header() {
	s := v.snapshot
	if s.SchemaVersion != SchemaVersion {
		v.add(IssueSchemaIncompatible, "", "")
	}
	if blank(s.RuntimeID) || blank(s.SessionID) || blank(s.Revision) {
		v.add(IssueIdentityInvalid, "", "")
	}
	if blank(s.ProjectRoot) {
		v.add(IssueRootMissing, "", "")
	}
}

func (v *validator) messages() {
	v.grouped = make(map[string]bool, len(v.snapshot.Messages))
	for i := range v.snapshot.Messages {
		m := &v.snapshot.Messages[i]
		if _, again := v.grouped[m.ID]; again {
			v.add(IssueMessageIDDuplicate, m.ID, "")
		} else if blank(m.ID) {
			v.add(IssueMessageIDMissing, m.ID, "")
		}
		v.grouped[m.ID] = false
		if !v.comesFrom(m) {
			v.add(IssueProvenanceInvalid, m.ID, "")
		}
	}
}

// comesFrom reports whether a message's provenance fits the snapshot. The runtime
// id counts for runtime sessions only.
func (v *validator) comesFrom(m *Message) bool {
	p := m.Provenance
	if p.Source == RuntimeSession {
		if id, ok := p.RuntimeID.Get(); !ok || id != v.snapshot.RuntimeID {
			return false
		}
	}
	return p.Source.known() && p.SessionID == v.snapshot.SessionID &&
		!blank(p.EntryID) && m.SourceEntryID == p.EntryID
}

func (v *validator) tools(r *relations) {
	r.first(false, func(t tool) {
		if blank(t.id) || t.calls != 1 {
			v.add(IssueCallIdentityInvalid, "", t.id)
		}
	})
	r.first(true, func(t tool) {
		if blank(t.id) || t.calls == 0 {
			v.add(IssueResultOrphaned, "", t.id)
		}
	})
}

func (v *validator) groups(r *relations) {
	owner, strangers := v.given(r)
	given := v.snapshot.ToolAtomicGroups
	compare := &comparer{given: given, digests: make([]digest, len(given))}
	for _, expected := range r.groups(v.snapshot.Messages) {
		compare.expect(expected)
		for _, id := range expected.ToolCallIDs {
			switch g := owner[r.byID[id]]; {
			case g < 0:
				v.add(IssueGroupMissing, "", id)
			case !compare.same(g):
				v.add(IssueGroupMismatch, "", id)
			}
		}
	}
	for _, id := range strangers {
		v.add(IssueGroupCallUnknown, "", id)
	}
}

// given checks the groups of the snapshot by themselves. It returns the last group
// that names each known call id, -1 for none, and the ids that no block has.
func (v *validator) given(r *relations) (owner []int, strangers []string) {
	owner = make([]int, len(r.tools))
	for i := range owner {
		owner[i] = -1
	}
	unknown := map[string]bool{}
	for g, group := range v.snapshot.ToolAtomicGroups {
		if blank(group.ID) || len(group.MessageIDs) == 0 || len(group.ToolCallIDs) == 0 {
			v.add(IssueGroupInvalid, "", "")
		}
		for _, id := range group.MessageIDs {
			switch named, exists := v.grouped[id]; {
			case !exists:
				v.add(IssueGroupMessageMissing, id, "")
			case named:
				v.add(IssueGroupMessageOverlap, id, "")
			default:
				v.grouped[id] = true
			}
		}
		for _, id := range group.ToolCallIDs {
			again := unknown[id]
			if n, known := r.byID[id]; known {
				again = owner[n] >= 0
				owner[n] = g
			} else if !again {
				unknown[id] = true
				strangers = append(strangers, id)
			}
			if again {
				v.add(IssueGroupCallOverlap, "", id)
			}
		}
	}
	return owner, strangers
}

// comparer holds an expected group against given ones, without doing the same work
// once per call id.
type comparer struct {
	given   []AtomicGroup
	digests []digest // of given; made when first needed

	expected AtomicGroup
	digest   digest
	first    int // the given group that was compared first, -1 while none
	verdict  bool
}

func (c *comparer) expect(g AtomicGroup) {
	c.expected, c.digest, c.first = g, digest{}, -1
}

// same reports whether a given group has the messages, in any order, and the
// completeness that are expected.
func (c *comparer) same(g int) bool {
	given := &c.given[g]
	if given.Complete != c.expected.Complete || len(given.MessageIDs) != len(c.expected.MessageIDs) {
		return false
	}
	if c.first < 0 {
		c.first = g
		c.verdict = slices.Equal(given.MessageIDs, c.expected.MessageIDs) || c.digestOf(g) == c.expectedDigest()
	}
	if c.first == g {
		return c.verdict
	}
	return c.digestOf(g) == c.expectedDigest()
}

func (c *comparer) digestOf(g int) digest {
	if c.digests[g] == (digest{}) {
		c.digests[g] = digestOf(c.given[g].MessageIDs)
	}
	return c.digests[g]
}

func (c *comparer) expectedDigest() digest {
	if c.digest == (digest{}) {
		c.digest = digestOf(c.expected.MessageIDs)
	}
	return c.digest
}
