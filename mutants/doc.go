// Package mutants proves that the suite bites, and that it bites no one else. It
// holds the wrong adapters of every profile, each with the check and the code that
// must catch it, and the right adapters that look unusual, which no check may
// accuse at MUST. [Run] tries them all and makes the kill matrix:
//
//	m, err := mutants.Run(ctx, mutants.Options{Profiles: []report.Profile{report.Executor}, Seed: 1})
//	if err != nil {
//		return err // interrupted
//	}
//	if !m.Conforms() {
//		fmt.Println(m.Survivors, m.WrongCode, m.Unexercised, m.Accused)
//	}
//
// A [Matrix] is metadata only, as a report is: names from closed lists, counts, no
// free text. [Marshal] writes it, and [SchemaJSON] says its form to other languages.
//
// The adapters themselves are in the packages below: one per profile, and one of
// subjects in a process of their own, which say what Go does not let them. The package
// imports those, conformance, fakes and the strict JSON writer.
package mutants
