package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/internal/config"
)

// askLimit bounds how long an interpreter may take to tell its version.
const askLimit = 10 * time.Second

func (sys system) doctorCommand() *cobra.Command {
	var files projectFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is missing here",
		Long: `Say what is missing here: whether the files of the project can be read, the commands
of its subjects found, and the languages of its bridges are new enough. Nothing is
started but interpreters that are asked for their version.

Exit codes: 0 nothing is missing, 1 something is.`,
		Args: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{sys: sys, ctx: cmd.Context()}
			if err := d.project(files); err != nil {
				return err
			}
			return d.report()
		},
	}
	files.add(cmd)
	files.addBaseline(cmd)
	return cmd
}

// doctor collects what it finds.
type doctor struct {
	sys  system
	ctx  context.Context
	rows [][3]string
	sick bool
}

func (d *doctor) ok(what, format string, args ...any) { d.row("ok", what, format, args...) }

// note is about something that nothing here needs.
func (d *doctor) note(what, format string, args ...any) { d.row("note", what, format, args...) }

func (d *doctor) missing(what, format string, args ...any) {
	d.sick = true
	d.row("missing", what, format, args...)
}

func (d *doctor) row(state, what, format string, args ...any) {
	d.rows = append(d.rows, [3]string{state, what, oneLine(fmt.Sprintf(format, args...))})
}

func (d *doctor) report() error {
	w := tabwriter.NewWriter(d.sys.stdout, 0, 0, 2, ' ', 0)
	for _, r := range d.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r[0], r[1], r[2])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if d.sick {
		return code(exitFails)
	}
	return nil
}

// project looks at the files, and at the subjects in them. An error is a file that
// was named and is not there.
func (d *doctor) project(files projectFlags) error {
	p, err := d.sys.project(files)
	switch {
	case isPathError(err) && files != projectFlags{}:
		return err
	case err != nil:
		d.missing("project", "%v", err)
	case p.config.Path == "":
		d.note("project", "there is no %s here: adaptercheck init writes one", config.File)
	default:
		d.ok("project", "%s, subjects: %d", p.config.Path, len(p.config.Subjects))
	}
	if err == nil && p.baseline.Path != "" {
		d.baseline(p)
	}
	needed := map[string]bool{}
	for _, s := range p.config.Subjects {
		d.subject(s)
		needed[languageOf(s.Command)] = true
	}
	for _, b := range bridgeList() {
		d.language(b, needed[b.language])
	}
	return nil
}

func (d *doctor) baseline(p project) {
	if err := p.known(d.sys, nil); err != nil {
		d.missing("baseline", "%v", err)
		return
	}
	d.ok("baseline", "%s, known failures: %d", p.baseline.Path, len(p.baseline.Entries))
}

// subject looks for what a subject is started with.
func (d *doctor) subject(s config.Subject) {
	what := "subject " + s.Name
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		d.missing(what, "the directory %s is not there", s.Dir)
		return
	}
	var unset []string
	for _, name := range s.Env {
		if _, set := os.LookupEnv(name); !set && !strings.HasSuffix(name, "*") {
			unset = append(unset, name)
		}
	}
	if len(unset) > 0 {
		d.note(what, "not set in the environment: %s", strings.Join(unset, ", "))
	}
	program := s.Command[0]
	if strings.ContainsRune(filepath.ToSlash(program), '/') && !filepath.IsAbs(program) {
		if there, err := filepath.Abs(filepath.Join(s.Dir, program)); err == nil {
			program = there
		}
	}
	switch _, err := exec.LookPath(program); {
	case err == nil || program == self:
		d.ok(what, "%s", s.Command[0])
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		d.missing(what, "the command %s is not found", s.Command[0])
	default:
		d.missing(what, "the command %s is not executable", s.Command[0])
	}
}

// languageOf is the bridge that a command starts, or whose interpreter it is; empty
// if it is neither.
func languageOf(command []string) string {
	program := strings.TrimSuffix(filepath.Base(command[0]), ".exe")
	for _, b := range bridgeList() {
		if slices.Contains(b.interpreters, program) || program == self && slices.Contains(command[1:], b.language) {
			return b.language
		}
	}
	return ""
}

// language looks for the interpreter of a bridge.
func (d *doctor) language(b bridge, needed bool) {
	say := d.note
	if needed {
		say = d.missing
	}
	want := fmt.Sprintf("%d.%d", b.least[0], b.least[1])
	path, err := b.interpreter()
	if err != nil {
		say(b.language, "not found; its bridge needs %s or newer", want)
		return
	}
	major, minor, err := version(d.ctx, path)
	switch {
	case err != nil:
		say(b.language, "it does not tell its version: %v", err)
	case major < b.least[0] || major == b.least[0] && minor < b.least[1]:
		say(b.language, "version %d.%d; its bridge needs %s or newer", major, minor, want)
	default:
		d.ok(b.language, "version %d.%d", major, minor)
	}
}

// version asks an interpreter.
func version(ctx context.Context, path string) (major, minor int, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return 0, 0, err
	}
	found := regexp.MustCompile(`(\d+)\.(\d+)`).FindSubmatch(out)
	if found == nil {
		return 0, 0, errors.New("there is none in its answer")
	}
	major, err = strconv.Atoi(string(found[1]))
	if err == nil {
		minor, err = strconv.Atoi(string(found[2]))
	}
	return major, minor, err
}
