package openclaw

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// agent is one of the configuration.
type agent struct {
	id        string
	name      string
	workspace string
	files     map[string]file
}

// file is one that tells an agent what it is.
type file struct {
	content string
	updated int64
}

func (r *Runtime) agent(id string) *agent {
	i := slices.IndexFunc(r.agents, func(a *agent) bool { return a.id == id })
	if i < 0 {
		return nil
	}
	return r.agents[i]
}

// addAgent adds an agent to the configuration, with files of its own.
func (r *Runtime) addAgent(id, name string) *agent {
	a := &agent{id: id, name: name, workspace: workspace, files: map[string]file{}}
	if id != "main" {
		a.workspace += "-" + id
	}
	for _, f := range r.version.files {
		if f != "MEMORY.md" {
			a.files[f] = file{"# " + f + "\n", now()}
		}
	}
	r.agents = append(r.agents, a)
	return a
}

func rosterMethods() map[string]method {
	named := map[string]rule{"agentId": filled, "name": filled}
	set := map[string]rule{"agentId": filled, "name": filled, "content": isText, "expectedHash": nil}
	create := map[string]rule{"name": filled, "workspace": filled, "emoji": isText, "avatar": isText, "model": nil, "identity": nil}
	return map[string]method{
		"agents.list":       {scopeRead, shape{}, (*Runtime).listAgents},
		"agents.create":     {scopeAdmin, shape{required: []string{"name"}, members: create}, (*Runtime).createAgent},
		"agents.delete":     {scopeAdmin, shape{required: []string{"agentId"}, members: map[string]rule{"agentId": filled, "deleteFiles": isFlag}}, (*Runtime).deleteAgent},
		"agents.files.list": {scopeRead, shape{required: []string{"agentId"}, members: map[string]rule{"agentId": filled}}, (*Runtime).listFiles},
		"agents.files.get":  {scopeRead, shape{required: []string{"agentId", "name"}, members: named}, (*Runtime).getFile},
		"agents.files.set":  {scopeAdmin, shape{required: []string{"agentId", "name", "content"}, members: set}, (*Runtime).setFile},
	}
}

func (r *Runtime) listAgents(q *request) {
	var agents [][]byte
	for _, a := range r.agents {
		o := newObject().str("id", a.id).opt("name", a.name).str("workspace", a.workspace)
		if r.version.modern {
			o.flag("workspaceGit", true).
				raw("agentRuntime", []byte(`{"id":"auto","cloudPlacementSupported":false,"devicePlacementSupported":false,"source":"implicit"}`)).
				raw("thinkingLevels", []byte(`[{"id":"off","label":"off"}]`)).raw("thinkingOptions", []byte(`["off"]`)).str("thinkingDefault", "off")
		}
		o.obj("model", newObject().str("primary", defaultProvider+"/"+defaultModel))
		if r.version.modern {
			o.str("defaultPermissionMode", "full")
		}
		agents = append(agents, o.end())
	}
	o := newObject().str("defaultId", "main")
	if r.version.modern {
		o.str("ownership", "sole").flag("selectionRequired", false)
	}
	q.ok(o.str("mainKey", "main").str("scope", "per-sender").raw("agents", array(agents)))
}

// slug is the id of an agent with a name.
func slug(name string) string {
	var id strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_':
			id.WriteRune(c)
		case id.Len() > 0 && !strings.HasSuffix(id.String(), "-"):
			id.WriteByte('-')
		}
	}
	return strings.TrimSuffix(id.String(), "-")
}

func (r *Runtime) createAgent(q *request) {
	var p struct {
		Name      string `json:"name"`
		Workspace string `json:"workspace"`
	}
	read(q.params, &p)
	id := slug(p.Name)
	if id == "" {
		q.fail(invalid("agent name \"" + p.Name + "\" has no letters"))
		return
	}
	if r.agent(id) != nil {
		q.fail(invalid("agent \"" + id + "\" already exists"))
		return
	}
	a := r.addAgent(id, p.Name)
	if p.Workspace != "" {
		a.workspace = p.Workspace
	}
	q.ok(newObject().flag("ok", true).str("agentId", id).str("name", p.Name).str("workspace", a.workspace))
}

