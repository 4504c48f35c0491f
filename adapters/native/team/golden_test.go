package team

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/server"
)

// What a model reads of the tools. A change here costs every provider's prompt cache.
func TestDefinitions(t *testing.T) {
	a := attach(t, Options{
		Store: openStore(t), AgentID: "a", SessionKey: "agent:a:team:t1", Tasks: server.Full, Memory: true, Tools: true, TeamChat: true,
		Env: func(string) string { return "k" },
	})
	var text strings.Builder
	for _, each := range a.Tools() {
		d := each.Definition()
		fmt.Fprintf(&text, "%s: %s\n%s\n\n", d.Name, d.Description, d.Schema)
	}
	goldie.New(t).Assert(t, "tools", []byte(text.String()))
}
