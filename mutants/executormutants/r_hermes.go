package executormutants

import (
	"regexp"
	"sync"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// quotedSession is a line that names a session, as some runtimes print it.
var quotedSession = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?mi)^session[ _-]?id: (\S+)\n?`) })

// hermesMutants are defects of published adapters of Hermes, at its quiet wire.
func hermesMutants() []Mutant {
	return []Mutant{
		quiet("R56", "executor.text.look-alike", "text-lost", "takes a line of the answer for the one that names the session", func(*right) hooks {
			return hooks{rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
				named := ""
				return func(e executor.Event) []executor.Event {
					if d, ok := e.(executor.TextDelta); ok {
						named = quoted(d.Text)
						d.Text = quotedSession().ReplaceAllString(d.Text, "")
						e = d
					}
					if head := e.Head(); named != "" {
						head.SessionID = &named
						e = e.WithHead(head)
					}
					return one(e)
				}
			}}
		}),
		quiet("x-silence-as-success", "executor.process.silent-exit", "silence-as-success", "takes the exit code 0 of a run that said nothing for a success", ended(executor.ReasonSuccess)),
	}
}