func (r *Runtime) deleteAgent(q *request) {
	a, found := r.named(q)
	switch {
	case !found:
	case a.id == "main":
		q.fail(invalid("agent \"main\" cannot be deleted"))
	default:
		r.agents = slices.DeleteFunc(r.agents, func(other *agent) bool { return other == a })
		q.ok(newObject().flag("ok", true).str("agentId", a.id).num("removedBindings", 0).raw("removed", []byte(`[]`)))
	}
}

// named finds the agent that a request is about, or refuses it.
func (r *Runtime) named(q *request) (*agent, bool) {
	var p struct {
		Agent string `json:"agentId"`
	}
	read(q.params, &p)
	a := r.agent(p.Agent)
	if a == nil {
		q.fail(invalid("agent \"" + p.Agent + "\" not found"))
	}
	return a, a != nil
}

// filed finds the agent and the file that a request is about, or refuses it.
func (r *Runtime) filed(q *request) (*agent, string, bool) {
	var p struct {
		Name string `json:"name"`
	}
	read(q.params, &p)
	if !slices.Contains(r.version.files, p.Name) {
		q.fail(invalid("unsupported file \"" + p.Name + "\""))
		return nil, "", false
	}
	a, found := r.named(q)
	return a, p.Name, found
}

func (f file) hash() string {
	sum := sha256.Sum256([]byte(f.content))
	return hex.EncodeToString(sum[:])
}

// describe says what a file is, with its content or without.
func (r *Runtime) describe(a *agent, name string, whole bool) *object {
	f, there := a.files[name]
	o := newObject().str("name", name).str("path", a.workspace+"/"+name).flag("missing", !there)
	if !there {
		if r.version.modern && name == "MEMORY.md" {
			o.flag("expectedAbsent", true)
		}
		return o
	}
	o.num("size", int64(len(f.content))).num("updatedAtMs", f.updated)
	if whole {
		if r.version.modern {
			o.str("hash", f.hash())
		}
		o.str("content", f.content)
	}
	return o
}

func (r *Runtime) listFiles(q *request) {
	a, found := r.named(q)
	if !found {
		return
	}
	var files [][]byte
	for _, name := range r.version.files {
		files = append(files, r.describe(a, name, false).end())
	}
	q.ok(newObject().str("agentId", a.id).str("workspace", a.workspace).raw("files", array(files)))
}

func (r *Runtime) getFile(q *request) {
	if a, name, found := r.filed(q); found {
		q.ok(newObject().str("agentId", a.id).str("workspace", a.workspace).obj("file", r.describe(a, name, true)))
	}
}

// setFile writes a file of an agent. The live runs of the agent see it as context.
func (r *Runtime) setFile(q *request) {
	a, name, found := r.filed(q)
	if !found {
		return
	}
	var p struct {
		Content string  `json:"content"`
		Hash    *string `json:"expectedHash"`
	}
	read(q.params, &p)
	if old, there := a.files[name]; r.version.modern && p.Hash != nil && (!there || old.hash() != *p.Hash) {
		f := invalid("agent file \"" + name + "\" changed since it was read")
		f.details = newObject().str("type", "agent_file_conflict").str("name", name)
		if there {
			f.details.str("currentHash", old.hash())
		}
		q.fail(f)
		return
	}
	a.files[name] = file{p.Content, now()}
	for _, s := range r.sessions {
		if s.agent == a.id {
			s.tell(fakes.Call{Method: fakes.MethodContext, Agent: a.id, Key: name, Value: p.Content})
		}
	}
	q.ok(newObject().flag("ok", true).str("agentId", a.id).str("workspace", a.workspace).obj("file", r.describe(a, name, true)))
}
