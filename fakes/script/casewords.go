package script

// caseWords are the steps that only cases have.
var caseWords = []word{
	{name: "host", doc: "What the host does: one of its own words.", of: hostWords},
	{name: "file", doc: "What is prepared or looked up in files: one of its own words.", of: fileWords},
	{name: "expect", doc: "What the runtime must have been given by now.",
		fields: []field{text("session"), text("resume"), text("cwd"), text("model"), text("msg"), typed(fieldTexts, "envAbsent"), typed(fieldTexts, "envPresent"),
			typed(fieldDuration, "stdinEnd"), oneWord("stdinEOL", []string{"lf"}), text("question"), oneWord("answer", []string{"allow", "deny", "cancel"}),
			typed(fieldTexts, "history")}},
}

// hostWords are the words under host.
var hostWords = []word{
	{name: "start", doc: "Start a run on a session.", scalar: "session",
		fields: []field{must(text("session")), text("msg"), typed(fieldInt, "size"), text("as"), text("model"), text("idem"), typed(fieldInt, "maxTurns"),
			typed(fieldInt, "attach"), typed(fieldTexts, "allow"), oneWord("approvals", []string{"none"}), text("mode"), text("declare"), text("helper")},
		atMostOne: []string{"msg", "size"}},
	{name: "abort", doc: "Abort a run.", scalar: "run", bare: true, fields: []field{text("run")}},
	{name: "setModel", doc: "Ask for another model.", scalar: "model", fields: []field{must(text("model")), text("run")}},
	{name: "approve", doc: "Answer an approval question.", fields: []field{must(text("id")), must(typed(fieldFlag, "allow"))}},
	{name: "resume", doc: "Resume a session from its codec's blob.", scalar: "session", fields: []field{must(text("session")), text("as")}},
	{name: "dispose", doc: "Dispose of the adapter.", bare: true},
	{name: "shutdown", doc: "Shut the adapter down, from several places at once if so told.", bare: true, fields: []field{typed(fieldInt, "parallel")}},
	{name: "restart", doc: "Go on in a new host process.", bare: true},
	{name: "kill", doc: "Go on in a new host process, the old one ended without cleanup.", bare: true},
	{name: "events", doc: "Begin to read a run's events, late if so told.", scalar: "run", bare: true,
		fields: []field{text("run"), oneWord("late", []string{"after-start", "after-end"})}},
	{name: "pause", doc: "Stop reading.", scalar: "run", bare: true, fields: []field{text("run")}},
	{name: "continue", doc: "Go on reading.", scalar: "run", bare: true, fields: []field{text("run")}},
	{name: "subscribe", doc: "Open a further observer.", scalar: "as", fields: []field{must(text("as")), text("run")}},
	{name: "reconnect", doc: "Open an observer again, after the event of that text.", scalar: "as", fields: []field{must(text("as")), text("after")}},
	{name: "wait", doc: "Let time pass, or wait for the bound or for idleness.", scalar: "for",
		fields: []field{typed(fieldDuration, "for"), oneWord("until", []string{"bound", "idle"})}, oneOf: []string{"for", "until"}},
	{name: "clock", doc: "Step the wall clock.", scalar: "by", fields: []field{must(typed(fieldShift, "by"))}},
	{name: "open", doc: "Open a session's history.", scalar: "session",
		fields: []field{must(text("session")), text("as"), text("root"), typed(fieldFlag, "create"), typed(fieldInt, "writers")}},
	{name: "append", doc: "Append a message to the history.", scalar: "text",
		fields: []field{oneWord("role", []string{"user", "assistant", "result"}), text("text"), typed(fieldCalls, "calls"), text("id"), text("out"), typed(fieldFlag, "err"),
			typed(fieldFlag, "synthetic"), text("echo"), text("by"), typed(fieldInt, "repeat"), typed(fieldInt, "size"), typed(fieldFlag, "parallel")}},
	{name: "snapshot", doc: "Take a snapshot of the history.", scalar: "as", bare: true, fields: []field{text("as"), text("source")}},
	{name: "compact", doc: "Compact the history, cut where so told.", bare: true, fields: []field{text("id"), text("cut"), typed(fieldInt, "keep")}},
	{name: "rebuild", doc: "Rebuild the projection from the history.", bare: true},
	{name: "complete", doc: "Complete a turn through the transport, which fails if so told.", bare: true, fields: []field{text("messages"), text("error")}},
	{name: "root", doc: "Ask for the root of the session.", bare: true},
	{name: "list", doc: "List the sessions.", scalar: "root", bare: true,
		fields: []field{text("root"), oneWord("fs", []string{"case-sensitive", "case-insensitive"})}},
	{name: "caps", doc: "From here on the runtime declares these capabilities.", fields: []field{typed(fieldTexts, "has"), typed(fieldTexts, "lacks")}},
	{name: "capabilities", doc: "Ask for the capabilities.", bare: true},
	{name: "diagnostics", doc: "Ask for the diagnostics.", bare: true},
	{name: "env", doc: "Set variables of the host's environment.", fields: []field{must(typed(fieldTextMap, "vars"))}},
	{name: "cwd", doc: "Go to a directory.", scalar: "path", fields: []field{must(text("path"))}},
	{name: "umask", doc: "Set the permissions that new files do not get.", scalar: "mode", fields: []field{must(typed(fieldMode, "mode"))}},
	{name: "mkdir", doc: "Make a directory and those above it.", scalar: "path", fields: []field{must(text("path"))}},
	{name: "link", doc: "Make a symbolic link.", fields: []field{must(text("path")), must(text("to"))}},
}

// fileWords are the words under file.
var fileWords = []word{
	{name: "write", doc: "Prepare a file: so many good lines, a record, bytes, a hole of NULs, a torn tail.",
		fields: []field{must(text("path")), typed(fieldInt, "lines"), text("record"), text("text"), typed(fieldBase64, "base64"), typed(fieldInt, "nul"), typed(fieldInt, "nulAfter"), text("tail")}},
	{name: "expect", doc: "A file, or any file below a directory, has these texts and not those.",
		fields: []field{text("path"), text("dir"), typed(fieldTexts, "has"), typed(fieldTexts, "no")}, oneOf: []string{"path", "dir"}},
	{name: "mode", doc: "A file or directory has these permissions.", scalar: "path", fields: []field{must(text("path")), typed(fieldMode, "is")}},
}

var doneWords = []string{"success", "max_turns", "aborted", "error"}

// expectWords are the words of the list expect, beside the steps.
var expectWords = []word{
	{name: "text", doc: "The whole text of a run.", scalar: "assistant", fields: []field{text("run"), text("assistant"), text("reasoning")},
		build: func(v values) any {
			return ExpectText{Run: get[string](v, "run"), Assistant: opt[string](v, "assistant"), Reasoning: opt[string](v, "reasoning")}
		}},
	{name: "done", doc: "How a run ends.", scalar: "reason", fields: []field{text("run"), must(oneWord("reason", doneWords))},
		build: func(v values) any {
			return ExpectDone{Run: get[string](v, "run"), Reason: get[string](v, "reason")}
		}},
}
