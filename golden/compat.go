package golden

import (
	"cmp"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/baseline"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/internal/config"
)

// Compat collects what the code says now.
func Compat() Document {
	return Document{
		Schema:   Schema,
		Versions: versions(),
		Executor: Executor{Events: events(), Errors: executor.ErrorCodes(), Details: executor.DetailCodes()},
		History:  historyForm(),
		Suite:    suite(),
	}
}

func versions() []Version {
	return []Version{
		{"executor contract", executor.ContractVersion},
		{"history contract", history.ContractVersion},
		{"history schema", history.SchemaVersion},
		{"history conformance", history.ConformanceVersion},
		{"session file", history.SessionFormat},
		{"local kv eligibility", history.LocalKVEligibilityVersion},
		{"local kv port", history.LocalKVPortVersion},
		{"local kv diagnostics", history.LocalKVDiagnosticsVersion},
		{"embedding port", history.EmbeddingPortVersion},
		{"suite", check.SuiteVersion},
		{"report", report.Schema},
		{"catalog", report.CatalogSchema},
		{"script", script.Schema},
		{"subject protocol", remote.Version},
		{"configuration", config.Schema},
		{"baseline", baseline.Schema},
		{"compatibility", Schema},
	}
}

func historyForm() History {
	h := History{
		Capabilities: words(history.Capabilities()),
		Roles:        words(history.Roles()),
		Issues:       words(history.IssueCodes()),
		Advice:       words(history.AdviceCodes()),
	}
	h.Snapshot, h.Group = snapshotForm()
	h.Message, h.Blocks = messageForm()
	for _, c := range history.DiagnosticCodes() {
		h.Diagnostics = append(h.Diagnostics, Diagnostic{string(c), string(c.Severity())})
	}
	for _, c := range history.FallbackCodes() {
		h.Fallbacks = append(h.Fallbacks, Fallback{string(c), c.Retryable()})
	}
	return h
}

func suite() Suite {
	s := Suite{
		States: words(report.States()), CutReasons: words(report.CutReasons()),
		Features: words(fakes.AllFeatures()), Checks: []Check{},
	}
	for _, p := range report.Profiles() {
		s.Profiles = append(s.Profiles, Profile{string(p), words(check.Cases(p))})
	}
	for _, c := range conformance.Catalog().Checks {
		s.Checks = append(s.Checks, checkOf(c))
	}
	// Where a check stands in the catalog means nothing.
	slices.SortFunc(s.Checks, func(a, b Check) int { return cmp.Compare(a.ID, b.ID) })
	return s
}
