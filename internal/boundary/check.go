package boundary

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// Blank reports whether nothing but white space is there. White space is the
// contract's, which is JavaScript's: it has the byte order mark and not U+0085.
func Blank(s string) bool { return Trim(s) == "" }

// Trim removes white space, as [Blank] means it, from both ends.
func Trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		switch {
		case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A,
			r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
			return true
		}
		return false
	})
}

// CheckModel refuses a model that no adapter may describe: one without provider,
// id, or a window that is finite and above zero. The error names the option Model and the field. Nil is
// no model and passes (history#model).
func CheckModel(m *history.Model) error {
	switch {
	case m == nil:
		return nil
	case Blank(m.Provider):
		return errors.New("option Model: the provider is blank")
	case Blank(m.ID):
		return errors.New("option Model: the id is blank")
	case !(m.ContextWindow > 0) || math.IsInf(m.ContextWindow, 0):
		return errors.New("option Model: the context window is not finite and above zero")
	}
	return nil
}

// RealRoot is the real path of a project root, which must be a directory
// (history#root-real).
func RealRoot(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", &os.PathError{Op: "open", Path: path, Err: errors.New("not a directory")}
	}
	return path, nil
}
