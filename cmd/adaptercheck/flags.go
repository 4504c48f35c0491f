package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
)

// profileFlag is the value of --profile; empty is every profile.
type profileFlag report.Profile

func (p *profileFlag) String() string { return string(*p) }
func (p *profileFlag) Type() string   { return "PROFILE" }

func (p *profileFlag) Set(s string) error {
	var known []string
	for _, q := range report.Profiles() {
		if string(q) == s {
			*p = profileFlag(q)
			return nil
		}
		known = append(known, string(q))
	}
	return unknown("profile", s, known)
}

// profiles that the flag asks for.
func (p profileFlag) profiles() []report.Profile {
	if p == "" {
		return report.Profiles()
	}
	return []report.Profile{report.Profile(p)}
}

func addProfile(f *pflag.FlagSet, p *profileFlag) {
	f.Var(p, "profile", "only this profile: executor, history or host")
}

// seedFlag is the value of --seed. A seed that is not given is made up.
type seedFlag struct {
	value uint64
	given bool
}

func (s *seedFlag) String() string {
	if !s.given {
		return ""
	}
	return strconv.FormatUint(s.value, 10)
}
func (s *seedFlag) Type() string { return "N" }

func (s *seedFlag) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a whole number from 0 up", text)
	}
	s.value, s.given = n, true
	return nil
}

// seed returns the seed. One that is made up is short enough to be typed, and to
// survive a reader that takes JSON numbers for floating point.
func (s *seedFlag) seed() uint64 {
	if !s.given {
		s.value, s.given = uint64(rand.Uint32()), true
	}
	return s.value
}

// scaleFlag is the value of --timeout; 0 is not given.
type scaleFlag float64

func (s *scaleFlag) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*s), 'g', -1, 64)
}
func (s *scaleFlag) Type() string { return "SCALE" }

func (s *scaleFlag) Set(text string) error {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || f <= 0 || f > supervise.MaxTimeoutScale {
		return fmt.Errorf("%q is not a number above 0 and up to %d", text, supervise.MaxTimeoutScale)
	}
	*s = scaleFlag(f)
	return nil
}

// selectionFlags narrow the catalogue.
type selectionFlags struct {
	profile profileFlag
	conformance.Selection
}

func (s *selectionFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	addProfile(f, &s.profile)
	f.StringVar(&s.Match, "check", "", "only checks whose id matches `GLOB`, in which * stands for any text")
	f.StringVar(&s.LabelFilter, "label-filter", "", "only checks whose labels (profile, topic, level, case, id) match `EXPR`, in Ginkgo's filter language")
	complete(cmd, "profile", func() []string { return profileNames(report.Profiles()) })
	complete(cmd, "check", checkIDs)
}

// validate finds words in the selection that can match nothing, and a selection
// that matches no check of the profiles.
func (s *selectionFlags) validate() error {
	if err := s.knownLabels(); err != nil {
		return err
	}
	for _, p := range s.profile.profiles() {
		_, err := s.Of(conformance.Checks(p))
		if err == nil {
			return nil
		}
		if !errors.Is(err, conformance.ErrNothingSelected) {
			return err
		}
	}
	return s.nothing()
}

// complete offers words for a flag's value on TAB.
func complete(cmd *cobra.Command, flag string, words func() []string) {
	// The only error is about a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeArgs offers words for arguments on TAB.
func completeArgs(words func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	}
}

func profileNames(profiles []report.Profile) []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = string(p)
	}
	return names
}

func checkIDs() []string {
	var ids []string
	for _, ch := range conformance.Catalog().Checks {
		ids = append(ids, string(ch.ID))
	}
	return ids
}
