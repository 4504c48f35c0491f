package claudecode

import (
	"strconv"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// renderer is one process of the CLI: it turns frames into lines, and keeps what the
// real process keeps.
type renderer struct {
	child.Deeds
	process *child.Process // nil in a trial
	version version
	inv     invocation
	ids     ids
	store   sessions
	things  inventory
	servers []mcpServer
	start   fakes.Call // how the run began

	session    string
	model      string // as the first line names it
	mode       string // of permissions
	keySource  string
	maxRetries int
	lines      int // said so far, for the clock

	earlier bill // by processes of the session that this one's totals leave out
	spent   bill // by the session otherwise
	since   bill // since the last result
	results int
	exit    int // exit code after the last result
	retries int

	turn     *turn
	message  *message
	messages map[string]string // ids of messages that frames name
	calls    map[string]*call
	order    []*call
	asked    []*question
	agents   []*subagent
	said     []object // lines of the other output formats

	input input
}

// turn is from a message of the user to the result.
type turn struct {
	from    userMessage
	begun   bool // its first line is out
	users   int  // user lines so far
	apis    int  // messages of the model so far
	used    tokens
	ids     []string // of messages whose start was told
	text    string   // the last message's
	stop    string   // the last message's stop reason
	spoke   bool
	denials []object
	last    *message // of the model
	data    string   // the answer as JSON text, where it was asked for as data
	stops   int      // messages that safeguards stopped
}

// call is a tool call.
type call struct {
	id, name string
	input    string // JSON text
	answered bool
	allowed  bool // by the client
	agent    *subagent
}

// question is a permission question that waits for its answer.
type question struct {
	id   string
	call *call // nil if it is about none
}

// newRenderer makes a process as argv and the environment want it.
func newRenderer(stage child.Stage, v version, inv invocation, ids ids, getenv func(string) string) *renderer {
	r := &renderer{Deeds: child.Deeds{Program: program(), Stage: stage}, version: v, inv: inv, ids: ids, things: inventoryOf(v),
		model: inv.model, mode: inv.mode, keySource: "none", maxRetries: 10, messages: map[string]string{}, calls: map[string]*call{}}
	if r.model == "" {
		r.model = v.model
	}
	if getenv("ANTHROPIC_API_KEY") != "" {
		r.keySource = "ANTHROPIC_API_KEY"
	}
	if n, err := strconv.Atoi(getenv("CLAUDE_CODE_MAX_RETRIES")); err == nil {
		r.maxRetries = n
	}
	if inv.asks() {
		r.things.tools = with(r.things.tools, askingTools)
	}
	if inv.shaped {
		r.things.tools = with(r.things.tools, shapedTools)
	}
	return r
}

// unplayable says what this wire has no form for.
func unplayable(what string, args ...any) error { return program().Unplayable(what, args...) }

// playable reports the first frame that the wire has no form for.
func playable(name string, frames []fakes.Frame) error {
	v, err := versionOf(name)
	if err != nil {
		return err
	}
	inv := invocation{output: streamJSON, input: "text", mode: "default", asker: "stdio", partial: true}
	r := newRenderer(child.Trial{}, v, inv, newIDs(0, 0), func(string) string { return "" })
	for i, f := range frames {
		if err := f.Accept(r); err != nil {
			return &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
		}
	}
	return nil
}

func otherRun(run string) error {
	if run != "" {
		return unplayable("a frame of another run")
	}
	return nil
}

// quiet reports whether frames say nothing now: the script said so, or its turn was
// cut short.
func (r *renderer) quiet() bool { return r.Muted || r.input.cutShort }

// say prints a line in the output format that was asked for.
func (r *renderer) say(o object) error {
	r.lines++
	switch {
	case r.inv.output == streamJSON:
	case r.inv.output == "json" && r.inv.verbose:
		r.said = append(r.said, o)
		return nil
	default:
		return nil // the result is all that is said
	}
	return r.frame(o)
}

func (r *renderer) frame(x any) error {
	line, err := r.version.line(x)
	if err != nil {
		return err
	}
	return r.Stage.Frame(line)
}

// conclude prints a result, and what the other formats have collected until then.
func (r *renderer) conclude(o object, text string) error {
	r.lines++
	switch r.inv.output {
	case streamJSON:
		return r.frame(o)
	case "json":
		if r.inv.verbose {
			r.said = append(r.said, o)
			return r.frame(r.said)
		}
		return r.frame(o)
	}
	return r.Stage.Raw([]byte(text + "\n"))
}

// clock is the time of the next line: it counts lines, so that nothing depends on when
// the fake plays.
func (r *renderer) clock() string {
	at := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.lines) * time.Millisecond)
	return at.Format("2006-01-02T15:04:05.000Z")
}

// tag ends a line with what all lines have.
func (r *renderer) tag(o object) object {
	o.add("session_id", r.session)
	o.add("uuid", r.ids.uuid())
	return o
}

func (r *renderer) system(subtype string, members ...member) error {
	return r.say(r.tag(append(object{{"type", "system"}, {"subtype", subtype}}, members...)))
}

// user prints a user line of content blocks.
func (r *renderer) user(content []object, members ...member) error {
	if r.turn != nil {
		r.turn.users++
	}
	return r.userOf(nil, content, members...)
}

// userOf prints a user line that a subagent gets, nil for the main one.
func (r *renderer) userOf(a *subagent, content []object, members ...member) error {
	o := object{{"type", "user"}, {"message", object{{"role", "user"}, {"content", content}}}, {"parent_tool_use_id", a.parent()}}
	o = r.tag(o)
	if r.version.shape >= v21197 {
		o.add("timestamp", r.clock())
	}
	return r.say(append(append(o, members...), r.version.of(a)...))
}

func textBlock(text string) object { return object{{"type", "text"}, {"text", text}} }

// goesOn takes over what the processes of the session before this one have spent.
func (r *renderer) goesOn(before bill) {
	if r.version.totalsResume {
		r.spent = before
	} else {
		r.earlier = before
	}
}

// save remembers what the session has spent.
func (r *renderer) save() error {
	if r.inv.forgets {
		return nil
	}
	return r.store.Save(r.session, r.earlier.plus(r.spent))
}

// toolNames splits what a list of tools was given: names apart by commas or spaces.
func toolNames(values []string) []string {
	var names []string
	for _, v := range values {
		names = append(names, strings.FieldsFunc(v, func(c rune) bool { return c == ',' || c == ' ' })...)
	}
	return names
}
