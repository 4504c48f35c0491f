package openclaw

// row is what the gateway says of a session.
func (r *Runtime) row(s *session) []byte { return r.rowOf(newObject().str("key", s.key), s).end() }

// rowOf adds to an event what it says of the session of the event: the whole row again,
// as its own members.
func (r *Runtime) rowOf(o *object, s *session) *object {
	if !r.version.modern {
		return o.num("updatedAt", s.updated).opt("sessionId", s.id).str("modelProvider", s.provider).str("model", s.model)
	}
	o.num("updatedAt", s.updated).opt("sessionId", s.id)
	for _, name := range []string{"createdActor", "owner"} {
		o.null(name)
	}
	o.raw("participants", []byte(`[{"identity":{"type":"observation","pluginId":null,"accountId":null,"senderKind":"unknown","id":"gateway-client"}}]`)).
		num("participantCount", 1).str("kind", "direct").str("visibility", "shared").str("chatType", "direct").flag("archived", false)
	for _, name := range []string{"archivedAt", "archivedBy", "archiveReason"} {
		o.null(name)
	}
	o.flag("pinned", false).null("pinnedAt").flag("unread", false)
	for _, name := range []string{"markedUnreadAt", "agentStatus", "observerDigest"} {
		o.null(name)
	}
	o.obj("activitySummary", newObject().str("state", "unavailable")).null("controlOwnerSessionKey").null("swarm")
	if s.permission == "" {
		o.null("permissionMode")
	} else {
		o.str("permissionMode", s.permission)
	}
	o.flag("permissionModePending", false).str("createdVia", "operator").num("createdAt", s.created)
	for _, name := range []string{"label", "autoLabel", "icon", "color", "channelAvatarUrl", "category", "boardPresentation", "displayName", "thinkingLevel"} {
		o.null(name)
	}
	o.flag("effectiveFastMode", false).str("effectiveFastModeSource", "default").num("fastAutoOnSeconds", 60).null("toolOverrides").
		flag("systemSent", true).flag("abortedLastRun", s.last != nil && s.last.status == statusAborted).null("restartRecoveryStatus")
	if s.messages > 0 && s.in+s.out > 0 {
		o.num("inputTokens", s.in).num("outputTokens", s.out).num("totalTokens", s.in).any("estimatedCostUsd", s.cost)
	} else {
		o.num("totalTokens", 0)
	}
	o.flag("totalTokensFresh", true).null("goal").num("contextTokens", 128000).null("contextBudgetStatus").str("effectiveResponseUsage", "off").
		str("modelProvider", s.provider).str("model", s.model).str("activeModelProvider", s.provider).str("activeModel", s.model)
	if s.wish == "" {
		o.null("modelOverrideSource")
	} else {
		o.str("modelOverrideSource", "user")
	}
	o.raw("agentRuntime", []byte(`{"id":"openclaw","cloudPlacementSupported":true,"cloudPlacementExecutionMode":"worker-turn",`+
		`"devicePlacement":{"requiredNodeCommands":[],"consumesWorkerSlot":true},"devicePlacementSupported":true,"source":"implicit"}`)).
		flag("runtimeSelectionLocked", false)
	switch {
	case s.live != nil:
		o.str("status", "running").null("lastRunError").null("providerReview").null("lastRunId").flag("hasAutomation", false).
			num("startedAt", s.live.startedAt).null("endedAt").null("runtimeMs")
	case s.last != nil:
		o.str("status", "done").null("lastRunError").null("providerReview").str("lastRunId", s.last.voice.id).flag("hasAutomation", false).
			num("startedAt", s.last.startedAt).num("endedAt", s.last.endedAt).num("runtimeMs", s.last.endedAt-s.last.startedAt)
	}
	return o
}
