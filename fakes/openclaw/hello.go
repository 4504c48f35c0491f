package openclaw

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"time"
)

// methodList is what 2026.9.6 says that it can do.
//
//go:embed methods-2026.9.6.txt
var methodList string

var (
	modernMethods = strings.Fields(methodList)
	modernEvents  = strings.Fields(`connect.challenge agent chat chat.metadata.changed models.snapshot ui.command
		session.approval session.message session.observer session.operation session.sharing session.sharing.evidence
		session.suggestion session.typing session.tool sessions.changed controlUi.sessionPullRequests.changed
		plugins.controlUi.changed presence tick talk.mode talk.event talk.voice.change shutdown gateway.suspension health
		heartbeat cron task task.suggestion node.pair.requested node.pair.resolved node.presence node.hostStats
		node.runnerInventory.changed node.invoke.cancel node.invoke.input node.invoke.request device.pair.changed
		device.pair.requested device.pair.resolved device.pair.setup.completed device.pair.setup.deliveryUncertain
		users.prefs.changed skills.changed plugins.changed plugins.install.progress voicewake.changed
		voicewake.routing.changed exec.approval.requested exec.approval.resolved question.requested question.resolved
		plugin.approval.requested plugin.approval.resolved openclaw.approval.requested openclaw.approval.resolved
		terminal.data terminal.exit update.available update.run.changed portal.changed progressCard.changed
		mentions.changed`)
	oldEvents = strings.Fields(`connect.challenge agent chat session.message session.tool sessions.changed presence tick
		talk.mode shutdown health heartbeat cron node.pair.requested node.pair.resolved node.invoke.request
		device.pair.requested device.pair.resolved voicewake.changed exec.approval.requested exec.approval.resolved
		update.available`)
	capabilities = strings.Fields(`board-widget-put-canvas-doc chat-send-routing-contract gateway-restart-target-safe-v1
		model-catalog-snapshot node-worker-bundle-retention-v1 node-worker-bundle-status-v1
		node-worker-captured-exec-policy node-worker-environment-session-v1 node-worker-portal-stream-v1
		profile-binding-v1 published-model-catalog progress-card-agent-scope-v1 session-scoped-chat-metadata
		session-scoped-model-catalog session-unread-ack-contract session-goal-start-v1 session-settings-contract
		session-settings-cas-v1 openclaw-chat-wizard-cancel openclaw-setup-model-ref taskSuggestions.acceptModes`)
)

// methodNames lists what the gateway says that it can do. Of older versions only what
// the fake plays is known.
func (r *Runtime) methodNames() []string {
	if r.version.modern {
		return modernMethods
	}
	return slices.Sorted(maps.Keys(r.methods))
}

// hello is the answer to a client that is let in.
func (r *Runtime) hello(c *conn, who *introduction) *object {
	features := newObject().list("methods", r.methodNames())
	server := newObject().str("version", r.version.name)
	policy := newObject().num("maxPayload", maxPayload).num("maxBufferedBytes", int64(r.buffer)).num("tickIntervalMs", r.tickMillis())
	if r.version.modern {
		features.list("events", modernEvents).list("capabilities", capabilities)
		server.str("buildId", "2026.9.6-release-eb377ac59e6c-2026-09-23T16-33-12.144Z").str("bootId", r.bootID).str("controlUiBuildSource", "bundled")
		policy.obj("attachments", newObject().num("maxBytes", 19464192).num("maxImageBytes", 6291456)).
			list("allowedSessionVisibilities", []string{"shared", "read-only", "suggest", "draft"}).
			flag("hasMultipleSessionSharingIdentities", false)
	} else {
		features.list("events", oldEvents)
	}
	hello := newObject().str("type", "hello-ok").num("protocol", int64(r.version.protocol)).
		obj("server", server.str("connId", c.id)).obj("features", features).obj("snapshot", r.snapshot(c))
	if r.version.modern {
		widgets := `[`
		if c.may(scopeAdmin) {
			widgets += `{"pluginId":"browser","kind":"browser:dashboard","label":"Browser"},`
		}
		hello.raw("controlUiWidgetKinds", []byte(widgets+`{"pluginId":"session","kind":"session:report","label":"Report"},`+
			`{"pluginId":"session","kind":"session:progress","label":"Session progress"},`+
			`{"pluginId":"session","kind":"session:website","label":"Website"}]`)).
			raw("controlUiLinkReaders", []byte(`[]`)).
			obj("pluginSurfaceUrls", newObject().str("canvas", "http://"+r.listener.Addr().String()+"/__openclaw__/cap/"+c.id))
	}
	return hello.obj("auth", r.grant(who)).obj("policy", policy)
}

