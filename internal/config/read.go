package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// maxSize bounds a file, in bytes.
const maxSize = 1 << 20

// maxBudget bounds a budget.
const maxBudget = 24 * time.Hour

// The keys, by the map that they stand in.
var (
	fileKeys    = []string{"schema", "subjects", "profiles", "budgets", "baseline"}
	subjectKeys = []string{"command", "cwd", "env", "privateHome", "restart", "fake", "profiles"}
	budgetKeys  = []string{"call", "firstEvent", "terminal", "abort", "quiet", "check", "run"}
)

// Load reads a file. Paths in it are relative to its directory. An error names
// file, line, column, and what was expected there.
func Load(path string, known Known) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return Parse(path, data, known)
}

// Parse is Load for a file that has been read.
func Parse(path string, data []byte, known Known) (Config, error) {
	if len(data) > maxSize {
		return Config{}, fmt.Errorf("%s: file of %d bytes, at most %d are read", path, len(data), maxSize)
	}
	r := reader{dir: filepath.Dir(path), known: known}
	root, err := yamltree.Parse(data)
	if err == nil {
		err = yamltree.Schema(root, Schema)
	}
	if err == nil {
		err = r.file(root)
	}
	if err != nil {
		return Config{}, fmt.Errorf("%s:%w", path, err)
	}
	r.out.Path = path
	return r.out, nil
}

// reader collects what a file says.
type reader struct {
	dir   string
	known Known
	out   Config
}

func (r *reader) file(root *yamltree.Node) error {
	if err := root.Fields("file", fileKeys...); err != nil {
		return err
	}
	var profiles []report.Profile
	var err error
	if n := root.Get("profiles"); n != nil {
		if profiles, err = readProfiles(n); err != nil {
			return err
		}
	}
	if n := root.Get("budgets"); n != nil {
		if r.out.Budgets, err = readBudgets(n); err != nil {
			return err
		}
	}
	if n := root.Get("baseline"); n != nil {
		path, err := n.String("baseline")
		if err != nil {
			return err
		}
		r.out.Baseline, r.out.BaselineAt = r.path(path), n.At
	}
	if n := root.Get("subjects"); n != nil {
		return r.subjects(n, profiles)
	}
	return nil
}

// path is one that is relative to the file.
func (r *reader) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(r.dir, filepath.FromSlash(p))
}

func (r *reader) subjects(n *yamltree.Node, profiles []report.Profile) error {
	if n.Kind != yamltree.Map {
		return yamltree.Fail(n.At, "subjects: found %s, want a map from names to subjects", n.Kind)
	}
	for i, key := range n.Keys {
		if !report.Name(key.Text).Valid() {
			return yamltree.Fail(key.At, "subjects: %q is no name: want 1 to 64 letters, digits, dots, hyphens, underscores or plus signs", key.Text)
		}
		s, err := r.subject(key, n.Items[i])
		if err != nil {
			return err
		}
		if s.Profiles == nil {
			s.Profiles = profiles
		}
		r.out.Subjects = append(r.out.Subjects, s)
	}
	return nil
}

func (r *reader) subject(key yamltree.Label, n *yamltree.Node) (Subject, error) {
	what := "subject " + key.Text
	s := Subject{Name: key.Text, Dir: r.dir, At: key.At}
	if err := n.Fields(what, subjectKeys...); err != nil {
		return s, err
	}
	if n.Get("command") == nil {
		return s, yamltree.Fail(key.At, "%s: missing command", what)
	}
	for i, k := range n.Keys {
		if err := r.key(&s, k.Text, n.Items[i]); err != nil {
			return s, err
		}
	}
	return s, nil
}

// key reads one key of a subject.
func (r *reader) key(s *Subject, key string, n *yamltree.Node) (err error) {
	switch key {
	case "command":
		s.Command, err = readCommand(n)
	case "cwd":
		s.Dir, err = n.String(key)
		s.Dir = r.path(s.Dir)
	case "env":
		s.Env, err = readEnv(n)
	case "privateHome":
		s.PrivateHome, err = n.Flag(key)
	case "restart":
		s.Restart, err = n.Flag(key)
	case "fake":
		s.Fake, err = n.Word(key, r.known.Fakes...)
	case "profiles":
		s.Profiles, err = readProfiles(n)
	}
	return err
}

// readCommand reads an argument vector.
func readCommand(n *yamltree.Node) ([]string, error) {
	if n.Kind == yamltree.Text {
		return nil, yamltree.Fail(n.At, "command: found text, want a list of a program and its arguments, as [node, adapter.mjs]")
	}
	command, err := n.Strings("command")
	if err == nil && len(command) == 0 {
		err = yamltree.Fail(n.At, "command: the list is empty, want a program and its arguments")
	}
	return command, err
}

// readEnv reads names of variables. A value is refused without being shown.
func readEnv(n *yamltree.Node) ([]string, error) {
	names, err := n.Strings("env")
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if !EnvName(name) {
			return nil, yamltree.Fail(n.Items[i].At, "env: want the name of a variable alone, its value is taken from the environment")
		}
	}
	return names, nil
}

// EnvName reports whether s is the name of a variable, or with * at its end the
// beginning of names.
func EnvName(s string) bool {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`).MatchString(s)
}

// readProfiles reads a list of profiles, each once.
func readProfiles(n *yamltree.Node) ([]report.Profile, error) {
	if n.Kind != yamltree.List || len(n.Items) == 0 {
		return nil, yamltree.Fail(n.At, "profiles: want a list of executor, history, host")
	}
	var words []string
	for _, p := range report.Profiles() {
		words = append(words, string(p))
	}
	var out []report.Profile
	for _, item := range n.Items {
		word, err := item.Word("profiles", words...)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, report.Profile(word)) {
			return nil, yamltree.Fail(item.At, "profiles: %s stands there twice", word)
		}
		out = append(out, report.Profile(word))
	}
	return out, nil
}

// readBudgets reads durations.
func readBudgets(n *yamltree.Node) (check.Budgets, error) {
	var b check.Budgets
	if err := n.Fields("budgets", budgetKeys...); err != nil {
		return b, err
	}
	fields := map[string]*time.Duration{
		"call": &b.Call, "firstEvent": &b.FirstEvent, "terminal": &b.Terminal, "abort": &b.Abort,
		"quiet": &b.Quiet, "check": &b.Check, "run": &b.Run,
	}
	for i, key := range n.Keys {
		item := n.Items[i]
		d, err := time.ParseDuration(item.Text)
		if item.Kind != yamltree.Text || err != nil || d <= 0 || d > maxBudget {
			return b, yamltree.Fail(item.At, "budgets: %s: want a duration above 0 and up to 24h, such as 500ms, 2s or 1m30s", key.Text)
		}
		*fields[key.Text] = d
	}
	return b, nil
}
