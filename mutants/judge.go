package mutants

import (
	"cmp"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// judge makes the matrix from what the jobs found. They come mutant by mutant, the
// check that must catch it first, and variant by variant, seed by seed.
func judge(profiles []profile, jobs []*job, o Options) Matrix {
	m := Matrix{
		Schema: Schema, Seed: o.Seed, Full: o.Full, Mutants: []Kill{}, Right: []Trial{}, Once: []report.Name{},
		Survivors: []report.Name{}, WrongCode: []report.Name{}, Unexercised: []report.Name{}, Accused: []Accusation{},
	}
	for _, j := range jobs {
		if j.mutant != nil {
			m.kills(j)
		} else {
			m.trials(j)
		}
	}
	exercised := map[report.Name]bool{}
	for _, k := range m.Mutants {
		switch {
		case k.Killed:
			exercised[k.Check] = true
		case k.State == report.Failed:
			m.WrongCode = append(m.WrongCode, k.ID)
		default:
			m.Survivors = append(m.Survivors, k.ID)
		}
	}
	for _, p := range profiles {
		for _, ch := range p.checks {
			id := report.Name(ch.ID)
			if !exercised[id] {
				m.Unexercised = append(m.Unexercised, id)
			}
			if o.once(ch, check.Subject{}) {
				m.Once = append(m.Once, id)
			}
		}
	}
	m.sort()
	return m
}

// kills adds what a job found out about its mutant.
func (m *Matrix) kills(j *job) {
	out := j.outcomes[0]
	if out.ID == j.mutant.Check {
		m.Mutants = append(m.Mutants, Kill{
			ID: report.Name(j.mutant.ID), Profile: j.mutant.Profile, Check: report.Name(out.ID), Code: report.Name(j.mutant.Code),
			Killed: out.State == report.Failed && slices.Contains(out.Codes, j.mutant.Code),
			State:  out.State, Codes: names(out.Codes), Seed: j.runner.Seed,
		})
		return
	}
	if out.State == report.Failed {
		k := &m.Mutants[len(m.Mutants)-1]
		k.Also = append(k.Also, Catch{Check: report.Name(out.ID), Codes: names(out.Codes)})
	}
}

// trials adds what a job found out about its right adapter under one seed.
func (m *Matrix) trials(j *job) {
	id, p := report.Name(j.variant.ID), j.variant.Profile
	if n := len(m.Right); n == 0 || m.Right[n-1].ID != id {
		m.Right = append(m.Right, Trial{ID: id, Profile: p, Seed: j.runner.Seed})
	}
	trial := &m.Right[len(m.Right)-1]
	trial.Seeds = int(j.runner.Seed-trial.Seed) + 1
	for i, out := range j.outcomes {
		level := j.checks[i].Level
		accused := out.State == report.Failed && level == report.Must || out.State == report.InconclusiveCheck
		known := slices.ContainsFunc(m.Accused, func(a Accusation) bool { return a.ID == id && string(a.Check) == out.ID })
		if accused && !known {
			m.Accused = append(m.Accused, Accusation{ID: id, Profile: p, Check: report.Name(out.ID), State: out.State, Codes: names(out.Codes), Seed: j.runner.Seed})
		}
	}
}

// sort puts every list in its order.
func (m *Matrix) sort() {
	byName := func(p, q report.Profile, id, jd report.Name) int {
		order := report.Profiles()
		return cmp.Or(cmp.Compare(slices.Index(order, p), slices.Index(order, q)), cmp.Compare(id, jd))
	}
	slices.SortFunc(m.Mutants, func(a, b Kill) int { return byName(a.Profile, b.Profile, a.ID, b.ID) })
	slices.SortFunc(m.Right, func(a, b Trial) int { return byName(a.Profile, b.Profile, a.ID, b.ID) })
	slices.SortFunc(m.Accused, func(a, b Accusation) int {
		return cmp.Or(byName(a.Profile, b.Profile, a.ID, b.ID), cmp.Compare(a.Check, b.Check))
	})
	for i := range m.Mutants {
		slices.SortFunc(m.Mutants[i].Also, func(a, b Catch) int { return cmp.Compare(a.Check, b.Check) })
	}
	slices.Sort(m.Once)
	slices.Sort(m.Survivors)
	slices.Sort(m.WrongCode)
	slices.Sort(m.Unexercised)
}

// names are codes as a document has them.
func names(codes []check.Code) []report.Name {
	out := make([]report.Name, len(codes))
	for i, c := range codes {
		out[i] = report.Name(c)
	}
	return out
}
