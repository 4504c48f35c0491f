package hermes

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// quiet is a run in the quiet format: all that is printed is the answer, and whether
// there is one shows at the exit.
type quiet struct {
	*ledger
	max     int // bytes of an answer
	output  bytes.Buffer
	skipped int64
	tools   tools
}

var _ wire = (*quiet)(nil)

// Line keeps a piece of the answer.
func (q *quiet) Line(_ int64, piece []byte) []executor.Event {
	room := min(len(piece), q.max-q.output.Len())
	q.output.Write(piece[:room])
	q.skipped += int64(len(piece) - room)
	return nil
}

// TooLong is never called: pieces are short.
func (q *quiet) TooLong(_, _ int64) []executor.Event { return nil }

// Rest is 0: only the exit says that the answer is whole.
func (q *quiet) Rest() time.Duration { return 0 }

// ToolsOpen is true: the format does not tell, and a tool may outlive its call.
func (q *quiet) ToolsOpen() bool { return true }

// Finish gives the tools, the answer, the cost and the end, all that there is to tell
// of the run.
func (q *quiet) Finish(e oneshot.Ending) []executor.Event {
	q.tell(q.exitLine())
	text := q.answer()
	p := q.settle(e.Failed && !e.Aborted)
	out := p.replay(&q.tools)
	out = append(out, q.tools.Close()...)
	if q.skipped > 0 {
		out = append(out, oneshot.Failure(executor.CodeMalformedFrame, fmt.Sprintf("the answer is too long: its last %d bytes were skipped", q.skipped), false))
	}
	if text != "" {
		out = append(out, executor.TextDelta{Text: text, Channel: executor.Assistant})
	}
	return append(out, conclude(e, executor.Done{Summary: text}, q.spent(p), failure(withoutSession(e), text, p.finish()))...)
}

// failure is why the run is no success, nil if it is one. Early versions exit with 0
// after a failure too; it shows in that nothing was said, or in the books.
func failure(e oneshot.Ending, text, finish string) *executor.Error {
	cut := cutShort(finish)
	switch {
	case cut != nil:
		return cut
	case e.Failed:
		return fatal(executor.CodeExit, "hermes failed "+because(e))
	case text == "":
		return fatal(executor.CodeEmptyOutput, "hermes said nothing "+because(e))
	case finish == finishError:
		return fatal(executor.CodeRuntime, "the model failed, and the answer says so")
	}
	return nil
}

// answer is what was printed, byte for byte but for the line end that Hermes puts after
// it, and without what early versions print beside it.
func (q *quiet) answer() string {
	text := q.withoutNotes(strings.ToValidUTF8(q.output.String(), "\uFFFD"))
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}
