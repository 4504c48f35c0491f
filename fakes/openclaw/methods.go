package openclaw

import "maps"

// playedMethods are the methods that the fake plays.
func playedMethods() map[string]method {
	all := map[string]method{
		"health": {scopeRead, shape{members: map[string]rule{"probe": isFlag}}, (*Runtime).getHealth},
		"status": {scopeRead, shape{}, (*Runtime).getStatus},
	}
	for _, table := range []map[string]method{chatMethods(), agentMethods(), sessionMethods(), rosterMethods(), configMethods(), approvalMethods()} {
		maps.Copy(all, table)
	}
	return all
}

func (r *Runtime) getHealth(q *request) { q.ok(r.health()) }

func (r *Runtime) getStatus(q *request) {
	q.ok(newObject().str("runtimeVersion", r.version.name).raw("channelSummary", []byte(`[]`)).raw("queuedSystemEvents", []byte(`[]`)).
		obj("sessions", r.sessionCount("")))
}
