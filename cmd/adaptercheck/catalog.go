package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

func (sys system) listCommand() *cobra.Command {
	var selection selectionFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the checks",
		Long:  "List the checks by profile and topic, with what each of them asks of an adapter.",
		Example: `  adaptercheck list --profile history
  adaptercheck list --label-filter 'MUST && abort'
  adaptercheck list --json | jq '.checks|length'`,
		Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			if err := selection.validate(); err != nil {
				return err
			}
			catalog := selection.catalog()
			if asJSON {
				out, err := report.MarshalCatalog(catalog)
				if err != nil {
					return err
				}
				_, err = sys.stdout.Write(out)
				return err
			}
			return sys.list(catalog.Checks)
		},
	}
	selection.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the catalog as JSON, schema "+report.CatalogSchema)
	return cmd
}

// catalog describes the selected checks. The selection has been validated.
func (s *selectionFlags) catalog() report.Catalog {
	c := report.Catalog{Schema: report.CatalogSchema, Checks: []report.CatalogCheck{}}
	for _, p := range s.profile.profiles() {
		checks, err := s.Of(conformance.Checks(p))
		if err != nil {
			continue // nothing of this profile
		}
		for _, ch := range checks {
			c.Checks = append(c.Checks, ch.Catalog())
		}
	}
	return c
}

// list prints a table per profile, in the order of the catalogue.
func (sys system) list(checks []report.CatalogCheck) error {
	w := tabwriter.NewWriter(sys.stdout, 0, 0, 2, ' ', 0)
	for _, p := range report.Profiles() {
		var rows []report.CatalogCheck
		must := 0
		for _, ch := range checks {
			if ch.Profile == p {
				rows = append(rows, ch)
				if ch.Level == report.Must {
					must++
				}
			}
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s: %d checks, %d MUST, %d SHOULD\n", p, len(rows), must, len(rows)-must)
		topic := ""
		for _, ch := range rows {
			if t := topicOf(ch); t != topic {
				topic = t
				fmt.Fprintf(w, "\n  %s\n", topic)
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\n", ch.ID, ch.Level, ch.Title)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

func topicOf(c report.CatalogCheck) string {
	ch, _ := conformance.Find(string(c.ID))
	return ch.Topic()
}

// labelsOf lists the labels of checks: what a label filter can name.
func labelsOf(checks []report.CatalogCheck) []string {
	var labels []string
	for _, ch := range checks {
		labels = append(labels, string(ch.Profile), topicOf(ch), string(ch.Level), string(ch.Case), string(ch.ID))
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}
