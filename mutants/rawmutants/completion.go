package rawmutants

// completionLies are about privacy and completions.
func completionLies() []Mutant {
	const (
		output  = "history.completion.output"
		failure = "history.completion.transport-failure"
		again   = "history.completion.retryable"
		summary = "history.privacy.summary"
		reports = "history.privacy.reports"
		secrets = "history.privacy.secrets"
		counts  = "history.capabilities.local-kv-counters"
	)
	const asked, screened = "history/complete", "history/enforcePrivacy"
	return []Mutant{
		recalling("completion-promise", output, "not-completed", "gives a promise of a promise of an answer", in(asked, "value", promise)),
		recalling("status-missing", output, "not-completed", "leaves out how a completion ended", in(asked, "value.status", missing)),
		recalling("status-flag", output, "completion-rejected", "gives a flag for how a completion ended", in(asked, "value.status", `true`)),
		recalling("F14", output, "output-lost", "completes and gives no output", in(asked, "value.output", undefined)),
		recalling("output-promise", output, "output-changed", "gives a promise of the output", in(asked, "value.output", promise)),
		recalling("code-missing", failure, "fallback-code-wrong", "falls back and leaves out why", in(asked, "value.code", missing)),
		recalling("retryable-text", again, "completion-rejected", "says in words whether to ask again", in(asked, "value.retryable", `"yes"`)),
		recalling("summary-text", summary, "privacy-threw", "gives the summary of what was held back as text", in(asked, "value.privacy", `"clean"`)),
		recalling("summary-missing", summary, "privacy-summary-missing", "leaves out what was held back", in(asked, "value.privacy", missing)),
		recalling("privacy-promise", secrets, "privacy-threw", "gives a promise of a promise of what may be sent", in(screened, "value", promise)),
		recalling("payload-missing", secrets, "privacy-assertion-failed", "leaves out what may be sent", in(screened, "value.payload", missing)),
		recalling("blocked-text", reports, "privacy-threw", "counts in words", in(screened, "value.blockedBlocks", `"many"`)),
		recalling("changed-missing", reports, "change-unreported", "leaves out whether anything was changed", in(screened, "value.changed", missing)),
		recalling("E02", counts, "local-kv-version-wrong", "counts in text", in("history/localKvDiagnostics", "value.requests", `"1"`)),
	}
}
