package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/hosttest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// describeLimit bounds how long a subject may take to be built and to say what it
// can do.
const describeLimit = 10 * time.Second

func (sys system) describeCommand() *cobra.Command {
	var files projectFlags
	var process processFlags
	cmd := &cobra.Command{
		Use:   "describe (SUBJECT | -- COMMAND ARGS...)",
		Short: "Print what a subject implements, offers and declares",
		Long: `Print what a subject implements, offers and declares, and what its adapter says of
itself. The adapter is built for that, and nothing is run.`,
		Example: `  adaptercheck describe codex
  adaptercheck describe -- node bridge.mjs my-adapter.mjs`,
		ValidArgsFunction: completeArgs(sys.offered),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := sys.one(cmd, args, 0, files, &process)
			if err != nil {
				return err
			}
			return sys.describe(cmd.Context(), t)
		},
	}
	files.add(cmd)
	process.add(cmd, sys)
	return cmd
}

// describe prints what there is to say about a target.
func (sys system) describe(ctx context.Context, t target) error {
	s, p, err := sys.start(ctx, t, nil)
	if err != nil {
		return err
	}
	if p != nil {
		defer p.Close(context.WithoutCancel(ctx))
	}
	ctx, cancel := context.WithTimeout(ctx, describeLimit)
	defer cancel()
	w := tabwriter.NewWriter(sys.stdout, 0, 0, 2, ' ', 0)
	describe(w, s)
	told, err := within(ctx, func() (string, error) {
		var b strings.Builder
		err := describeAdapters(ctx, &b, s)
		return b.String(), err
	})
	fmt.Fprint(w, told)
	if flushed := w.Flush(); flushed != nil {
		return flushed
	}
	if err != nil {
		sys.complain("subject %s: %v", s.Name, err)
		return code(exitInconclusive)
	}
	return nil
}

// within gives up on a subject that hangs, as the program ends then, and survives
// one that panics.
func within(ctx context.Context, f func() (string, error)) (string, error) {
	type answer struct {
		told string
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("panic: %v", p)
			}
			done <- a
		}()
		a.told, a.err = f()
	}()
	select {
	case a := <-done:
		return a.told, a.err
	case <-ctx.Done():
		return "", fmt.Errorf("no answer for %v", describeLimit)
	}
}

// describe prints what is known without the adapter.
func describe(w io.Writer, s check.Subject) {
	row(w, "subject", s.Name)
	var profiles []report.Profile
	for _, p := range report.Profiles() {
		if s.Implements(p) {
			profiles = append(profiles, p)
		}
	}
	row(w, "profiles", join(profiles, ", "))
	offers := slices.Sorted(slices.Values(s.Offers))
	row(w, "offers", join(offers, ", "))
	lacks := slices.DeleteFunc(fakes.AllFeatures(), s.Shows)
	slices.Sort(lacks)
	row(w, "does not offer", join(lacks, ", "))
	if s.Executor != nil {
		row(w, "second start", s.Declares.SecondStart)
		row(w, "full queue", s.Declares.Queue)
		row(w, "blocklist", s.Declares.Blocklist)
	}
	if s.History != nil {
		describeFormat(w, s.Format)
	}
}

// describeFormat prints what the canonical history can hold, as fixtures are cut to it.
func describeFormat(w io.Writer, f check.Format) {
	blocks := f.Blocks
	if blocks == nil {
		blocks = history.BlockTypes()
	}
	results := "any number a message"
	if f.OneResult {
		results = "one a message"
	}
	row(w, "history blocks", join(blocks, ", "))
	row(w, "history messages", fmt.Sprintf("at most %d", cmp.Or(f.MaxMessages, history.MaxHistoryMessages)))
	row(w, "tool results", results)
	row(w, "history source", cmp.Or(f.Source, history.RuntimeSession))
	if f.RuntimeID != "" {
		row(w, "history runtime id", f.RuntimeID)
	}
	if f.Converted {
		row(w, "history form", "made from messages of another shape")
	}
}

