package history

// safeName is a name for an error: only names of the contract are shown, as any
// other is content.
func safeName(name string) string {
	if contractName([]byte(name)) != "" {
		return name
	}
	return "(unknown)"
}

// contractName returns a field name of messages or snapshots as a string that was
// there before, or nothing if the name is none of them.
func contractName(name []byte) string {
	switch string(name) {
	case "id":
		return "id"
	case "sourceEntryId":
		return "sourceEntryId"
	case "role":
		return "role"
	case "blocks":
		return "blocks"
	case "createdAt":
		return "createdAt"
	case "provider":
		return "provider"
	case "model":
		return "model"
	case "provenance":
		return "provenance"
	case "tokenEstimate":
		return "tokenEstimate"
	case "flags":
		return "flags"
	case "source":
		return "source"
	case "sessionId":
		return "sessionId"
	case "entryId":
		return "entryId"
	case "originalRole":
		return "originalRole"
	case "runtimeId":
		return "runtimeId"
	case "pinned":
		return "pinned"
	case "atomic":
		return "atomic"
	case "localOnly":
		return "localOnly"
	case "synthetic":
		return "synthetic"
	case "type":
		return "type"
	case "text":
		return "text"
	case "thinking":
		return "thinking"
	case "name":
		return "name"
	case "arguments":
		return "arguments"
	case "toolCallId":
		return "toolCallId"
	case "toolName":
		return "toolName"
	case "content":
		return "content"
	case "isError":
		return "isError"
	case "mimeType":
		return "mimeType"
	case "data":
		return "data"
	case "path":
		return "path"
	case "artifactId":
		return "artifactId"
	case "summaryId":
		return "summaryId"
	case "originalType":
		return "originalType"
	case "value":
		return "value"
	case "schemaVersion":
		return "schemaVersion"
	case "revision":
		return "revision"
	case "projectRoot":
		return "projectRoot"
	case "messages":
		return "messages"
	case "toolAtomicGroups":
		return "toolAtomicGroups"
	case "messageIds":
		return "messageIds"
	case "toolCallIds":
		return "toolCallIds"
	case "complete":
		return "complete"
	}
	return ""
}
