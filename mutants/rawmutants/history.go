package rawmutants

import (
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// recalling is a mutant of the history contract that tells lies.
func recalling(id, checkID string, code check.Code, note string, lies ...lie) Mutant {
	return Mutant{ID: "raw-history-" + id, Profile: report.History, Check: checkID, Code: code, Note: note, behaves: rewriting(lies...)}
}

// historyLies are about identity, capabilities and history.
func historyLies() []Mutant {
	const (
		names      = "history.identity.names-adapter"
		version    = "history.identity.contract-version"
		root       = "history.identity.trusted-root"
		model      = "history.identity.model"
		noModel    = "history.identity.no-model"
		declared   = "history.capabilities.declarations-complete"
		declarable = "history.capabilities.declaration-form"
		statuses   = "history.capabilities.statuses"
		lists      = "history.capabilities.lists-derive"
		messages   = "history.canonical.messages"
		reproduces = "history.rebuild.reproduces"
		severity   = "history.diagnostics.severity"
	)
	snapshot := func(id, note string, l lie) Mutant {
		return recalling(id, messages, "canonical-history-threw", note, l)
	}
	const asked = "history/snapshot"
	return []Mutant{
		recalling("name-number", names, "adapter-name-blank", "has a number for a name", in("instance/create", "identity.adapterName", `7`)),
		recalling("version-missing", version, "contract-version-wrong", "leaves out its contract's version", in("instance/create", "identity.contractVersion", missing)),
		recalling("identity-promise", names, "adapter-name-blank", "gives a promise of its identity", in("instance/create", "identity", promise)),
		recalling("root-list", root, "identity-threw", "gives a list of roots", in("history/root", "value", `["/"]`)),
		recalling("root-undefined", root, "identity-threw", "gives no root", in("history/root", "value", undefined)),
		recalling("model-text", model, "identity-threw", "gives the model's name for the model", in("history/model", "value", `"model-1"`)),
		recalling("window-text", model, "identity-threw", "gives the model's window as text", in("history/model", "value.contextWindow", `"200000"`)),
		recalling("model-empty", noModel, "model-invented", "gives an empty object for no model", in("history/model", "value", `{}`)),

		recalling("declarations-promise", declared, "declaration-missing", "gives a promise of its declarations", in("history/declarations", "value", promise)),
		recalling("declarations-object", declared, "declaration-missing", "gives its declarations by name", in("history/declarations", "value", `{"compaction":true}`)),
		recalling("supported-text", declarable, "declaration-undecided", "says yes in words", each("history/declarations", "value", "supported", `"yes"`)),
		recalling("declared-version-number", declarable, "declaration-version-invalid", "has a number for a version", each("history/declarations", "value", "version", `1`)),
		recalling("negotiation-promise", statuses, "status-missing", "gives a promise of what was settled", in("history/negotiate", "value", promise)),
		recalling("negotiation-throws", statuses, "status-missing", "gives what throws for what was settled", in("history/negotiate", "value", throws)),
		recalling("status-version-number", statuses, "status-missing", "has a number for a settled version", each("history/negotiate", "value.statuses", "version", `1`)),
		recalling("enabled-text", lists, "enabled-list-wrong", "gives what is enabled as text", in("history/negotiate", "value.enabled", `"all"`)),

		snapshot("snapshot-promise", "gives a promise of a promise of the history", in(asked, "value", promise)),
		snapshot("snapshot-null", "gives null for the history", in(asked, "value", `null`)),
		snapshot("revision-number", "numbers its revisions", in(asked, "value.revision", `12`)),
		snapshot("messages-missing", "leaves the messages out", in(asked, "value.messages", missing)),
		snapshot("messages-text", "gives the messages as text", in(asked, "value.messages", `"[]"`)),
		snapshot("groups-missing", "leaves the groups out", in(asked, "value.toolAtomicGroups", missing)),
		snapshot("groups-null", "gives null for no groups", in(asked, "value.toolAtomicGroups", `null`)),
		snapshot("content-text", "gives the content of a message as text", each(asked, "value.messages", "blocks", `"hello"`)),
		snapshot("provenance-missing", "leaves the provenance of a message out", each(asked, "value.messages", "provenance", missing)),
		snapshot("message-id-number", "numbers its messages", each(asked, "value.messages", "id", `1`)),
		snapshot("complete-text", "says in words whether a group is complete", each(asked, "value.toolAtomicGroups", "complete", `"yes"`)),
		recalling("rebuild-undefined", reproduces, "rebuild-refused", "rebuilds and gives nothing back", in("history/rebuild", "value", undefined)),
		recalling("diagnostics-text", severity, "fallback-assertion-failed", "gives its diagnostics as text", in("history/diagnostics", "value", `"none"`)),
		recalling("severity-number", severity, "diagnostic-severity-unknown", "has a number for a severity", each("history/diagnostics", "value", "severity", `1`)),
	}
}