// row prints one line; nothing is said of what is left open.
func row(w io.Writer, name string, value any) {
	text := oneLine(fmt.Sprint(value))
	if text == "" {
		text = "-"
	}
	fmt.Fprintf(w, "%s\t%s\n", name, text)
}

// describeAdapters prints what fresh adapters say of themselves.
func describeAdapters(ctx context.Context, w io.Writer, s check.Subject) error {
	if s.Executor != nil {
		if err := describeExecutor(ctx, w, s); err != nil {
			return fmt.Errorf("executor: %w", err)
		}
	}
	if s.History != nil {
		if err := describeHistory(ctx, w, s); err != nil {
			return fmt.Errorf("history: %w", err)
		}
	}
	if s.Host != nil {
		if err := describeHost(ctx, w, s); err != nil {
			return fmt.Errorf("host: %w", err)
		}
	}
	return nil
}

// describeHost prints the runtimes that a fresh host lists.
func describeHost(ctx context.Context, w io.Writer, s check.Subject) (err error) {
	in, err := s.Host(ctx)
	if err == nil && (in == nil || in.URL == "") {
		err = errors.New("the constructor returned no host")
	}
	if err != nil {
		return err
	}
	if in.Outbound != nil {
		defer in.Outbound.Close()
	}
	if in.Close != nil {
		defer func() { err = errors.Join(err, in.Close(ctx)) }()
	}
	list, err := hosttest.Runtimes(ctx, in.URL)
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, r := range list {
		row(w, "runtime", r.ID+": "+r.State)
	}
	return nil
}

func describeExecutor(ctx context.Context, w io.Writer, s check.Subject) (err error) {
	var at fakes.Endpoint
	if s.Runtime != nil {
		r, err := s.Runtime(ctx, check.RuntimeOptions{})
		if err != nil {
			return err
		}
		defer r.Close()
		at = r.Endpoint()
	}
	in, err := s.Executor(ctx, at)
	if err == nil && (in == nil || in.Adapter == nil) {
		err = errors.New("the constructor returned no adapter")
	}
	if err != nil {
		return err
	}
	if in.Runtime != nil {
		defer in.Runtime.Close()
	}
	if in.Close != nil {
		defer func() { err = errors.Join(err, in.Close(ctx)) }()
	}
	if d, ok := in.Adapter.(executor.Disposer); ok {
		defer func() { err = errors.Join(err, d.Dispose(ctx)) }()
	}
	fmt.Fprintln(w)
	row(w, "executor adapter", in.Adapter.ID())
	row(w, "participant", in.Adapter.ParticipantKind())
	return members(w, in.Adapter.Capabilities())
}

// members prints the members of a value as its JSON has them.
func members(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	if _, err := dec.ReadToken(); err != nil { // the brace
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		row(w, key, value.String())
	}
	return nil
}

func describeHistory(ctx context.Context, w io.Writer, s check.Subject) (err error) {
	dir, err := os.MkdirTemp("", "adaptercheck-describe-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	root, own := filepath.Join(dir, "project"), filepath.Join(dir, "subject")
	for _, d := range []string{root, own} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	in, err := s.History(ctx, check.Fixture{
		RuntimeID: "describe", SessionID: "describe", Root: root, Dir: own,
		Model: history.Model{Provider: "none", ID: "none", ContextWindow: 1000},
		Transport: func(context.Context, history.TransportRequest) (any, error) {
			return nil, errors.New("describe sends nothing")
		},
	})
	if err == nil && (in == nil || in.Adapter == nil) {
		err = errors.New("the constructor returned no adapter")
	}
	if err != nil {
		return err
	}
	if in.Close != nil {
		defer func() { err = errors.Join(err, in.Close(ctx)) }()
	}
	id := in.Adapter.Identity()
	fmt.Fprintln(w)
	row(w, "history adapter", id.AdapterName+" "+id.AdapterVersion)
	row(w, "contract", id.ContractVersion)
	for _, d := range in.Adapter.CapabilityDeclarations() {
		says := "not declared"
		if supported, ok := d.Supported.Get(); ok {
			says = map[bool]string{true: "yes " + d.Version, false: "no: " + d.Reason}[supported]
		}
		row(w, string(d.ID), says)
	}
	return nil
}
