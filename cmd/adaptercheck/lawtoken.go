package main

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/property"
)

// lawToken is what brings a failure back: no part of it is content.
type lawToken struct {
	law    property.Law
	seed   uint64
	cases  int
	should bool
}

// String is the law, the level, the seed, the number of inputs, and the beginning of the
// digest of the suite that the law belongs to.
func (k lawToken) String() string {
	level := "must"
	if k.should {
		level = "should"
	}
	return fmt.Sprintf("%s.%s.%d.%d.%s", k.law.Name(), level, k.seed, k.cases, suiteMark(k.law.Profile()))
}

// suiteMark is the beginning of the digest of a profile's suite.
func suiteMark(p report.Profile) string { return check.Digest(conformance.Checks(p))[:8] }
