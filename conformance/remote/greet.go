package remote

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// The modes of a subject.
const (
	modeWire    = "wire"
	modeHarness = "harness"
)

// The contracts of a subject.
const (
	contractExecutor = "executor"
	contractHistory  = "history"
)

// hello is the answer to initialize.
type hello struct {
	Protocol  string         `json:"protocol"`
	Name      string         `json:"name"`
	Contracts []string       `json:"contracts"`
	Mode      string         `json:"mode,omitzero"`
	Features  fakes.Features `json:"features"`
	Declares  declares       `json:"declares,omitzero"`
	// Batch: harness/emit takes a list of frames.
	Batch bool `json:"batch,omitzero"`
}

type declares struct {
	SecondStart string `json:"secondStart,omitzero"`
	Queue       string `json:"queue,omitzero"`
	Blocklist   string `json:"blocklist,omitzero"`
}

func (h hello) same(o hello) bool {
	return h.Name == o.Name && slices.Equal(h.Contracts, o.Contracts) && h.Mode == o.Mode &&
		slices.Equal(h.Features, o.Features) && h.Declares == o.Declares && h.Batch == o.Batch
}

func (h hello) declarations() check.Declarations {
	return check.Declarations{SecondStart: h.Declares.SecondStart, Queue: h.Declares.Queue, Blocklist: h.Declares.Blocklist}
}

var safeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._+-]{1,64}$`) })

// problem names the first field that is not as the protocol says.
func (h hello) problem() string {
	word := func(s string, of ...string) bool { return s == "" || slices.Contains(of, s) }
	switch {
	case !safeName().MatchString(h.Name):
		return "name is not 1 to 64 letters, digits, dots, hyphens, underscores or plus signs"
	case len(h.Contracts) == 0:
		return "contracts is empty"
	case !slices.Contains([]string{modeWire, modeHarness}, h.Mode) && slices.Contains(h.Contracts, contractExecutor):
		return "mode is neither wire nor harness"
	case !word(h.Declares.SecondStart, check.Queues, check.Refuses):
		return "declares.secondStart is neither queues nor refuses"
	case !word(h.Declares.Queue, check.Drop, check.Block):
		return "declares.queue is neither drop nor block"
	case !word(h.Declares.Blocklist, check.Delivered, check.Undeliverable):
		return "declares.blocklist is neither delivered nor undeliverable"
	}
	for i, c := range h.Contracts {
		if c != contractExecutor && c != contractHistory {
			return fmt.Sprintf("contracts[%d] is neither executor nor history", i)
		}
	}
	for i, f := range h.Features {
		if !fakes.AllFeatures().Has(f) || f == fakes.InProcess || f == fakes.OwnTools || fakes.HostFeatures().Has(f) {
			return fmt.Sprintf("features[%d] is not a known feature of a subject", i)
		}
	}
	return ""
}

type greeting struct {
	Protocol string    `json:"protocol"`
	Suite    suiteName `json:"suite"`
}

type suiteName struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// greet initializes a session.
func greet(ctx context.Context, s *session, within time.Duration) (hello, error) {
	inner, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	raw, _, err := s.call(inner, "initialize", greeting{Version, suiteName{"adaptercheck", check.SuiteVersion}})
	switch refused := (*CallError)(nil); {
	case errors.As(err, &refused):
		return hello{}, s.fail(ErrProtocol, fmt.Sprintf("it answers initialize with error %d", refused.Code))
	case err != nil && ctx.Err() != nil:
		return hello{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return hello{}, s.fail(ErrTimeout, "within "+within.String())
	case err != nil:
		if e, ok := errors.AsType[*Error](err); ok {
			return hello{}, e
		}
		return hello{}, err
	}
	if members, ok := membersOf(raw); !ok {
		return hello{}, s.fail(ErrProtocol, "the answer to initialize is no object")
	} else if textOf(members["protocol"]) != Version {
		return hello{}, s.fail(ErrVersion, "want "+Version)
	}
	var h hello
	if err := json.Unmarshal(raw, &h); err != nil {
		detail := "the answer to initialize has a field twice"
		if e, ok := errors.AsType[*json.SemanticError](err); ok { // only fields of the protocol have a type
			detail = "the answer to initialize: " + strings.TrimPrefix(string(e.JSONPointer), "/") + " has the wrong type"
		}
		return hello{}, s.fail(ErrProtocol, detail)
	}
	if problem := h.problem(); problem != "" {
		return hello{}, s.fail(ErrProtocol, "the answer to initialize: "+problem)
	}
	return h, nil
}
