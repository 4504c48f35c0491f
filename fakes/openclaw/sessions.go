package openclaw

import (
	"cmp"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// session is one conversation.
type session struct {
	key      string // canonical, agent:AGENT:REST
	agent    string
	id       string // its transcript's
	revision string
	created  int64
	updated  int64
	exists   bool // it has a row of its own
	went     bool // a run of it has said something

	wish       string // the model that was asked for, as it was; empty is the default
	provider   string
	model      string
	permission string

	live    *Run
	waiting []*Run // that follow, in order
	steered []*Run // that went into the live one and have not ended

	rows     [][]byte // of the transcript
	messages int64
	in, out  int64
	cost     float64
	told     *usage // by the script, over all runs
	last     *Run   // that ended
}

// The model of a session without a wish.
const (
	defaultProvider = "fake"
	defaultModel    = "fake-model"
)

// canonical is the key that the gateway knows a session by.
func canonical(key string) (whole, agent string) {
	parts := strings.SplitN(key, ":", 3)
	if len(parts) == 3 && parts[0] == "agent" {
		return key, parts[1]
	}
	return "agent:main:" + key, "main"
}

// session finds a session, or makes one that has no row yet.
func (r *Runtime) session(key string) *session {
	whole, agent := canonical(key)
	s, known := r.sessions[whole]
	if !known {
		s = &session{key: whole, agent: agent, provider: defaultProvider, model: defaultModel}
		r.sessions[whole] = s
	}
	return s
}

// lasts gives a session a row.
func (r *Runtime) lasts(s *session) {
	s.updated = now()
	if s.exists {
		return
	}
	s.exists, s.created = true, s.updated
	s.id, s.revision = r.ids.uuid(), r.ids.uuid()
}

func sessionMethods() map[string]method {
	key := shape{required: []string{"key"}, members: map[string]rule{"key": filled}}
	patch := map[string]rule{"key": filled}
	for _, name := range strings.Fields(`model thinkingLevel verboseLevel reasoningLevel responseUsage elevatedLevel execHost
		execSecurity execAsk execNode sendPolicy groupActivation label spawnedBy spawnDepth permissionMode fastMode queueMode agentId`) {
		patch[name] = nil
	}
	patch["model"] = orNull(filled)
	abort := shape{members: map[string]rule{"key": isText, "runId": filled, "clearQueued": isFlag, "agentId": filled}}
	list := map[string]rule{"limit": isNumber}
	for _, name := range strings.Fields("offset activeMinutes includeGlobal includeUnknown includeDerivedTitles includeLastMessage label spawnedBy agentId search") {
		list[name] = nil
	}
	return map[string]method{
		"sessions.list":                 {scopeRead, shape{members: list}, (*Runtime).listSessions},
		"sessions.describe":             {scopeRead, key, (*Runtime).describeSession},
		"sessions.subscribe":            {scopeRead, shape{}, func(_ *Runtime, q *request) { subscribe(q, true) }},
		"sessions.unsubscribe":          {scopeRead, shape{}, func(_ *Runtime, q *request) { subscribe(q, false) }},
		"sessions.messages.subscribe":   {scopeRead, key, func(r *Runtime, q *request) { r.watch(q, true) }},
		"sessions.messages.unsubscribe": {scopeRead, key, func(r *Runtime, q *request) { r.watch(q, false) }},
		"sessions.patch":                {scopeAdmin, shape{required: []string{"key"}, members: patch}, (*Runtime).patchSession},
		"sessions.abort":                {scopeWrite, abort, (*Runtime).abortSession},
		"sessions.reset":                {scopeAdmin, shape{required: []string{"key"}, members: map[string]rule{"key": filled, "reason": isText}}, (*Runtime).resetSession},
		"sessions.delete":               {scopeAdmin, shape{required: []string{"key"}, members: map[string]rule{"key": filled, "deleteTranscript": isFlag}}, (*Runtime).deleteSession},
	}
}

func subscribe(q *request, on bool) {
	q.conn.lists = on
	q.ok(newObject().flag("subscribed", on))
}

// watch lets a client hear the messages of a session, or no more.
func (r *Runtime) watch(q *request, on bool) {
	var p struct {
		Key string `json:"key"`
	}
	read(q.params, &p)
	key, _ := canonical(p.Key)
	if on {
		q.conn.watches[key] = true
	} else {
		delete(q.conn.watches, key)
	}
	r.wake()
	q.ok(newObject().flag("subscribed", on).str("key", key))
}

// patch is the parameters of sessions.patch that the fake looks at.
type patch struct {
	Key        string  `json:"key"`
	Model      *string `json:"model"`
	Thinking   string  `json:"thinkingLevel"`
	Security   *string `json:"execSecurity"`
	Ask        *string `json:"execAsk"`
	Permission *string `json:"permissionMode"`
}

// patchSession changes a session, which has a row from then on.
func (r *Runtime) patchSession(q *request) {
	var p patch
	read(q.params, &p)
	members, _ := membersOf("", q.params)
	_, wished := members["model"]
	if _, agent := canonical(p.Key); r.agent(agent) == nil {
		q.fail(&failure{code: unavailable, message: "Session patch failed unexpectedly. Retry the request.", retryable: true})
		return
	}
	s := r.session(p.Key)
	if f := r.unpatchable(s, p); f != nil {
		q.fail(f)
		return
	}
	r.lasts(s)
	if wished {
		s.wish, s.provider, s.model = "", defaultProvider, defaultModel
		if p.Model != nil {
			s.wish = *p.Model
			s.provider, s.model = route(*p.Model)
		}
		s.tell(fakes.Call{Method: fakes.MethodSetModel, Session: s.view(p.Key), Model: s.wish})
	}
	if p.Permission != nil {
		s.permission = *p.Permission
	}
	r.broadcast("sessions.changed", r.rowOf(newObject().str("sessionKey", s.key).str("agentId", s.agent).str("reason", "patch").num("ts", now()), s), listers)
	entry := newObject().str("sessionId", s.id).str("lifecycleRevision", s.revision).num("updatedAt", s.updated).str("createdVia", "operator").num("createdAt", s.created)
	switch {
	case s.wish != "":
		entry.str("providerOverride", s.provider).str("modelOverride", s.model).str("modelOverrideSource", "user").str("modelOverrideRouteResolution", "resolved")
	case wished:
		entry.str("modelOverrideSource", "default")
	}
	entry.opt("permissionMode", s.permission)
	resolved := newObject().str("modelProvider", s.provider).str("model", s.model).
		obj("agentRuntime", newObject().str("id", "openclaw").str("source", "implicit")).flag("runtimeSelectionLocked", false)
	if s.wish != "" {
		resolved.str("thinkingLevel", "off").raw("thinkingLevels", []byte(`[{"id":"off","label":"off"}]`))
	}
	q.ok(newObject().flag("ok", true).str("path", r.store(s.agent)).str("key", s.key).obj("entry", entry).obj("resolved", resolved))
}

// unpatchable says why a change is refused; nil is that it is not.
func (r *Runtime) unpatchable(s *session, p patch) *failure {
	if !r.version.modern {
		return nil
	}
	if p.Security != nil || p.Ask != nil {
		return invalid("execSecurity/execAsk are retired; set permissionMode (read-only|guarded|workspace|full) instead, or use /exec for this run only.")
	}
	if p.Thinking != "" && p.Thinking != "off" {
		return invalid("thinkingLevel \"" + p.Thinking + "\" is not supported for " + s.provider + "/" + s.model + " (use off)")
	}
	if p.Model != nil {
		known := providers
		if r.options.Providers != nil {
			known = r.options.Providers
		}
		if provider, _ := route(*p.Model); provider != defaultProvider && !slices.Contains(known, provider) {
			return invalid("Unknown provider \"" + provider + "\". Use /models to list providers.")
		}
	}
	return nil
}

// route splits a model into its provider and its name there.
func route(model string) (provider, name string) {
	if provider, name, found := strings.Cut(model, "/"); found {
		return provider, name
	}
	return defaultProvider, model
}

func (r *Runtime) store(agent string) string {
	return home + "/agents/" + agent + "/agent/openclaw-agent.sqlite"
}

// view is what the gateway calls the session that a client named: by its native id, once
// a run has said it.
func (s *session) view(key string) string {
	if s.went {
		return s.id
	}
	return key
}

// tell records something on the runs of a session that are not over.
func (s *session) tell(c fakes.Call) {
	if s.live != nil {
		s.live.record(c)
	}
	for _, run := range s.waiting {
		run.record(c)
	}
}

func (r *Runtime) listSessions(q *request) {
	p := struct {
		Limit int    `json:"limit"`
		Agent string `json:"agentId"`
	}{Limit: 100}
	read(q.params, &p)
	var all []*session
	for _, s := range r.sessions {
		if s.exists && (p.Agent == "" || s.agent == p.Agent) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *session) int {
		return cmp.Or(cmp.Compare(b.updated, a.updated), cmp.Compare(a.key, b.key))
	})
	total := len(all)
	if p.Limit > 0 && p.Limit < total {
		all = all[:p.Limit]
	}
	var rows [][]byte
	for _, s := range all {
		rows = append(rows, r.row(s))
	}
	path := "(multiple)"
	if p.Agent != "" {
		path = r.store(p.Agent)
	}
	list := newObject().num("ts", now()).str("path", path).num("count", int64(len(all))).num("totalCount", int64(total)).num("limitApplied", int64(p.Limit))
	if len(all) < total {
		list.num("nextOffset", int64(len(all)))
	} else {
		list.null("nextOffset")
	}
	q.ok(list.flag("hasMore", len(all) < total).raw("owners", []byte(`[]`)).obj("defaults", defaults()).raw("sessions", array(rows)))
}

