package supervise

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// message is one line from a worker. Exactly one field is set.
type message struct {
	Started  string           `json:"started,omitzero"`  // id of a check that begins
	Outcome  *outcome         `json:"outcome,omitzero"`  // of the check that began last
	Cut      report.CutReason `json:"cut,omitzero"`      // no further check is begun
	Lost     *lostSubject     `json:"lost,omitzero"`     // likewise: its process is gone
	Breaches breaches         `json:"breaches,omitzero"` // in all of the run
	Finished bool             `json:"finished,omitzero"`
}

// breaches counts lines that broke the subject protocol.
type breaches map[remote.Breach]int

// lostSubject says that the subject's process could not be started, or ended
// before the run did.
type lostSubject struct {
	Reason report.CutReason `json:"reason"`
	Why    string           `json:"why"`
	Stderr string           `json:"stderr,omitzero"` // the end of what it printed
}

// outcome is a [check.Outcome] on its way to the parent.
type outcome struct {
	ID      string          `json:"id"`
	State   report.State    `json:"state"`
	Codes   []check.Code    `json:"codes,omitzero"`
	Missing []check.Feature `json:"missing,omitzero"`
	Counts  map[string]int  `json:"counts,omitzero"`
	Took    int64           `json:"tookNs"`
	Details []string        `json:"details,omitzero"` // only for a verbose job
	Fault   string          `json:"fault,omitzero"`
}

// maxMessage bounds a line from a worker, in bytes.
const maxMessage = 16 << 20

// maxText bounds what one detail or fault may add to it.
const maxText = 64 << 10

// pack makes an outcome fit to travel. Texts of a subject may hold anything.
func pack(o check.Outcome, verbose bool) *outcome {
	out := &outcome{ID: o.ID, State: o.State, Codes: o.Codes, Missing: o.Missing, Counts: o.Counts, Took: int64(o.Took)}
	if verbose {
		for _, d := range o.Details {
			out.Details = append(out.Details, tidy(d))
		}
	}
	if o.Fault != nil {
		out.Fault = tidy(o.Fault.Error())
	}
	return out
}

func tidy(s string) string {
	if len(s) > maxText {
		s = s[:maxText] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func (o outcome) unpack() check.Outcome {
	out := check.Outcome{
		ID: o.ID, State: o.State, Codes: o.Codes, Missing: o.Missing, Counts: o.Counts,
		Took: time.Duration(o.Took), Details: o.Details,
	}
	if o.Fault != "" {
		out.Fault = errors.New(o.Fault)
	}
	return out
}

// decode reads a line strictly. The error does not quote it: it may be anything
// that a subject printed.
func decode(line []byte) (message, error) {
	var m message
	if err := json.Unmarshal(line, &m, json.RejectUnknownMembers(true)); err != nil {
		return message{}, errors.New("a line that is no message")
	}
	set := 0
	for _, is := range []bool{m.Started != "", m.Outcome != nil, m.Cut != "", m.Lost != nil, m.Breaches != nil, m.Finished} {
		if is {
			set++
		}
	}
	if set != 1 {
		return message{}, fmt.Errorf("a message that says %d things", set)
	}
	return m, nil
}

// sender writes messages, one line and one write each.
type sender struct {
	mu  sync.Mutex
	out io.Writer
	err error // the first one; nothing is written after it
}

func (s *sender) say(m message) {
	line, err := json.Marshal(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && err == nil {
		_, err = s.out.Write(append(line, '\n'))
	}
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("tell the parent: %w", err)
	}
}

func (s *sender) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
