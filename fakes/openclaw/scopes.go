package openclaw

import "slices"

// scope is what a method needs its client to be allowed.
type scope string

// The closed set of scopes that the fake's methods need.
const (
	scopeRead      scope = "operator.read"
	scopeWrite     scope = "operator.write"
	scopeAdmin     scope = "operator.admin"
	scopeApprovals scope = "operator.approvals"
)

// may reports whether a client has a scope: an admin has all, and who writes reads.
func (c *conn) may(s scope) bool {
	return c.scopes[string(s)] || c.scopes[string(scopeAdmin)] || s == scopeRead && c.scopes[string(scopeWrite)]
}

// missing refuses a request for want of a scope.
func (v version) missing(s scope) *failure {
	f := invalid("missing scope: " + string(s))
	if v.modern {
		f.code = forbidden
		f.details = newObject().str("code", "MISSING_SCOPE").str("missingScope", string(s)).list("requiredScopes", []string{string(s)})
	}
	return f
}

// method is one that the fake plays.
type method struct {
	scope scope
	shape shape
	run   func(*Runtime, *request)
}

// call carries out a request of a client that is known. The lock is held.
func (r *Runtime) call(q *request) {
	m, played := r.methods[q.method]
	switch {
	case !played && slices.Contains(r.methodNames(), q.method):
		q.fail(&failure{code: unavailable, message: q.method + " is not played by this fake"})
		return
	case !played:
		r.breach(BreachMethod)
		q.fail(invalid("unknown method: " + q.method))
		return
	case !q.conn.may(m.scope):
		r.breach(BreachScope)
		q.fail(r.version.missing(m.scope))
		return
	}
	if f := untargeted(q); f != nil {
		r.breach(BreachParams)
		q.fail(f)
		return
	}
	if problem := m.shape.problemOf(q.params); problem != "" {
		r.breach(BreachParams)
		q.fail(invalid("invalid " + q.method + " params: " + problem))
		return
	}
	m.run(r, q)
}

// targets names the member by which a method says which session it changes: that it is
// there is looked at before all else.
var targets = map[string]string{"chat.send": "sessionKey", "sessions.send": "key"}

func untargeted(q *request) *failure {
	member, changes := targets[q.method]
	if !changes {
		return nil
	}
	members, _ := membersOf("", q.params)
	if text(members[member]) != "" {
		return nil
	}
	f := invalid("session mutation target is unavailable")
	f.details = newObject().str("code", "SESSION_MUTATION_TARGET_REQUIRED").str("method", q.method)
	return f
}
