package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/adaptercheck/adaptercheck/adapters/native/files"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

// ToolsOptions says what the server of tools works with.
type ToolsOptions struct {
	Store *store.Store
	Run   Run
	// Dir is the working directory, in which delete_path deletes; empty is none.
	Dir string
	// Approve is asked before a call that deletes or that reaches outside. Nil is
	// nobody, and such calls are denied.
	Approve Approve
	// ApprovalTime is how long an answer may take before the call is denied; 0 is two
	// minutes.
	ApprovalTime time.Duration
	// Env resolves a variable, as [SearchKey]; nil knows none.
	Env func(name string) string
	// SearchURL stands for the address of the search provider.
	SearchURL string
	// HTTPClient reaches it; nil is one of the server's own.
	HTTPClient *http.Client
}

type (
	echoArgs struct {
		Message string `json:"message"`
	}
	noteArgs struct {
		Note string `json:"note"`
	}
	pathArgs struct {
		Path string `json:"path" jsonschema:"Path relative to the workspace."`
	}
	searchArgs struct {
		Query string `json:"query"`
		Limit int    `json:"limit,omitempty" jsonschema:"How many results at most."`
	}
)

// NewTools is the server of tools that go through the broker: every call is one row of
// the store's audit, and one that deletes or reaches outside is asked for first. A tool
// that cannot be used here is not listed.
func NewTools(o ToolsOptions) *mcp.Server {
	if o.ApprovalTime <= 0 {
		o.ApprovalTime = approvalTime
	}
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	b, by := newBox("native-tools"), broker{o.Store, o.Run, o.Approve, o.ApprovalTime}
	brokered(b, by, "echo", "Say a message back. It has no effect.", policy{}, nil,
		func(_ context.Context, in echoArgs) (string, error) { return in.Message, nil })
	brokered(b, by, "note", "Write a short note into the audit log.", policy{}, notEmpty("note"),
		func(_ context.Context, in noteArgs) (string, error) { return "noted: " + in.Note, nil })
	brokered(b, by, "delete_path", "Delete a file or a directory of the workspace. Needs approval.", policy{
		why: "it deletes files",
		lacks: func() string {
			if o.Dir == "" {
				return "no working directory"
			}
			return ""
		},
	}, notEmpty("path"), func(_ context.Context, in pathArgs) (string, error) {
		return "deleted " + in.Path, files.Remove(o.Dir, in.Path)
	})
	if search := newSearch(o); search.lacks() == "" {
		brokered(b, by, "web_search", "Search the web. Needs approval.", policy{why: "it reaches outside", lacks: search.lacks}, func(p map[string]*jsonschema.Schema) {
			notEmpty("query")(p)
			between(p["limit"], 1, 20)
		}, search.do)
	}
	return b.Server
}

// notEmpty narrows a property to texts that say something.
func notEmpty(name string) func(map[string]*jsonschema.Schema) {
	return func(p map[string]*jsonschema.Schema) { p[name].Pattern = `\S` }
}

// oneLine is a text without ends of lines.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
