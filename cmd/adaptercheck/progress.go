package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
)

// progress shows how far a run is.
type progress interface {
	event(supervise.Event)
	close()
}

// progress is a bar on a terminal, else lines. Verbose output would tear a bar
// apart.
func (sys system) progress(p plan, verbose bool) progress {
	if verbose || !terminal(sys.stderr) {
		return lines{sys.stderr, verbose}
	}
	total := 0
	for _, e := range p {
		if e.cut == nil {
			checks, _ := e.selection.Of(conformance.Checks(e.profile)) // the plan has seen that there are some
			total += len(checks)
		}
	}
	return bar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(sys.stderr),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(50*time.Millisecond),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
	)}
}

// bar is a progress bar over all checks of a run. Its errors are those of writing
// to a terminal.
type bar struct{ *progressbar.ProgressBar }

func (b bar) event(e supervise.Event) {
	switch e.Kind {
	case supervise.Began:
		b.Describe(e.Job.Subject + " " + string(e.Job.Profile))
	case supervise.CheckEnded:
		_ = b.Add(1)
	case supervise.Ended:
		// What a lost worker left out will not come any more.
		_ = b.Add(e.Checks - len(e.Result.Outcomes))
	}
}

func (b bar) close() { _ = b.Clear() }

// lines prints one line when a subject begins and one when it ends, and with every
// check one when it begins.
type lines struct {
	to    io.Writer
	every bool
}

func (l lines) event(e supervise.Event) {
	who := e.Job.Subject + " " + string(e.Job.Profile)
	switch e.Kind {
	case supervise.CheckStarted:
		if l.every {
			fmt.Fprintf(l.to, "%s: %s\n", who, e.Check)
		}
	case supervise.Ended:
		cut := ""
		if e.Result.Cut != nil {
			cut = ", cut: " + string(e.Result.Cut.Reason)
		}
		fmt.Fprintf(l.to, "%s: %d of %d checks done%s\n", who, len(e.Result.Outcomes), e.Checks, cut)
	}
}

func (lines) close() {}