// defaults is what sessions have that wish for nothing.
func defaults() *object {
	return newObject().str("modelProvider", defaultProvider).str("model", defaultModel).num("contextTokens", 128000)
}

func (r *Runtime) describeSession(q *request) {
	var p patch
	read(q.params, &p)
	key, _ := canonical(p.Key)
	s := r.sessions[key]
	if s == nil || !s.exists {
		q.ok(newObject().null("session"))
		return
	}
	q.ok(newObject().raw("session", r.row(s)))
}

// resetSession begins a session anew, under another native id.
func (r *Runtime) resetSession(q *request) {
	var p patch
	read(q.params, &p)
	s := r.session(p.Key)
	r.lasts(s)
	s.id, s.revision, s.went = r.ids.uuid(), r.ids.uuid(), false
	s.rows, s.messages, s.in, s.out, s.cost = nil, 0, 0, 0, 0
	entry := newObject().str("sessionId", s.id).str("lifecycleRevision", s.revision).num("updatedAt", s.updated).num("sessionStartedAt", s.updated).
		flag("systemSent", false).flag("abortedLastRun", false).str("createdVia", "operator").num("createdAt", s.created)
	q.ok(newObject().flag("ok", true).str("key", s.key).obj("entry", entry))
}

func (r *Runtime) deleteSession(q *request) {
	var p patch
	read(q.params, &p)
	key, _ := canonical(p.Key)
	s := r.sessions[key]
	gone := s != nil && s.exists && s.live == nil
	if gone {
		delete(r.sessions, key)
	}
	q.ok(newObject().flag("ok", true).str("key", key).flag("deleted", gone).raw("archived", []byte(`[]`)))
}
