package files

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"
)

func write(root *os.Root, args arguments) (string, error) {
	name, err := within(args.Path)
	if err != nil {
		return "", err
	}
	if err := overwrite(root, name, content(args.Content)); err != nil {
		return "", failed(name, err)
	}
	return "wrote " + filepath.ToSlash(name), nil
}

// content is what a model wants written. A value that is no string is taken as its
// JSON text, no value as nothing.
func content(value jsontext.Value) string {
	if s, ok := text(value); ok {
		return s
	}
	if len(value) == 0 || value.Kind() == 'n' {
		return ""
	}
	return string(value)
}

func overwrite(root *os.Root, name, content string) (err error) {
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	// The file is emptied only when it is known what it is.
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|nonblocking, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := sole(f); err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return err
}
