package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	contract "github.com/adaptercheck/adaptercheck/docs/contract"
)

func (sys system) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "explain CHECK",
		Short:             "Explain a check: what it asks, why, and how it fails",
		Example:           "  adaptercheck explain executor.events.seq-increasing",
		Args:              exactly("CHECK", "the id of one check, see adaptercheck list"),
		ValidArgsFunction: completeArgs(checkIDs),
		RunE: func(_ *cobra.Command, args []string) error {
			ch, found := conformance.Find(args[0])
			if !found {
				return unknown("check", args[0], checkIDs())
			}
			text, err := explain(ch)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(sys.stdout, text)
			return err
		},
	}
}

// provenance says what the words mean.
var provenance = map[string]string{
	string(check.Stated):  "a source of the contract says so",
	string(check.Implied): "a source of the contract means it",
	string(check.Decided): "decided by this project where the sources are silent or disagree",
}

// explain writes the page about one check.
func explain(ch check.Check) (string, error) {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	put("%s\n", ch.ID)
	put("What    The %s %s.", ch.Whose(), ch.Title)
	weight := "a breach fails the run"
	if ch.Level == check.Should {
		weight = "a breach is reported and does not fail the run"
	}
	put("Level   %s: %s", ch.Level, weight)
	put("From    %s: %s", ch.Provenance, provenance[string(ch.Provenance)])
	put("Case    %s", ch.Case)
	if len(ch.Needs) > 0 {
		put("Needs   %s", join(ch.Needs, ", "))
		put("        A subject that does not offer them leaves the check unobserved.")
	}
	clause, err := contract.Find(ch.Clause)
	if err != nil {
		return "", fmt.Errorf("explain %s: %w", ch.ID, err)
	}
	put("\nWhy     %s: %s\n\n%s", ch.Clause, clause.Title, indent(clause.Text))
	put("\nHow it fails")
	for _, code := range ch.Codes {
		put("  %s", code)
	}
	put("  %-*s  what the check needs as a basis did not hold", len(ch.AssertionFailed()), ch.AssertionFailed())
	put("  %-*s  a call panicked, or refused what it must be able to do", len(ch.AssertionFailed()), ch.Threw())
	put("  %-*s  a call gave no answer within its budget", len(ch.AssertionFailed()), ch.Hung())
	put("\nSee it  adaptercheck run SUBJECT --check %s -v", ch.ID)
	return b.String(), nil
}

func join[T ~string](words []T, separator string) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = string(w)
	}
	return strings.Join(parts, separator)
}

// indent sets a text off.
func indent(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "        " + l
		}
	}
	return strings.Join(lines, "\n")
}
