package baseline

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

const (
	maxSize  = 4 << 20 // of a file, in bytes
	maxIssue = 300     // of an issue, in bytes
)

// The keys, by the map that they stand in.
var (
	fileKeys  = []string{"schema", "known"}
	entryKeys = []string{"subject", "check", "code", "issue", "expires"}
)

// Load reads a file. An error names file, line, column, and what was expected there.
func Load(path string) (Baseline, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Baseline{}, err
	}
	return Parse(path, data)
}

// Parse is Load for a file that has been read.
func Parse(path string, data []byte) (Baseline, error) {
	if len(data) > maxSize {
		return Baseline{}, fmt.Errorf("%s: file of %d bytes, at most %d are read", path, len(data), maxSize)
	}
	root, err := yamltree.Parse(data)
	if err == nil {
		err = yamltree.Schema(root, Schema)
	}
	if err == nil {
		err = root.Fields("file", fileKeys...)
	}
	b := Baseline{Path: path}
	if err == nil {
		b.Entries, err = readEntries(root)
	}
	if err != nil {
		return Baseline{}, fmt.Errorf("%s:%w", path, err)
	}
	return b, nil
}

func readEntries(root *yamltree.Node) ([]Entry, error) {
	list := root.Get("known")
	if list == nil {
		return nil, yamltree.Fail(root.At, "missing known, want a list of known failures")
	}
	if list.Kind != yamltree.List {
		return nil, yamltree.Fail(list.At, "known: found %s, want a list of known failures", list.Kind)
	}
	var out []Entry
	for _, item := range list.Items {
		e, err := readEntry(item)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(out, e.same); i >= 0 {
			return nil, yamltree.Fail(e.At, "known: the same subject, check and code as at line %d", out[i].At.Line)
		}
		out = append(out, e)
	}
	return out, nil
}

func readEntry(n *yamltree.Node) (Entry, error) {
	e := Entry{At: n.At}
	if err := n.Fields("known", entryKeys...); err != nil {
		return e, err
	}
	for _, key := range entryKeys {
		value := n.Get(key)
		if value == nil {
			return e, yamltree.Fail(n.At, "known: missing %s", key)
		}
		text, err := value.String(key)
		if err != nil {
			return e, err
		}
		ok, want := e.set(key, text)
		if !ok {
			return e, yamltree.Fail(value.At, "%s: want %s", key, want)
		}
	}
	return e, nil
}

// set puts one value in its place, or says what was wanted.
func (e *Entry) set(key, text string) (ok bool, want string) {
	const name = "1 to 64 letters, digits, dots, hyphens, underscores or plus signs"
	switch key {
	case "subject":
		e.Subject = report.Name(text)
		return e.Subject.Valid(), name
	case "check":
		e.Check = report.Name(text)
		return e.Check.Valid(), name
	case "code":
		e.Code = report.Name(text)
		return e.Code.Valid(), name
	case "issue":
		e.Issue = text
		return ValidIssue(text), fmt.Sprintf("one line of at most %d bytes: a link to an issue, or its name", maxIssue)
	default:
		var err error
		e.Expires, err = ParseDate(text)
		return err == nil, "a date, as 2027-03-31"
	}
}

// ValidIssue reports whether the text can stand for an issue: one line.
func ValidIssue(s string) bool {
	return s != "" && len(s) <= maxIssue && !strings.ContainsFunc(s, unicode.IsControl)
}

// ParseDate reads a day, as 2027-03-31.
func ParseDate(s string) (time.Time, error) { return time.Parse(time.DateOnly, s) }