func (r *Runtime) tickMillis() int64 {
	if r.options.Tick > 0 {
		return r.options.Tick.Milliseconds()
	}
	return tickInterval.Milliseconds()
}

// grant says what a client may do.
func (r *Runtime) grant(who *introduction) *object {
	auth := newObject()
	if r.version.modern {
		auth.str("method", "token")
	}
	scopes := who.Scopes
	var token string
	told := false
	if who.Device != nil {
		before := r.paired[who.Device.ID].scopes
		token, told = r.pair(who)
		if !r.version.modern && len(before) > len(scopes) {
			scopes = before // it says what the device was once allowed, and holds to what was asked
		}
	}
	auth.str("role", who.Role).list("scopes", append([]string{}, scopes...))
	if r.version.modern {
		auth.str("recoveryScope", r.ids.token())
		if told {
			auth.flag("recoveryMigrationAllowed", true)
		}
	}
	if told {
		auth.str("deviceToken", token).num("issuedAtMs", now())
	}
	return auth
}

// snapshot is the state of the gateway, as far as it is the client's affair.
func (r *Runtime) snapshot(c *conn) *object {
	presence := newObject().str("host", "testhost").str("ip", "192.0.2.1").str("version", r.version.name).str("platform", "linux 6.1.0").
		str("deviceFamily", "Linux").str("mode", "gateway").str("reason", "self").str("instanceId", r.instance).
		str("text", "Gateway: testhost (192.0.2.1) · app "+r.version.name+" · mode gateway · reason self").num("ts", now())
	s := newObject()
	if r.version.modern {
		s.obj("suspension", newObject().str("phase", "accepting"))
	}
	s.raw("presence", array([][]byte{presence.end()})).obj("health", r.health()).
		obj("stateVersion", newObject().num("presence", 1).num("health", 1)).num("uptimeMs", time.Since(r.started).Milliseconds())
	defaults := newObject().str("defaultAgentId", "main")
	if r.version.modern {
		s.str("appliedConfigHash", "hmac-sha256:v1:"+r.config.hash())
		defaults.flag("modelConfigured", true).str("ownership", "sole").flag("selectionRequired", false)
	}
	s.obj("sessionDefaults", defaults.str("mainKey", "main").str("mainSessionKey", "agent:main:main").str("scope", "per-sender"))
	if r.version.modern {
		s.obj("updateSchedule", newObject().str("channel", "stable").flag("autoEnabled", false))
	}
	if !c.may(scopeAdmin) {
		return s
	}
	return s.str("configPath", home+"/openclaw.json").str("stateDir", home).str("authMode", "token")
}

// home is where the gateway says that its state is.
const home = "/srv/openclaw/.openclaw"

// health is what the gateway says of itself.
func (r *Runtime) health() *object {
	var agents [][]byte
	for _, a := range r.agents {
		agents = append(agents, newObject().str("agentId", a.id).flag("isDefault", a.id == "main").
			obj("sessions", r.sessionCount(a.id)).end())
	}
	return newObject().flag("ok", true).num("ts", now()).num("durationMs", 1).raw("channels", []byte(`{}`)).
		raw("channelOrder", []byte(`[]`)).raw("channelLabels", []byte(`{}`)).num("heartbeatSeconds", 1800).
		str("defaultAgentId", "main").raw("agents", array(agents)).obj("sessions", r.sessionCount(""))
}

// sessionCount counts the sessions of an agent, or of all.
func (r *Runtime) sessionCount(agent string) *object {
	n := 0
	for _, s := range r.sessions {
		if s.exists && (agent == "" || s.agent == agent) {
			n++
		}
	}
	return newObject().str("path", home+"/agents/main/agent/openclaw-agent.sqlite").num("count", int64(n)).raw("recent", []byte(`[]`))
}
